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
from reknit.core.errors import ReknitError, UsageError
from reknit.core.github_action.report import format_log_line, list_annotations, render_summary, to_outputs
from reknit.core.github_action.request import ActionRequest, build_command, explain_missing_login
from reknit.core.text.forge_text import render_annotation
from reknit.interfaces.cli.main import run
from reknit.interfaces.cli.output.echo import echo

_GITHUB = "https://github.com"
_PUBLIC_API = "https://api.github.com"


def main() -> int:
    """Run the command of the step, and return its exit code."""
    environment = dict(os.environ)
    request = _read_request(environment)
    try:
        arguments = build_command(request)
    except ReknitError as problem:
        ending = {"event": "error", "error": problem.name, "what": problem.message, "help": problem.help}
        return _report(environment, request, ending, problem.exit_code)
    _log_in(request, environment)
    events = _Events()
    pause = secrets.token_hex(16)
    # What agents and reviewers wrote is in the log: until the pause ends, no line of it is a command to the runner.
    echo(f"::stop-commands::{pause}")
    try:
        with redirect_stdout(events):
            code = run(arguments)
    finally:
        echo(f"::{pause}::")
    return _report(environment, request, events.last, code, _write_page(environment, events.last))


def _write_page(environment: Mapping[str, str], ending: Mapping[str, Any]) -> str:
    """Write the page of the run, which a later step attaches to the job. Return its path; empty: there is none."""
    run_id, folder = str(ending.get("run") or ""), environment.get("RUNNER_TEMP", "")
    if not run_id or not folder:
        return ""
    path = str(Path(folder, "reknit-run.html"))
    with redirect_stdout(io.StringIO()):
        return path if run(["show", run_id, "--format", "html", "--output", path]) == 0 else ""


class _Events(io.StringIO):
    """Stands in for stdout while a command prints JSON Lines: shows each event, and keeps the last."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Mapping[str, Any] = {}
        self._log = sys.stdout
        self._begun = ""

    def write(self, text: str) -> int:
        count = super().write(text)
        *lines, self._begun = f"{self._begun}{text}".split("\n")
        for line in lines:
            self.last = json.loads(line)
            self._log.write(f"{format_log_line(self.last)}\n")
            self._log.flush()
        return count


def _read_request(environment: Mapping[str, str]) -> ActionRequest:
    def read_input(input_name: str) -> str:
        return environment.get(f"INPUT_{input_name}", "").strip()

    return ActionRequest(
        command=read_input("COMMAND"),
        repository=environment.get("GITHUB_REPOSITORY", ""),
        server=environment.get("GITHUB_SERVER_URL") or _GITHUB,
        event_name=environment.get("GITHUB_EVENT_NAME", ""),
        event=_read_event(environment.get("GITHUB_EVENT_PATH", "")),
        agent=read_input("AGENT"),
        budget=read_input("BUDGET"),
        pull=read_input("PULL_REQUEST"),
        token=read_input("TOKEN"),
        job_token=environment.get("JOB_TOKEN", ""),
    )


def _read_event(path: str) -> Mapping[str, Any]:
    """Read the event; if that fails, it names no pull request, which is then an error."""
    try:
        event = json.loads(read_plain_text(Path(path)))
    except (OSError, ValueError, UsageError):
        return {}
    return event if isinstance(event, dict) else {}


def _log_in(request: ActionRequest, environment: Mapping[str, str]) -> None:
    """Set the token, for this server alone; remove the workflow's own, so that no agent's program finds it."""
    os.environ["GH_TOKEN"] = request.token
    for name in ("INPUT_TOKEN", "JOB_TOKEN", "GITHUB_TOKEN"):
        os.environ.pop(name, None)
    if request.server != _GITHUB:
        os.environ["GH_HOST"] = urlsplit(request.server).hostname or ""
    api = environment.get("GITHUB_API_URL", "")
    if api not in ("", _PUBLIC_API):
        os.environ.setdefault("REKNIT_FORGE__API", api)


def _report(
    environment: Mapping[str, str], request: ActionRequest, ending: Mapping[str, Any], code: int, page: str = ""
) -> int:
    ending = {**ending, "exit_code": code}
    hint = explain_missing_login(request) if ending.get("event") == "error" else ""
    for annotation in list_annotations(ending, hint):
        echo(render_annotation(annotation))
    _append(environment.get("GITHUB_STEP_SUMMARY", ""), render_summary(request.command, ending, hint))
    lines = "".join(f"{name}={value}\n" for name, value in (*to_outputs(ending).items(), ("page", page)))
    _append(environment.get("GITHUB_OUTPUT", ""), lines)
    return code


def _append(path: str, text: str) -> None:
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
