"""A run as a table of values says it, such as one that stands in a TOML file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from acp_v2.conformance.agent_suite import AgentSuite
from acp_v2.conformance.options import Options
from acp_v2.conformance.targets import StdioTarget, Target, UrlTarget
from acp_v2.transports.remote import check_url

_TEXTS = ("prompt", "busy_prompt", "fail_prompt", "local_prompt", "login", "cwd")
_SECONDS = {"timeout": "patience", "time_limit": "time_limit"}
_OPTIONAL = ("busy_prompt", "fail_prompt", "local_prompt")


@dataclass(frozen=True, slots=True)
class Settings:
    """How an agent is reached, and what a run is told."""

    command: tuple[str, ...]
    url: str | None
    token: str | None
    restart_command: str | None
    env: Mapping[str, str]
    options: Options

    def target(self) -> Target:
        """The agent."""
        env = {**os.environ, **self.env}
        if self.url is None:
            return StdioTarget(self.command, env=env)
        return UrlTarget(
            self.url,
            token=self.token,
            command=self.command,
            restart_command=self.restart_command,
            env=env,
            patience=self.options.patience,
        )

    def suite(self) -> AgentSuite:
        """The suite with the agent."""
        return AgentSuite(self.target(), self.options)

    def __post_init__(self) -> None:
        if not self.command and self.url is None:
            raise ValueError("say which agent it is: a command, or the url of its address")
        if self.url is None and (self.token or self.restart_command):
            raise ValueError("a token and a restart command are for an agent at an address: url")
        if self.url is not None:
            check_url(self.url)
        if self.command and self.restart_command:
            raise ValueError("the suite restarts its own command itself; a restart command is for what runs already")


def read_settings(table: Mapping[str, Any], folder: Path, *, cwd: str) -> Settings:
    """Settings from the table `agent` of a file.

    Args:
        table: what stands in the file.
        folder: where the file lies; a `cwd` in it is relative to that.
        cwd: the working directory of sessions where the file names none.

    Raises:
        ValueError: something is not as it should be.
    """
    agent: Any = table.get("agent")
    if not isinstance(agent, dict) or len(table) != 1:
        raise ValueError("it has one table, [agent]")
    given = dict(cast("dict[str, Any]", agent))
    command: Any = given.pop("command", [])
    env: Any = given.pop("env", {})
    if not isinstance(command, list) or not all(isinstance(part, str) for part in cast("list[Any]", command)):
        raise ValueError("command is an array of strings: the program and its arguments")
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in cast("dict[str, Any]", env).values()):
        raise ValueError("env is a table of strings")
    url, token, restart = (_text(given, name) for name in ("url", "token", "restart_cmd"))
    options = _read_options(given, folder, cwd)
    if given:
        known = ", ".join(("command", "url", "token", "restart_cmd", "env", *_TEXTS, *_SECONDS))
        raise ValueError(f"{', '.join(given)} is not known; there are {known}")
    return Settings(tuple(cast("list[str]", command)), url, token, restart, cast("dict[str, str]", env), options)


def _read_options(given: dict[str, Any], folder: Path, cwd: str) -> Options:
    changes: dict[str, Any] = {}
    for name in _TEXTS:
        if name in given:
            value = _text(given, name)
            changes[name] = value or None if name in _OPTIONAL else value
    for name, field in _SECONDS.items():
        seconds: Any = given.pop(name, None)
        if seconds is not None:
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
                raise ValueError(f"{name} is a positive number of seconds")
            changes[field] = float(seconds)
    changes["cwd"] = str((folder / changes.get("cwd", cwd)).absolute())
    return replace(Options(), **changes)


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.pop(name, None)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is a string")
    return value
