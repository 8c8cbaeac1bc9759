"""Judges an acceptance criterion by the texts of files, or by how its command ended."""

import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import FactCheck, FactKind
from reknit.core.services.failure import ServiceFailure
from reknit.core.text.format import sanitize_line

CriterionState = Literal["passed", "failed", "unverified"]
PRESENCE: tuple[FactKind, ...] = ("exists", "absent")
"""Checks that need no text."""
_SHOWN = 80
_STOPPED = {"wall": "took too long", "idle": "was silent for too long", "output": "printed too much"}
_NOT_STARTED = frozenset({125, 126, 127})
"""The box was not built, the program is not executable, the program was not found."""
_KILLED = 137
"""Exit code of a shell or a box after signal 9."""
_MISSING = (": not found", ": command not found")
_WRONG = ("Syntax error", "syntax error", "unexpected EOF")
_SHOWN_OUTPUT = 160


@dataclass(frozen=True)
class CriterionResult:
    """The judgement on one acceptance criterion."""

    state: CriterionState
    text: str
    """Evidence, or why there is none."""


def find_file(check: FactCheck, tracked: Collection[str]) -> str:
    """Return the path whose text `judge_fact` needs; for a check of presence, any file below a folder is enough."""
    plain = check.path.rstrip("/")
    if plain in tracked:
        return plain
    below = min((file for file in tracked if file.startswith(f"{plain}/")), default="")
    return (below if check.kind in PRESENCE else f"{plain}/") if below else plain


def judge_fact(check: FactCheck, path: str, text: str | None) -> CriterionResult:
    """Judge a fact by the text of its file, or None if there is none.

    A pattern is written by a model and may take forever: call this where it can be stopped.
    """
    name = sanitize_line(path, _SHOWN)
    if path.endswith("/"):
        return CriterionResult("unverified", f"a folder, and only the text of a file is looked at: {name}")
    if text is None:
        return CriterionResult("passed" if check.kind == "absent" else "failed", f"not there: {name}")
    if check.kind == "absent":
        return CriterionResult("failed", f"still there: {name}")
    value = sanitize_line(check.value, _SHOWN)
    if check.kind == "contains" and check.value not in text:
        return CriterionResult("failed", f"{name}: `{value}` is not in it")
    if check.kind == "lacks" and check.value in text:
        return CriterionResult("failed", f"{name}: `{value}` is in it")
    if check.kind == "matches":
        return _judge_pattern(check, name, text)
    return CriterionResult("passed", f"seen in: {name}")


def _judge_pattern(check: FactCheck, name: str, text: str) -> CriterionResult:
    try:
        with warnings.catch_warnings(action="ignore"):  # about syntax that will mean something else one day
            pattern = re.compile(check.value, re.MULTILINE)
    except re.error as problem:
        why = f"its pattern is not a regular expression: {sanitize_line(str(problem), _SHOWN)}"
        return CriterionResult("unverified", why)
    if pattern.search(text):
        return CriterionResult("passed", f"seen in: {name}")
    return CriterionResult("failed", f"{name}: nothing in it matches `{sanitize_line(check.value, _SHOWN)}`")


def judge_command(result: CommandResult) -> CriterionResult:
    """Judge a criterion by its command. A program that the machine lacks says nothing about the work."""
    if why := _explain_no_result(result):
        return CriterionResult("unverified", f"the command {why}")
    if not result.exit_code:
        return CriterionResult("passed", "exit code 0")
    printed = result.stderr.decode("utf-8", "replace").strip() or result.stdout.decode("utf-8", "replace").strip()
    output = sanitize_line(printed[-_SHOWN_OUTPUT:])
    return CriterionResult("failed", f"exit code {result.exit_code}" + (f": {output}" if output else ""))


def _explain_no_result(result: CommandResult) -> str:
    if result.reason != "exit":
        return _STOPPED[result.reason]
    if isinstance(result.services, ServiceFailure) or result.services == "unknown":
        return "was not started: a service beside it was not ready"
    if result.exit_code in _NOT_STARTED:
        return f"could not start (exit code {result.exit_code})"
    if result.exit_code < 0:
        return f"was killed by signal {-result.exit_code}"
    if result.exit_code == _KILLED:
        return f"was killed, which a lack of memory may do (exit code {_KILLED})"
    return _explain_not_run(result.stderr.decode("utf-8", "replace"))


def _explain_not_run(stderr: str) -> str:
    """Detect shell failures that the exit code hides.

    `! nosuch` and `test -z "$(nosuch)"` end with 0, and a quote without an end is no expected failure.
    """
    for line in stderr.splitlines():
        if "sh: " in line and line.endswith(_MISSING):
            return f"did not find a program: {sanitize_line(line, _SHOWN_OUTPUT)}"
        if line.startswith("sh: ") and any(word in line for word in _WRONG):
            return f"is not one that a shell can read: {sanitize_line(line, _SHOWN_OUTPUT)}"
    return ""
