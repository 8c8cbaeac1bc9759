"""Judges an acceptance criterion by the texts of the files that it is about."""

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.planning.criteria import ALL_DOCS, FactCheck, FactKind
from reknit.core.planning.exploration.docs import documents_among
from reknit.core.planning.exploration.frontmatter import fields_of
from reknit.core.planning.validation.file_names import tracked_path, usual_path, well_known
from reknit.core.text.format import counted, first_and_more, words

CriterionState = Literal["passed", "failed", "unverified"]
_VERSION = re.compile(r"v(\d{1,6}(?:\.\d{1,6}){0,5})|(\d{1,6}(?:\.\d{1,6}){1,5})", re.IGNORECASE)
_HEADING = re.compile(
    r"[ ]{0,3}(?:#{1,6}[ ]|\*\*|\[|v?\d|[-*+] (?:\*\*|\[?v?\d)|(?:version|release)[ ])", re.IGNORECASE
)
PRESENCE: tuple[FactKind, ...] = ("exists", "absent")
"""What can be told without the text."""
_LONGEST_HEADING = 200
_SHOWN = 80


@dataclass(frozen=True)
class CriterionResult:
    state: CriterionState
    text: str
    """What was seen, or why nothing could be."""


def files_needed(check: FactCheck, tracked: Collection[str]) -> tuple[str, ...]:
    """Paths whose texts `judge_fact` needs; some may not exist."""
    if check.paths == (ALL_DOCS,):
        return documents_among(tuple(tracked))
    return tuple(dict.fromkeys(_resolved(path, tracked, any_below=check.kind in PRESENCE) for path in check.paths))


def judge_fact(check: FactCheck, files: Mapping[str, str | None], needed: Sequence[str]) -> CriterionResult:
    """`files`: path -> text, or None if there is none. `needed`: what `files_needed` answered; one of these that has no
    text here could not be read.

    A pattern is written by a model and may take forever: call this where it can be stopped.
    """
    if folders := [path for path in needed if path.endswith("/")]:
        return CriterionResult("unverified", f"a folder, and only the text of a file is looked at: {_names(folders)}")
    if unread := [path for path in needed if path not in files]:
        return CriterionResult("unverified", f"not read: {_names(unread)}")
    is_of_all = check.paths == (ALL_DOCS,)
    paths = [path for path in needed if not is_of_all or path.startswith("docs/") or _has_frontmatter(files[path])]
    if not paths:
        return CriterionResult("unverified", "there is no Markdown file in docs, and none with frontmatter beside it")
    there = {path: text for path in paths if (text := files[path]) is not None}
    if check.kind == "absent":
        return _result("passed", "not there", paths) if not there else _result("failed", "still there", list(there))
    if gone := [path for path in paths if path not in there]:
        return _result("failed", "not there", gone)
    return _judge_texts(check, there)


def _judge_texts(check: FactCheck, texts: Mapping[str, str]) -> CriterionResult:
    try:
        wrong = [
            f"{words(path, _SHOWN)}: {why}" for path, text in texts.items() if (why := _RULES[check.kind](check, text))
        ]
    except re.error as problem:
        return CriterionResult("unverified", f"its pattern is not a regular expression: {words(str(problem), _SHOWN)}")
    if wrong:
        return CriterionResult("failed", first_and_more(wrong, between="; "))
    return _result("passed", "seen in", list(texts))


def _result(state: CriterionState, what: str, paths: Sequence[str]) -> CriterionResult:
    return CriterionResult(state, f"{what}: {_names(paths)}")


def _names(paths: Sequence[str]) -> str:
    return first_and_more([words(path, _SHOWN) for path in paths])


def _has_frontmatter(text: str | None) -> bool:
    """At the top of a repository most Markdown has none: a README is read as it is."""
    return any(fields_of(text or ""))


def _resolved(path: str, known: Collection[str], *, any_below: bool) -> str:
    """The file that is meant: of a usual name, or any one below a folder. What one of several files says tells nothing
    about the others: without `any_below`, a folder is the folder, with a `/` at its end."""
    plain = path.rstrip("/")
    if plain in known:
        return plain
    if key := well_known(plain):
        return tracked_path(key, {each.lower(): each for each in known}) or usual_path(key)
    below = min((each for each in known if each.startswith(f"{plain}/")), default="")
    return (below if any_below else f"{plain}/") if below else plain


def _exists(_check: FactCheck, _text: str) -> str:
    return ""


def _contains(check: FactCheck, text: str) -> str:
    return "" if check.values[0] in text else f"`{words(check.values[0], _SHOWN)}` is not in it"


def _lacks(check: FactCheck, text: str) -> str:
    return f"`{words(check.values[0], _SHOWN)}` is in it" if check.values[0] in text else ""


def _matches(check: FactCheck, text: str) -> str:
    with warnings.catch_warnings(action="ignore"):  # about syntax that will mean something else one day
        pattern = re.compile(check.values[0], re.MULTILINE)
    return "" if pattern.search(text) else f"nothing in it matches `{words(check.values[0], _SHOWN)}`"


def _lines(check: FactCheck, text: str) -> str:
    found = len(text.splitlines())
    is_right = check.at_least <= found <= (check.at_most or found)
    return "" if is_right else f"it has {counted(found, 'line')}"


def _entries(check: FactCheck, text: str) -> str:
    """1.2.0 is an entry for 1.2; a version that a sentence only mentions is not."""
    found = [version.split(".") for line in text.splitlines() if (version := _headed(line))]
    lacking = [
        f"v{wanted}" for wanted in check.values
        if not any(version[: len(parts)] == parts for parts in [wanted.split(".")] for version in found)
    ]  # fmt: skip
    return f"it has no entry for {first_and_more(lacking)}" if lacking else ""


def _headed(line: str) -> str:
    """The first version in a heading; empty: the line is none, or names none."""
    found = _VERSION.search(line[:_LONGEST_HEADING]) if _HEADING.match(line) else None
    return (found[1] or found[2]) if found else ""


def _has_field(check: FactCheck, text: str) -> str:
    name, wanted = check.values
    fields, problem = fields_of(text)
    found = dict(fields).get(name)
    if found is None and problem:
        return problem
    if found is None:
        return f"its frontmatter has no `{name}`"
    return "" if found == wanted else f"its `{name}` is `{words(found, _SHOWN)}`"


_RULES: Mapping[FactKind, Callable[[FactCheck, str], str]] = {
    "exists": _exists,
    "contains": _contains,
    "lacks": _lacks,
    "matches": _matches,
    "lines": _lines,
    "entries": _entries,
    "frontmatter": _has_field,
}
"""Why the text of a file is not as it should be; empty: it is."""
