"""Groups failures by cause: same words apart from numbers, paths and parameters, raised in the same place."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from reknit.core.finding import Finding
from reknit.core.repository.paths import is_in_test_folder, is_test_file

_PLACE = r"(node:[^\s():]+|(?=[^\s()\"']*?[./])[^\s()\"']+?):(\d+)"
_INNER_FIRST = (
    re.compile(r"\s*(?:at|❯|-->)\s(?:.*[\s(])?" + _PLACE + r"(?::\d+)?\)?\s*$"),  # JavaScript, the JVM, Rust
    re.compile(r"\s*thread '.*' (?:\(\d+\) )?panicked at (?:'.*', )?" + _PLACE + r":"),
)
_INNER_LAST = (
    re.compile(r"\s*File \"([^\"]+)\", line (\d+)"),  # a Python traceback
    re.compile(r"\s*" + _PLACE + r":(?:\d+:)?(?:\s|$)"),  # pytest, Go, compilers
)
_FOREIGN = re.compile(
    r"site-packages|dist-packages|node_modules|node:|/lib/python\d|/usr/lib/|/rustc/|\.cargo/registry|/go/src/|/go/pkg/"
    r"|/gems/|<frozen|\bat (?:[\w.]+/)?(?:java|javax|jdk|sun|kotlin|scala|org\.(?:junit|gradle|testng|hamcrest|assertj)"
    r"|org\.apache\.maven)\."
)
_MAX_LINE_CHARS = 400
_MAX_LINES = 5_000
"""Real frames are shorter and real stacks shallower; this bounds the search in hostile text and whole logs."""


@dataclass(frozen=True)
class Frame:
    """One stack frame in the output of a failing test."""

    index: int
    """Index of its line in the text."""
    path: str
    line: str
    is_deepest: bool
    """The failure was raised in this very line, not in foreign code called from it."""


def find_own_frame(lines: Sequence[str]) -> Frame | None:
    """Return the deepest frame in the repository's own code; None if no known form is found."""
    stack = _find_frames(lines, _INNER_FIRST) or _find_frames(lines, _INNER_LAST)[::-1]
    for depth, (index, match) in enumerate(stack):
        if not _FOREIGN.search(match.string):
            return Frame(index, match[1].removeprefix("file://"), match[2], is_deepest=depth == 0)
    return None


def _find_frames(lines: Sequence[str], forms: Sequence[re.Pattern[str]]) -> list[tuple[int, re.Match[str]]]:
    return [
        (index, match)
        for index, line in enumerate(lines[-_MAX_LINES:], max(len(lines) - _MAX_LINES, 0))
        if ":" in line or "line " in line
        for form in forms
        if (match := form.match(line[:_MAX_LINE_CHARS]))
    ]


_MAX_HEADLINE_CHARS = 400
_OPENERS = re.compile(
    r"(?:E\s+)?(?:failed|failure|error|assertionerror|traceback \(most recent call last\)"
    r"|=== (?:run|cont|pause)\b(?s:.*+)|thread '.*panicked at (?s:.*+)|collection failure|test (?:failed|error)"
    r"|failed on (?:setup|teardown) with \"file (?s:.*+))?[.:]*",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"(?:E\s+)?(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Exit|Warning|Group)\b")
_TIMEOUT = re.compile(r"time[ds]?[ -]?out|deadline exceeded", re.IGNORECASE)
_SOURCE = re.compile(r">\s+(\S.*)")

_MARK = "\0"
_NUMBER = r"-?\d+(?:[._,]\d+)*(?:[eE][+-]?\d+)?"
_VALUES = re.compile(
    r"(?P<any>(?<![\w\]])\[(?=[\d'\"\[({-])[^\[\]]{0,400}\]|\{(?=['\"\d])[^{}]{0,400}\}"
    r"|\b(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,+Z-]*|0x[0-9a-fA-F]+"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b))"
    r"|(?P<name>(?<!\w)(?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`)(?!\w)|(?<![\w.])\.{0,2}/[\w.@+/-]+)"
    rf"|(?P<number>(?<![A-Za-z_]){_NUMBER}(?:,\s*{_NUMBER})*)"
)
_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[A-Za-z]{3,}")
# Words that occur in every comparison and do not say what was compared.
_COMPARISON_WORD = re.compile(
    r"actual|and|are|assert|assertion|assertionerror|but|deeply|equal|equality|equals|error|exception|expect|expected|fail"
    r"|failed|false|got|have|left|not|none|null|object|received|right|same|should|strictly|tobe|toequal|tostrictequal"
    r"|true|undefined|value|values|want|was|were",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Failure:
    """A finding, taken apart for comparison with other failures."""

    finding: Finding
    headline: str
    shape: str
    """The headline with each value replaced by a mark."""
    values: tuple[tuple[str, str], ...]
    """Kind and text of each value, in order; the text is empty if it is the test's own parameter."""
    place: str
    """Separates failures of the same shape: the raising line, the compared expression, or the test file."""


@dataclass(frozen=True)
class Group:
    """Failures with one likely cause."""

    findings: tuple[Finding, ...]
    headline: str


def group_failures(findings: Sequence[Finding], *, most: int) -> list[Group]:
    """Group failures, as finely as `most` groups allow: largest first, ties in their original order."""
    failures = [_parse_failure(finding) for finding in findings]
    cause_names = _find_cause_names(failures)
    keys: Sequence[Callable[[Failure], Hashable]] = (
        lambda failure: (failure.shape, cause_names[failure.finding], failure.place),
        lambda failure: (failure.shape, cause_names[failure.finding]),
        lambda failure: failure.shape,
    )
    groups: list[Group] = []
    for key in keys:
        groups = _group_by(failures, key)
        if len(groups) <= most:
            break
    return groups


def find_headline(lines: Sequence[str]) -> int:
    """Return the index of the line that says what went wrong; runners print openers before it."""
    filled_indexes = [index for index, line in enumerate(lines) if line.strip()]
    if not filled_indexes:
        return 0
    if lines[filled_indexes[0]].startswith("Traceback"):
        exceptions = [index for index in filled_indexes if _EXCEPTION.match(lines[index])]
        return exceptions[-1] if exceptions else filled_indexes[-1]
    statements = [index for index in filled_indexes if not _OPENERS.fullmatch(lines[index].strip())]
    if statements[:1] == filled_indexes[:1]:
        return filled_indexes[0]
    return next((index for index in statements if lines[index].startswith("E ")), (statements or filled_indexes)[0])


def find_source_line(lines: Sequence[str]) -> int | None:
    """Return the index of the source line that failed, if the runner shows it (pytest)."""
    return next((index for index in reversed(range(len(lines))) if _SOURCE.match(lines[index])), None)


def mask_values(text: str) -> str:
    """Replace each value in the text by a mark, so that failures with other values compare as equal."""
    return _VALUES.sub(_MARK, " ".join(text.split()))


def _group_by(failures: Sequence[Failure], key: Callable[[Failure], Hashable]) -> list[Group]:
    members: dict[Hashable, list[Failure]] = {}
    for failure in failures:
        members.setdefault(key(failure), []).append(failure)
    largest = sorted(members.values(), key=len, reverse=True)
    return [Group(tuple(failure.finding for failure in group), group[0].headline) for group in largest]


def _parse_failure(finding: Finding) -> Failure:
    lines = finding.message.splitlines()
    words = " ".join(lines[find_headline(lines)].split())[:_MAX_HEADLINE_CHARS] if lines else ""
    headline = words.removeprefix("E ").strip()
    plain, _, parameters = finding.subject.rpartition("::")[2].partition("[")
    # A shorter name may also be an ordinary word.
    text = headline.replace(finding.subject, _MARK).replace(plain, _MARK) if len(plain) > 5 else headline
    # A title made of words has its parameters anywhere in it.
    own = parameters or (plain if " " in plain else "")
    values = tuple(_parse_value(match, own) for match in _VALUES.finditer(text))
    return Failure(finding, headline, mask_values(text), values, _locate_failure(finding, lines, headline))


def _parse_value(match: re.Match[str], own: str) -> tuple[str, str]:
    kind, text = str(match.lastgroup), match[0]
    if kind == "any":
        return kind, ""
    if kind == "number":
        return kind, text
    word = text.strip("'\"`")
    return kind, "" if word and word in own else _DIGITS.sub("#", word.rstrip("/").rpartition("/")[2])


def _locate_failure(finding: Finding, lines: Sequence[str], headline: str) -> str:
    if _TIMEOUT.search(headline):
        return ""  # the line that was running at the timeout is arbitrary
    frame = find_own_frame(lines)
    if frame and frame.is_deepest and not _is_of_tests(frame.path, finding.file):
        return f"{frame.path}:{frame.line}"
    if _says_what_differs(headline):
        return ""
    source = find_source_line(lines)
    expression = lines[source][1:] if source is not None else ""
    return (
        mask_values(expression)
        if _says_what_differs(expression)
        else finding.file or finding.subject.rpartition("::")[0]
    )


def _is_of_tests(path: str, file: str) -> bool:
    return is_test_file(path) or is_in_test_folder(path) or bool(file and path.endswith(file))


def _says_what_differs(text: str) -> bool:
    """Return True if the text has more than the usual words of a comparison."""
    return any(not _COMPARISON_WORD.fullmatch(word) for word in _WORDS.findall(_VALUES.sub(" ", text)))


def _find_cause_names(failures: Sequence[Failure]) -> dict[Finding, tuple[str, ...]]:
    """Return the values of each failure that name its cause.

    A value names a cause if many failures share few forms of it, as in `'price'`. A value that differs in nearly every
    failure is a parameter.
    """
    alike: dict[Hashable, list[Failure]] = {}
    for failure in failures:
        kinds = tuple(kind for kind, _text in failure.values)
        alike.setdefault((failure.shape, kinds), []).append(failure)
    names: dict[Finding, tuple[str, ...]] = {}
    for group in alike.values():
        slots = _find_telling_slots(group)
        names |= {member.finding: tuple(member.values[slot][1] for slot in slots) for member in group}
    return names


def _find_telling_slots(group: Sequence[Failure]) -> tuple[int, ...]:
    kinds = [kind for kind, _text in group[0].values]
    for limits in ({"name": _are_few_names, "number": _are_few_numbers}, {"name": _are_few_names}):
        slots = tuple(
            slot
            for slot, kind in enumerate(kinds)
            if kind in limits and limits[kind](len({failure.values[slot] for failure in group}), len(group))
        )
        forms = Counter(tuple(failure.values[slot] for slot in slots) for failure in group)
        strictest = (
            _are_few_numbers
            if "number" in limits and any(kinds[slot] == "number" for slot in slots)
            else _are_few_names
        )
        if strictest(len(forms), len(group)):
            return slots
    return ()


def _are_few_names(forms: int, failures: int) -> bool:
    return forms <= 3 or forms * 4 <= failures


def _are_few_numbers(forms: int, failures: int) -> bool:
    return forms <= 24 and forms * 25 <= failures
