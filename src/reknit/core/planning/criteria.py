"""Parses acceptance criteria into checks that code can run.

A criterion that is only partly understood is not checked.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.gate.path_pattern import is_exact_path
from reknit.core.planning.validation.file_names import find_usual_name, is_path
from reknit.core.repository.paths import is_in_test_folder, is_test_file
from reknit.core.text.format import to_one_line

FactKind = Literal["exists", "absent", "contains", "lacks", "matches", "entries", "frontmatter", "lines"]
ALL_DOCS = "docs/**"
"""The path that stands for all Markdown in docs, and for files with frontmatter at the top of the repository."""
MAX_PATTERN_CHARS = 200
_MAX_RANGE_ENTRIES = 100


@dataclass(frozen=True)
class CommandCheck:
    """A command that is run in the box."""

    text: str
    """The criterion, as it was written."""
    command: str
    exit_code: int | None = 0
    """None: any but 0; 126 and 127 say that nothing was run, so they are neither."""
    prints: str = ""
    """Empty: whatever it prints."""


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
    paths: tuple[str, ...]
    values: tuple[str, ...] = ()
    """The text, the pattern, the versions, or the name and value in the frontmatter."""
    at_least: int = 0
    at_most: int = 0
    """0: any number."""


@dataclass(frozen=True)
class Unchecked:
    """A criterion that no code can check."""

    text: str
    why: str


Check = CommandCheck | ProjectTests | FactCheck | Unchecked

_CODE = r"`([^`]{1,500})`"
_PATH = r"`?([^\s`]{1,300})`?"
_FILE = rf"(?:the )?(?:file |folder |directory )?{_PATH}"
_QUOTED = r"(?:the )?(?:text |string |line |word )?(?:`([^`]{1,500})`|\"([^\"`]{1,500})\"|“([^”`]{1,500})”)"
_SPANS = re.compile(r"`[^`]*`")
_COMMAND = re.compile(
    rf"(?:running |the command )?{_CODE} (?:(passes|succeeds)"
    r"|(?:exits(?: with)?(?: an?)?(?: exit)?(?: code| status code| status)?(?: of)?"
    r"|returns(?: exit)? (?:code|status)) (\d{1,3}|zero|non-?zero)(?: and (?:prints|outputs) `([^`]{1,500})`)?"
    r"|(?:prints|outputs) `([^`]{1,500})`)",
    re.IGNORECASE,
)
_CALL = re.compile(r"[\w.]{1,100}\(")
"""A function: a shell would refuse it, and that must not pass for a command that is expected to fail."""
_ALL_TESTS = re.compile(
    r"(?:all |all the |the )?(?:existing )?tests pass|every test passes|the (?:whole |full )?test suite passes",
    re.IGNORECASE,
)
_TEST = re.compile(rf"(?:all )?(?:the )?(?:tests? (?:in )?)?{_PATH}(?: tests?)? pass(?:es)?", re.IGNORECASE)
_EXISTS = re.compile(rf"{_FILE} (exists|does not exist|doesn't exist|no longer exists)", re.IGNORECASE)
_BOTH_EXIST = re.compile(rf"(?:both )?{_PATH} and {_PATH} (?:both )?exist", re.IGNORECASE)
_CONTAINS = re.compile(
    rf"{_FILE} (?:exists and )?(contains|does not contain|doesn't contain|no longer contains) {_QUOTED}", re.IGNORECASE
)
_MATCHES = re.compile(rf"{_FILE} matches (?:the )?(?:regex |regular expression |pattern )?{_CODE}", re.IGNORECASE)
_LINES = re.compile(
    rf"{_FILE} (?:has|is|contains) (at least|at most|>=|<=|≥|≤) (\d{{1,6}}) lines?(?: long)?", re.IGNORECASE
)
_ENTRIES = re.compile(
    rf"{_FILE} (?:has|contains) (?:an? |the )?(?:entry|entries|sections?|headings?) for (.{{1,300}})", re.IGNORECASE
)
_FRONTMATTER = re.compile(
    rf"(?:((?:all|every|each) docs?)|{_FILE}) (?:has|have) `?([\w-]{{1,40}}): ?([\w.-]{{1,60}})`?"
    r"(?: in (?:its|their|the))? frontmatter",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(v?[\d.]{1,30}) ?(?:through|to|up to|-|–|until) ?(v?[\d.]{1,30})")
_LIST = re.compile(r",? and |, ")
_VERSION = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){0,3})")


def parse_criterion(text: str) -> Check:
    """Return the check that a criterion describes."""
    sentence = to_one_line(text).rstrip(".").strip()
    if _SPANS.findall(sentence) != _SPANS.findall(text):
        return Unchecked(text, "its code has characters that cannot be seen, or more than one blank in a row")
    check = _parse_command(text, sentence) or _parse_tests(text, sentence)
    if check:
        return check
    readers = (_parse_existence, _parse_content, _parse_pattern, _parse_line_count, _parse_entries, _parse_frontmatter)
    return next((fact for read in readers if (fact := read(text, sentence))), None) or Unchecked(
        text, "no code can tell it from a command, a test or a file"
    )


def _parse_command(text: str, sentence: str) -> CommandCheck | None:
    match = _COMMAND.fullmatch(sentence)
    if not match or (match[2] and _is_test(match[1])) or _CALL.match(match[1]):
        return None
    command, _, code, *printed = match.groups()
    prints = next(filter(None, printed), "")
    if (code or "").lower().startswith("non"):
        return CommandCheck(text, command, None, prints)
    return CommandCheck(text, command, int(code) if (code or "").isdigit() else 0, prints)


def _parse_tests(text: str, sentence: str) -> ProjectTests | None:
    if _ALL_TESTS.fullmatch(sentence):
        return ProjectTests(text)
    match = _TEST.fullmatch(sentence)
    return ProjectTests(text, match[1]) if match and _is_test(match[1]) else None


def _is_test(word: str) -> bool:
    path = word.partition("::")[0]
    if not is_exact_path(path.rstrip("/")) or path.endswith(".sh"):
        return False
    return is_test_file(path) or is_in_test_folder(path)


def _parse_existence(text: str, sentence: str) -> FactCheck | None:
    if both := _BOTH_EXIST.fullmatch(sentence):
        return _make_fact(text, "exists", both[1], both[2])
    match = _EXISTS.fullmatch(sentence)
    return _make_fact(text, "exists" if match[2].lower() == "exists" else "absent", match[1]) if match else None


def _parse_content(text: str, sentence: str) -> FactCheck | None:
    match = _CONTAINS.fullmatch(sentence)
    if not match:
        return None
    value = next(filter(None, match.groups()[2:]))
    return _make_fact(text, "contains" if match[2].lower() == "contains" else "lacks", match[1], values=(value,))


def _parse_pattern(text: str, sentence: str) -> FactCheck | Unchecked | None:
    match = _MATCHES.fullmatch(sentence)
    if match and len(match[2]) > MAX_PATTERN_CHARS:
        return Unchecked(text, f"its pattern is longer than {MAX_PATTERN_CHARS} characters")
    return _make_fact(text, "matches", match[1], values=(match[2],)) if match else None


def _parse_line_count(text: str, sentence: str) -> FactCheck | None:
    match = _LINES.fullmatch(sentence)
    if not match:
        return None
    fact, number = _make_fact(text, "lines", match[1]), int(match[3])
    if not fact or not number:
        return None
    is_low = match[2].lower() in ("at least", ">=", "≥")
    return replace(fact, at_least=number) if is_low else replace(fact, at_most=number)


def _parse_entries(text: str, sentence: str) -> FactCheck | None:
    match = _ENTRIES.fullmatch(sentence)
    versions = _parse_versions(match[2]) if match else ()
    return _make_fact(text, "entries", match[1], values=versions) if match and versions else None


def _parse_versions(text: str) -> tuple[str, ...]:
    """Return versions without the `v`; empty: no list of versions, and no range whose members are known."""
    if between := _RANGE.fullmatch(text):
        return _expand_range(*(_parse_version(version) for version in between.groups()))
    versions = tuple(_parse_version(version) for version in _LIST.split(text))
    return versions if all(versions) else ()


def _parse_version(text: str) -> str:
    match = _VERSION.fullmatch(text)
    return match[1] if match else ""


def _expand_range(first: str, last: str) -> tuple[str, ...]:
    """Expand 1.2 to 1.6. Only the last part may differ: nobody knows which versions came between 1.8 and 2.1."""
    prefix, _, low = first.rpartition(".")
    last_prefix, _, high = last.rpartition(".")
    if not low or not high or prefix != last_prefix or not 0 <= int(high) - int(low) < _MAX_RANGE_ENTRIES:
        return ()
    return tuple(f"{prefix}.{number}".lstrip(".") for number in range(int(low), int(high) + 1))


def _parse_frontmatter(text: str, sentence: str) -> FactCheck | None:
    match = _FRONTMATTER.fullmatch(sentence)
    if not match:
        return None
    field = (match[3], match[4])
    return (
        FactCheck(text, "frontmatter", (ALL_DOCS,), field)
        if match[1]
        else _make_fact(text, "frontmatter", match[2], values=field)
    )


def _make_fact(text: str, kind: FactKind, *paths: str, values: tuple[str, ...] = ()) -> FactCheck | None:
    """Return the check; None: one of the words is no path of a repository."""
    return FactCheck(text, kind, paths, values) if all(map(_is_path, paths)) else None


def _is_path(word: str) -> bool:
    is_one = is_exact_path(word.rstrip("/"))
    return is_one and bool(find_usual_name(word) or is_path(word, (), quoted=True))
