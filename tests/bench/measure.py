"""Figures: a median of several runs beside the limit that it has to keep to."""

import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

RUNS = 5


@dataclass(frozen=True)
class Figure:
    """What was measured, the median, its unit, and its limit; `parts` says where the time goes."""

    name: str
    value: float
    unit: str
    limit: float
    parts: dict[str, float] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return self.value <= self.limit


def seconds(action: Callable[[], object], runs: int = RUNS) -> float:
    """The median of the wall-clock seconds that `action` takes."""
    taken: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        action()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def command_seconds(
    command: Sequence[str], *, accept: tuple[int, ...] = (0,), stdin: bytes = b"", runs: int = RUNS
) -> float:
    """The median of the wall-clock seconds from starting a command to its end."""

    def run() -> None:
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
        if done.returncode not in accept:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-500:]}")

    return seconds(run, runs)


def report(figures: Iterable[Figure]) -> int:
    """Print each figure as it comes. Returns 1 where a limit does not hold, else 0."""
    code = 0
    for figure in figures:
        verdict = "ok" if figure.holds else "OVER THE LIMIT"
        print(f"{figure.name:56} {figure.value:10.3f} {figure.unit:6} limit {figure.limit:8.3f}  {verdict}", flush=True)
        for name, value in figure.parts.items():
            print(f"    {name:52} {value:10.3f} {figure.unit}", flush=True)
        code = code if figure.holds else 1
    return code
