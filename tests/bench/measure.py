"""Figures: a median of several runs beside the limit that it has to keep to."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

RUNS = 5


@dataclass(frozen=True)
class Figure:
    """What was measured, the median, its unit, and its limit; `parts` says where the time goes.

    The limit is the highest value, or with `at_least` the lowest. `parts_unit` is the unit of the parts, where it is
    another.
    """

    name: str
    value: float
    unit: str
    limit: float
    parts: dict[str, float] = field(default_factory=dict)
    at_least: bool = False
    parts_unit: str | None = None

    @property
    def holds(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def seconds(action: Callable[[], object], runs: int = RUNS) -> float:
    """The median of the wall-clock seconds that `action` takes."""
    return statistics.median(_timed(action) for _ in range(runs))


def command_seconds(
    command: Sequence[str], *, accept: tuple[int, ...] = (0,), stdin: bytes = b"", runs: int = RUNS
) -> float:
    """The median of the wall-clock seconds from starting a command to its end."""

    def run() -> None:
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
        if done.returncode not in accept:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-500:]}")

    return seconds(run, runs)


def in_turns(measures: dict[str, Callable[[], float]], runs: int = RUNS) -> dict[str, list[float]]:
    """What several measurements give. They take turns, so that noise hits them alike."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(runs):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def medians(taken: dict[str, list[float]]) -> dict[str, float]:
    """The median of each measurement."""
    return {name: statistics.median(values) for name, values in taken.items()}


def ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """The median of the ratios of two measurements, turn by turn: a slow spell takes its toll of both."""
    return statistics.median(o / u for o, u in zip(over, under, strict=True))


def microseconds_each(action: Callable[[], object], calls: int = 200) -> float:
    """The microseconds that one call takes, as the mean of a number of calls."""
    return timeit.timeit(action, number=calls) / calls * 1e6


class Interpreters:
    """Starts fresh interpreters, whose modules are compiled already, whatever the environment says about that."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment

    def value(self, code: str, *arguments: str) -> float:
        """The number that a program prints."""
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{code}\nended with {done.returncode}: {done.stderr[-500:]}")
        return float(done.stdout or "nan")

    def seconds(self, code: str) -> float:
        """The wall-clock seconds from starting a program to its end."""
        return _timed(lambda: self.value(code))


@contextmanager
def interpreters() -> Iterator[Interpreters]:
    """Fresh interpreters with a folder of their own for compiled modules. Each program's first run fills it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        yield Interpreters({**environment, "PYTHONPYCACHEPREFIX": folder})


def report(figures: Iterable[Figure]) -> int:
    """Print each figure as it comes. Returns 1 where a limit does not hold, else 0."""
    code = 0
    for figure in figures:
        bound, broken = ("at least", "BELOW") if figure.at_least else ("at most", "OVER")
        verdict = "ok" if figure.holds else f"{broken} THE LIMIT"
        print(
            f"{figure.name:56} {figure.value:10.3f} {figure.unit:6} {bound:8} {figure.limit:8.3f}  {verdict}",
            flush=True,
        )
        for name, value in figure.parts.items():
            print(f"    {name:52} {value:10.3f} {figure.parts_unit or figure.unit}", flush=True)
        code = code if figure.holds else 1
    return code


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
