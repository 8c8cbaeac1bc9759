"""What code can check about an acceptance criterion. One that is only partly understood is not checked."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.gate.path_pattern import names_one
from reknit.core.planning.validation.file_names import is_path, well_known
from reknit.core.repository.paths import is_in_test_folder, is_test_file
from reknit.core.text.format import one_line

FactKind = Literal["exists", "absent", "contains", "lacks", "matches", "entries", "frontmatter", "lines"]
ALL_DOCS = "docs/**"
"""As a path: all Markdown in docs, and what has frontmatter at the top of the repository."""
LONGEST_PATTERN = 200
_MOST_ENTRIES = 100


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
    """Something that the text of a file shows."""

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
    said = one_line(text).rstrip(".").strip()
    if _SPANS.findall(said) != _SPANS.findall(text):
        return Unchecked(text, "its code has characters that cannot be seen, or more than one blank in a row")
    found = _command(text, said) or _tests(text, said)
    if found:
        return found
    readers = (_existence, _content, _pattern, _lines, _entries, _frontmatter)
    return next((fact for read in readers if (fact := read(text, said))), None) or Unchecked(
        text, "no code can tell it from a command, a test or a file"
    )


def _command(text: str, said: str) -> CommandCheck | None:
    found = _COMMAND.fullmatch(said)
    if not found or (found[2] and _is_test(found[1])) or _CALL.match(found[1]):
        return None
    command, _, code, *printed = found.groups()
    prints = next(filter(None, printed), "")
    if (code or "").lower().startswith("non"):
        return CommandCheck(text, command, None, prints)
    return CommandCheck(text, command, int(code) if (code or "").isdigit() else 0, prints)


def _tests(text: str, said: str) -> ProjectTests | None:
    if _ALL_TESTS.fullmatch(said):
        return ProjectTests(text)
    found = _TEST.fullmatch(said)
    return ProjectTests(text, found[1]) if found and _is_test(found[1]) else None


def _is_test(word: str) -> bool:
    path = word.partition("::")[0]
    if not names_one(path.rstrip("/")) or path.endswith(".sh"):
        return False
    return is_test_file(path) or is_in_test_folder(path)


def _existence(text: str, said: str) -> FactCheck | None:
    if both := _BOTH_EXIST.fullmatch(said):
        return _fact(text, "exists", both[1], both[2])
    found = _EXISTS.fullmatch(said)
    return _fact(text, "exists" if found[2].lower() == "exists" else "absent", found[1]) if found else None


def _content(text: str, said: str) -> FactCheck | None:
    found = _CONTAINS.fullmatch(said)
    if not found:
        return None
    value = next(filter(None, found.groups()[2:]))
    return _fact(text, "contains" if found[2].lower() == "contains" else "lacks", found[1], values=(value,))


def _pattern(text: str, said: str) -> FactCheck | Unchecked | None:
    found = _MATCHES.fullmatch(said)
    if found and len(found[2]) > LONGEST_PATTERN:
        return Unchecked(text, f"its pattern is longer than {LONGEST_PATTERN} characters")
    return _fact(text, "matches", found[1], values=(found[2],)) if found else None


def _lines(text: str, said: str) -> FactCheck | None:
    found = _LINES.fullmatch(said)
    if not found:
        return None
    fact, number = _fact(text, "lines", found[1]), int(found[3])
    if not fact or not number:
        return None
    is_low = found[2].lower() in ("at least", ">=", "≥")
    return replace(fact, at_least=number) if is_low else replace(fact, at_most=number)


def _entries(text: str, said: str) -> FactCheck | None:
    found = _ENTRIES.fullmatch(said)
    versions = _versions(found[2]) if found else ()
    return _fact(text, "entries", found[1], values=versions) if found and versions else None


def _versions(text: str) -> tuple[str, ...]:
    """Without the `v`; empty: it is no list of versions and no range whose members are known."""
    if between := _RANGE.fullmatch(text):
        return _range(*(_version(each) for each in between.groups()))
    listed = tuple(_version(each) for each in _LIST.split(text))
    return listed if all(listed) else ()


def _version(text: str) -> str:
    found = _VERSION.fullmatch(text)
    return found[1] if found else ""


def _range(first: str, last: str) -> tuple[str, ...]:
    """1.2 to 1.6: only the last part may differ, for nobody knows which came between 1.8 and 2.1."""
    prefix, _, low = first.rpartition(".")
    last_prefix, _, high = last.rpartition(".")
    if not low or not high or prefix != last_prefix or not 0 <= int(high) - int(low) < _MOST_ENTRIES:
        return ()
    return tuple(f"{prefix}.{number}".lstrip(".") for number in range(int(low), int(high) + 1))


def _frontmatter(text: str, said: str) -> FactCheck | None:
    found = _FRONTMATTER.fullmatch(said)
    if not found:
        return None
    field = (found[3], found[4])
    return (
        FactCheck(text, "frontmatter", (ALL_DOCS,), field)
        if found[1]
        else _fact(text, "frontmatter", found[2], values=field)
    )


def _fact(text: str, kind: FactKind, *paths: str, values: tuple[str, ...] = ()) -> FactCheck | None:
    """None: one of the words is no path of a repository."""
    return FactCheck(text, kind, paths, values) if all(map(_is_path, paths)) else None


def _is_path(word: str) -> bool:
    is_one = names_one(word.rstrip("/"))
    return is_one and bool(well_known(word) or is_path(word, (), quoted=True))
