"""Judges an acceptance criterion by the texts of files, or by how its command ended."""

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import ALL_DOCS, CommandCheck, FactCheck, FactKind
from reknit.core.planning.exploration.docs import select_documents
from reknit.core.planning.exploration.frontmatter import parse_frontmatter
from reknit.core.planning.validation.file_names import find_tracked_path, find_usual_name, find_usual_path
from reknit.core.services.failure import ServiceFailure
from reknit.core.text.format import join_and_count, pluralize, sanitize_line

CriterionState = Literal["passed", "failed", "unverified"]
_VERSION = re.compile(r"v(\d{1,6}(?:\.\d{1,6}){0,5})|(\d{1,6}(?:\.\d{1,6}){1,5})", re.IGNORECASE)
_HEADING = re.compile(
    r"[ ]{0,3}(?:#{1,6}[ ]|\*\*|\[|v?\d|[-*+] (?:\*\*|\[?v?\d)|(?:version|release)[ ])", re.IGNORECASE
)
PRESENCE: tuple[FactKind, ...] = ("exists", "absent")
"""Checks that need no text."""
_MAX_HEADING_CHARS = 200
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


def list_needed_files(check: FactCheck, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the paths whose texts `judge_fact` needs; some may not exist."""
    if check.paths == (ALL_DOCS,):
        return select_documents(tuple(tracked))
    return tuple(dict.fromkeys(_resolve_path(path, tracked, any_below=check.kind in PRESENCE) for path in check.paths))


def judge_fact(check: FactCheck, files: Mapping[str, str | None], needed_paths: Sequence[str]) -> CriterionResult:
    """Judge a fact by the texts of its files.

    `files`: path -> text, or None if there is none. `needed_paths`: the answer of `list_needed_files`; one of these
    that has no text here could not be read. A pattern is written by a model and may take forever: call this where
    it can be stopped.
    """
    if folders := [path for path in needed_paths if path.endswith("/")]:
        return CriterionResult(
            "unverified", f"a folder, and only the text of a file is looked at: {_list_paths(folders)}"
        )
    if unread := [path for path in needed_paths if path not in files]:
        return CriterionResult("unverified", f"not read: {_list_paths(unread)}")
    is_of_all = check.paths == (ALL_DOCS,)
    paths = [
        path for path in needed_paths if not is_of_all or path.startswith("docs/") or _has_frontmatter(files[path])
    ]
    if not paths:
        return CriterionResult("unverified", "there is no Markdown file in docs, and none with frontmatter beside it")
    texts = {path: text for path in paths if (text := files[path]) is not None}
    if check.kind == "absent":
        return (
            _make_result("passed", "not there", paths)
            if not texts
            else _make_result("failed", "still there", list(texts))
        )
    if missing_paths := [path for path in paths if path not in texts]:
        return _make_result("failed", "not there", missing_paths)
    return _judge_texts(check, texts)


def _judge_texts(check: FactCheck, texts: Mapping[str, str]) -> CriterionResult:
    try:
        failures = [
            f"{sanitize_line(path, _SHOWN)}: {why}"
            for path, text in texts.items()
            if (why := _RULES[check.kind](check, text))
        ]
    except re.error as problem:
        return CriterionResult(
            "unverified", f"its pattern is not a regular expression: {sanitize_line(str(problem), _SHOWN)}"
        )
    if failures:
        return CriterionResult("failed", join_and_count(failures, between="; "))
    return _make_result("passed", "seen in", list(texts))


def _make_result(state: CriterionState, summary: str, paths: Sequence[str]) -> CriterionResult:
    return CriterionResult(state, f"{summary}: {_list_paths(paths)}")


def _list_paths(paths: Sequence[str]) -> str:
    return join_and_count([sanitize_line(path, _SHOWN) for path in paths])


def _has_frontmatter(text: str | None) -> bool:
    """Return True if a text has fields. Most Markdown at the top of a repository has none."""
    return any(parse_frontmatter(text or ""))


def _resolve_path(path: str, tracked: Collection[str], *, any_below: bool) -> str:
    """Return the file that a path means: of a usual name, or any one below a folder.

    One of several files says nothing about the others: without `any_below`, a folder stays a folder, with a `/` at
    its end.
    """
    plain = path.rstrip("/")
    if plain in tracked:
        return plain
    if key := find_usual_name(plain):
        return find_tracked_path(key, {path.lower(): path for path in tracked}) or find_usual_path(key)
    below = min((file for file in tracked if file.startswith(f"{plain}/")), default="")
    return (below if any_below else f"{plain}/") if below else plain


def _check_exists(_check: FactCheck, _text: str) -> str:
    return ""


def _check_contains(check: FactCheck, text: str) -> str:
    return "" if check.values[0] in text else f"`{sanitize_line(check.values[0], _SHOWN)}` is not in it"


def _check_lacks(check: FactCheck, text: str) -> str:
    return f"`{sanitize_line(check.values[0], _SHOWN)}` is in it" if check.values[0] in text else ""


def _check_matches(check: FactCheck, text: str) -> str:
    with warnings.catch_warnings(action="ignore"):  # about syntax that will mean something else one day
        pattern = re.compile(check.values[0], re.MULTILINE)
    return "" if pattern.search(text) else f"nothing in it matches `{sanitize_line(check.values[0], _SHOWN)}`"


def _check_line_count(check: FactCheck, text: str) -> str:
    count = len(text.splitlines())
    is_right = check.at_least <= count <= (check.at_most or count)
    return "" if is_right else f"it has {pluralize(count, 'line')}"


def _check_entries(check: FactCheck, text: str) -> str:
    """Look for a heading per version. 1.2.0 is an entry for 1.2; a version that a sentence only mentions is not."""
    versions = [version.split(".") for line in text.splitlines() if (version := _find_heading_version(line))]
    lacking = [
        f"v{expected}" for expected in check.values
        if not any(version[: len(parts)] == parts for parts in [expected.split(".")] for version in versions)
    ]  # fmt: skip
    return f"it has no entry for {join_and_count(lacking)}" if lacking else ""


def _find_heading_version(line: str) -> str:
    """Return the first version in a heading; empty: the line is no heading, or names none."""
    match = _VERSION.search(line[:_MAX_HEADING_CHARS]) if _HEADING.match(line) else None
    return (match[1] or match[2]) if match else ""


def _check_frontmatter(check: FactCheck, text: str) -> str:
    name, expected = check.values
    fields, problem = parse_frontmatter(text)
    value = dict(fields).get(name)
    if value is None and problem:
        return problem
    if value is None:
        return f"its frontmatter has no `{name}`"
    return "" if value == expected else f"its `{name}` is `{sanitize_line(value, _SHOWN)}`"


_RULES: Mapping[FactKind, Callable[[FactCheck, str], str]] = {
    "exists": _check_exists,
    "contains": _check_contains,
    "lacks": _check_lacks,
    "matches": _check_matches,
    "lines": _check_line_count,
    "entries": _check_entries,
    "frontmatter": _check_frontmatter,
}
"""Each rule returns why a file's text fails the check; empty: it passes."""


def judge_command(check: CommandCheck, result: CommandResult) -> CriterionResult:
    """Judge a criterion by its command. A program that the machine lacks says nothing about the work."""
    if why := _explain_no_result(result, check.exit_code):
        return CriterionResult("unverified", f"the command {why}")
    printed = result.stdout.decode("utf-8", "replace")
    is_right = result.exit_code != 0 if check.exit_code is None else result.exit_code == check.exit_code
    if not is_right:
        output = sanitize_line((result.stderr.decode("utf-8", "replace").strip() or printed.strip())[-_SHOWN_OUTPUT:])
        return CriterionResult("failed", f"exit code {result.exit_code}" + (f": {output}" if output else ""))
    if check.prints and not _is_printed(check.prints, printed):
        return CriterionResult("failed", f"it did not print `{sanitize_line(check.prints, _SHOWN_OUTPUT)}`")
    return CriterionResult("passed", f"exit code {result.exit_code}")


def _explain_no_result(result: CommandResult, expected_code: int | None) -> str:
    if result.reason != "exit":
        return _STOPPED[result.reason]
    if isinstance(result.services, ServiceFailure) or result.services == "unknown":
        return "was not started: a service beside it was not ready"
    if result.exit_code in _NOT_STARTED:
        return f"could not start (exit code {result.exit_code})"
    if result.exit_code < 0:
        return f"was killed by signal {-result.exit_code}"
    if result.exit_code == _KILLED != expected_code:
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


def _is_printed(expected: str, printed: str) -> bool:
    """Return True if it is printed, with numbers as a whole: `0` is not printed by `10`, `0.5` or `-0`."""
    at = printed.find(expected)
    while at >= 0:
        end = at + len(expected)
        begins_inside = expected[0].isdigit() and _ends_in_number(printed[max(at - 2, 0) : at])
        ends_inside = expected[-1].isdigit() and _begins_with_number(printed[end : end + 2])
        if not begins_inside and not ends_inside:
            return True
        at = printed.find(expected, at + 1)
    return False


def _ends_in_number(two: str) -> bool:
    last, other = two[-1:], two[:-1]
    return last.isdigit() or (last in (".", ",") and other.isdigit()) or (last == "-" and not other.isalnum())


def _begins_with_number(two: str) -> bool:
    return two[:1].isdigit() or (two[:1] in (".", ",") and two[1:].isdigit())
