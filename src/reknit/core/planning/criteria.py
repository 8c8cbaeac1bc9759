"""Reads acceptance criteria that a program can check: `run: COMMAND`, `test: FILE` and `file: PATH contains TEXT`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from reknit.core.gate.path_pattern import is_exact_path
from reknit.core.text.format import SLIP, suggest_similar

FactKind = Literal["exists", "absent", "contains", "lacks", "matches"]
MAX_PATTERN_CHARS = 200
ALL_TESTS = "all"
FORMS = (
    "run: COMMAND", "test: all", "test: FILE", "test: FILE::NAME", "file: PATH exists", "file: PATH absent",
    "file: PATH contains TEXT", "file: PATH lacks TEXT", "file: PATH matches PATTERN",
)  # fmt: skip
"""Forms of a criterion that a program can check. A command passes with exit code 0."""


@dataclass(frozen=True)
class CommandCheck:
    """A command that is run in the box, and passes with exit code 0."""

    text: str
    """The criterion, as it was written."""
    command: str


@dataclass(frozen=True)
class ProjectTests:
    """Tests that the project's own test command runs."""

    text: str
    test: str = ""
    """A file, or a test in it as `FILE::NAME`; empty: all of them."""


@dataclass(frozen=True)
class FactCheck:
    """A property of the text of a file."""

    text: str
    kind: FactKind
    path: str
    value: str = ""
    """The text or the pattern."""


@dataclass(frozen=True)
class Unchecked:
    """A criterion that a person checks."""

    text: str
    why: str


Check = CommandCheck | ProjectTests | FactCheck | Unchecked


def parse_criterion(text: str) -> Check:
    """Return the check that a criterion describes; prose is for a person."""
    name, _, rest = text.partition(":")
    operand = rest.strip()
    if name == "run":
        return CommandCheck(text, _unquote(operand)) if _unquote(operand) else Unchecked(text, "it names no command")
    if name == "test":
        return _parse_test(text, _unquote(operand))
    if name == "file":
        return _parse_fact(text, operand)
    hint = suggest_similar(f"{name.strip('` ')}:", ("run:", "test:", "file:"), SLIP) if rest else ""
    return Unchecked(text, f"a person checks it; {hint}" if hint else "a person checks it")


def _parse_test(text: str, operand: str) -> Check:
    if operand == ALL_TESTS:
        return ProjectTests(text)
    path = operand.partition("::")[0].rstrip("/")
    return ProjectTests(text, operand) if is_exact_path(path) else Unchecked(text, "it names no test: all or a file")


def _parse_fact(text: str, operand: str) -> Check:
    path, rest = _split_path(operand)
    kind, _, value = rest.partition(" ")
    value = _unquote(value.strip())
    fact_kind = next((fact_kind for fact_kind in get_args(FactKind) if fact_kind == kind), None)
    if not fact_kind:
        forms = " or ".join(get_args(FactKind))
        return Unchecked(text, f"it is not `file: PATH {forms} …`; a path with blanks stands between backticks")
    if not is_exact_path(path.rstrip("/")):
        return Unchecked(text, "its path is not that of one file in the repository")
    if bool(value) == (fact_kind in ("exists", "absent")):
        return Unchecked(text, f"`{kind}` stands before a text" if not value else f"`{kind}` stands at the end")
    if fact_kind == "matches" and len(value) > MAX_PATTERN_CHARS:
        return Unchecked(text, f"its pattern is longer than {MAX_PATTERN_CHARS} characters")
    return FactCheck(text, fact_kind, path, value)


def _split_path(operand: str) -> tuple[str, str]:
    """Return the path and the rest; a path with blanks stands between backticks."""
    if operand.startswith("`"):
        path, _, rest = operand[1:].partition("`")
    else:
        path, _, rest = operand.partition(" ")
    return path, rest.strip()


def _unquote(text: str) -> str:
    """Remove backticks around a text that has no others."""
    is_quoted = len(text) > 1 and text[0] == text[-1] == "`" and text.count("`") == 2
    return text[1:-1] if is_quoted else text


def find_path(criterion: str) -> str:
    """Return the file that a criterion is about; empty: none, so any change may affect it."""
    check = parse_criterion(criterion)
    if isinstance(check, FactCheck):
        return check.path
    return check.test.partition("::")[0] if isinstance(check, ProjectTests) else ""


def find_due_criteria(criteria: Sequence[str], files_by_task: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], ...]:
    """Return the criteria to check after each task: those about a file that no later task names."""
    last_tasks = [
        max((number for number, files in enumerate(files_by_task) if path and path in files), default=-1)
        for path in map(find_path, criteria)
    ]
    return tuple(
        tuple(criterion for criterion, last in enumerate(last_tasks) if last == number)
        for number in range(len(files_by_task))
    )
