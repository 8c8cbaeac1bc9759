"""The step of `action.yml`: runs one command of reknit for the event's pull request, and shows the result in the job.

Started as `python -I -m reknit.interfaces.github_action`: nothing is imported from the checked-out repository.
"""

import io
import json
import os
import secrets
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.errors import ReknitError, UsageProblem
from reknit.core.github_action.report import annotations, log_line, outputs, summary
from reknit.core.github_action.request import ActionRequest, command_line, fork_hint
from reknit.core.text.workflow_command import annotation_line
from reknit.interfaces.cli.main import run
from reknit.interfaces.cli.output.echo import echo

_GITHUB = "https://github.com"
_PUBLIC_API = "https://api.github.com"


def main() -> int:
    environment = dict(os.environ)
    request = _request(environment)
    try:
        arguments = command_line(request)
    except ReknitError as problem:
        ending = {"event": "error", "error": problem.name, "what": problem.what, "help": problem.help}
        return _report(environment, request, ending, problem.exit_code)
    _log_in(request, environment)
    seen = _Events()
    pause = secrets.token_hex(16)
    # What agents and reviewers wrote is in the log: until the pause ends, no line of it is a command to the runner.
    echo(f"::stop-commands::{pause}")
    try:
        with redirect_stdout(seen):
            code = run(arguments)
    finally:
        echo(f"::{pause}::")
    return _report(environment, request, seen.last, code)


class _Events(io.StringIO):
    """Stands in for stdout while a command prints JSON Lines: shows each event, and keeps the last."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Mapping[str, Any] = {}
        self._log = sys.stdout
        self._begun = ""

    def write(self, text: str) -> int:
        written = super().write(text)
        *lines, self._begun = f"{self._begun}{text}".split("\n")
        for line in lines:
            self.last = json.loads(line)
            self._log.write(f"{log_line(self.last)}\n")
            self._log.flush()
        return written


def _request(environment: Mapping[str, str]) -> ActionRequest:
    def given(name: str) -> str:
        return environment.get(f"INPUT_{name}", "").strip()

    return ActionRequest(
        command=given("COMMAND"),
        repository=environment.get("GITHUB_REPOSITORY", ""),
        server=environment.get("GITHUB_SERVER_URL") or _GITHUB,
        event_name=environment.get("GITHUB_EVENT_NAME", ""),
        event=_event(environment.get("GITHUB_EVENT_PATH", "")),
        agent=given("AGENT"),
        budget=given("BUDGET"),
        pull=given("PULL_REQUEST"),
        token=given("TOKEN"),
        job_token=environment.get("JOB_TOKEN", ""),
    )


def _event(path: str) -> Mapping[str, Any]:
    """An event that cannot be read names no pull request, which is then said."""
    try:
        found = json.loads(read_plain_text(Path(path)))
    except (OSError, ValueError, UsageProblem):
        return {}
    return found if isinstance(found, dict) else {}


def _log_in(request: ActionRequest, environment: Mapping[str, str]) -> None:
    """The token is for this server alone; the workflow's own is not left where an agent's program could look."""
    os.environ["GH_TOKEN"] = request.token
    for name in ("INPUT_TOKEN", "JOB_TOKEN", "GITHUB_TOKEN"):
        os.environ.pop(name, None)
    if request.server != _GITHUB:
        os.environ["GH_HOST"] = urlsplit(request.server).hostname or ""
    api = environment.get("GITHUB_API_URL", "")
    if api not in ("", _PUBLIC_API):
        os.environ.setdefault("REKNIT_FORGE__API", api)


def _report(environment: Mapping[str, str], request: ActionRequest, ending: Mapping[str, Any], code: int) -> int:
    ending = {**ending, "exit_code": code}
    hint = fork_hint(request) if ending.get("event") == "error" else ""
    for found in annotations(ending, hint):
        echo(annotation_line(found))
    _append(environment.get("GITHUB_STEP_SUMMARY", ""), summary(request.command, ending, hint))
    named = "".join(f"{name}={value}\n" for name, value in outputs(ending).items())
    _append(environment.get("GITHUB_OUTPUT", ""), named)
    return code


def _append(path: str, text: str) -> None:
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
