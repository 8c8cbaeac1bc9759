"""Groups failures by cause: same words apart from numbers, paths and parameters, raised in the same place."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from reknit.core.evidence.frames import own_frame
from reknit.core.finding import Finding
from reknit.core.repository.paths import is_in_test_folder, is_test_file

_LONGEST_HEADLINE = 400
_OPENERS = re.compile(
    r"(?:E\s+)?(?:failed|failure|error|assertionerror|traceback \(most recent call last\)"
    r"|=== (?:run|cont|pause)\b(?s:.*+)|thread '.*panicked at (?s:.*+)|collection failure|test (?:failed|error)"
    r"|failed on (?:setup|teardown) with \"file (?s:.*+))?[.:]*",
    re.IGNORECASE,
)
_THROWN = re.compile(r"(?:E\s+)?(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Exit|Warning|Group)\b")
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
# Words that occur in every comparison: alone they do not say what was compared.
_BARE = re.compile(
    r"actual|and|are|assert|assertion|assertionerror|but|deeply|equal|equality|equals|error|exception|expect|expected|fail"
    r"|failed|false|got|have|left|not|none|null|object|received|right|same|should|strictly|tobe|toequal|tostrictequal"
    r"|true|undefined|value|values|want|was|were",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Failure:
    finding: Finding
    headline: str
    shape: str
    """The headline with a mark in place of each value."""
    values: tuple[tuple[str, str], ...]
    """Kind and text of each value, in order; the text is empty if it is the test's own parameter."""
    place: str
    """What separates failures of the same shape: the line that raised it, what was compared, or the test's file."""


@dataclass(frozen=True)
class Group:
    findings: tuple[Finding, ...]
    headline: str


def grouped(findings: Sequence[Finding], *, most: int) -> list[Group]:
    """As fine-grained as `most` groups allow; largest first, ties in their original order."""
    failures = [_read(finding) for finding in findings]
    named = _names_of_causes(failures)
    keys: Sequence[Callable[[Failure], Hashable]] = (
        lambda failure: (failure.shape, named[failure.finding], failure.place),
        lambda failure: (failure.shape, named[failure.finding]),
        lambda failure: failure.shape,
    )
    groups: list[Group] = []
    for key in keys:
        groups = _split(failures, key)
        if len(groups) <= most:
            break
    return groups


def headline_index(lines: Sequence[str]) -> int:
    """Index of the line that says what went wrong; runners print their own openers before it."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if not filled:
        return 0
    if lines[filled[0]].startswith("Traceback"):
        thrown = [index for index in filled if _THROWN.match(lines[index])]
        return thrown[-1] if thrown else filled[-1]
    said = [index for index in filled if not _OPENERS.fullmatch(lines[index].strip())]
    if said[:1] == filled[:1]:
        return filled[0]
    return next((index for index in said if lines[index].startswith("E ")), (said or filled)[0])


def source_index(lines: Sequence[str]) -> int | None:
    """Index of the source line that failed, if the runner shows it (pytest)."""
    return next((index for index in reversed(range(len(lines))) if _SOURCE.match(lines[index])), None)


def shape_of(text: str) -> str:
    return _VALUES.sub(_MARK, " ".join(text.split()))


def _split(failures: Sequence[Failure], key: Callable[[Failure], Hashable]) -> list[Group]:
    members: dict[Hashable, list[Failure]] = {}
    for failure in failures:
        members.setdefault(key(failure), []).append(failure)
    largest = sorted(members.values(), key=len, reverse=True)
    return [Group(tuple(each.finding for each in group), group[0].headline) for group in largest]


def _read(finding: Finding) -> Failure:
    lines = finding.message.splitlines()
    words = " ".join(lines[headline_index(lines)].split())[:_LONGEST_HEADLINE] if lines else ""
    headline = words.removeprefix("E ").strip()
    plain, _, parameters = finding.subject.rpartition("::")[2].partition("[")
    # A shorter name may also be an ordinary word.
    text = headline.replace(finding.subject, _MARK).replace(plain, _MARK) if len(plain) > 5 else headline
    # A title made of words has its parameters anywhere in it.
    own = parameters or (plain if " " in plain else "")
    values = tuple(_value(found, own) for found in _VALUES.finditer(text))
    return Failure(finding, headline, shape_of(text), values, _place(finding, lines, headline))


def _value(found: re.Match[str], own: str) -> tuple[str, str]:
    kind, text = str(found.lastgroup), found[0]
    if kind == "any":
        return kind, ""
    if kind == "number":
        return kind, text
    word = text.strip("'\"`")
    return kind, "" if word and word in own else _DIGITS.sub("#", word.rstrip("/").rpartition("/")[2])


def _place(finding: Finding, lines: Sequence[str], headline: str) -> str:
    if _TIMEOUT.search(headline):
        return ""  # where it was when time ran out is arbitrary
    frame = own_frame(lines)
    if frame and frame.is_deepest and not _is_of_tests(frame.path, finding.file):
        return f"{frame.path}:{frame.line}"
    if _tells(headline):
        return ""
    source = source_index(lines)
    compared = lines[source][1:] if source is not None else ""
    return shape_of(compared) if _tells(compared) else finding.file or finding.subject.rpartition("::")[0]


def _is_of_tests(path: str, file: str) -> bool:
    return is_test_file(path) or is_in_test_folder(path) or bool(file and path.endswith(file))


def _tells(text: str) -> bool:
    """Whether it has more than the bare words of a comparison."""
    return any(not _BARE.fullmatch(word) for word in _WORDS.findall(_VALUES.sub(" ", text)))


def _names_of_causes(failures: Sequence[Failure]) -> dict[Finding, tuple[str, ...]]:
    """Per failure, the values that name its cause, not its parameters.

    A value with few forms across many failures names a cause (`'price'`); one that nearly always differs does not.
    """
    alike: dict[Hashable, list[Failure]] = {}
    for failure in failures:
        kinds = tuple(kind for kind, _text in failure.values)
        alike.setdefault((failure.shape, kinds), []).append(failure)
    named: dict[Finding, tuple[str, ...]] = {}
    for group in alike.values():
        slots = _telling_slots(group)
        named |= {each.finding: tuple(each.values[slot][1] for slot in slots) for each in group}
    return named


def _telling_slots(group: Sequence[Failure]) -> tuple[int, ...]:
    kinds = [kind for kind, _text in group[0].values]
    for limits in ({"name": _few_names, "number": _few_numbers}, {"name": _few_names}):
        slots = tuple(
            slot
            for slot, kind in enumerate(kinds)
            if kind in limits and limits[kind](len({each.values[slot] for each in group}), len(group))
        )
        forms = Counter(tuple(each.values[slot] for slot in slots) for each in group)
        strictest = (
            _few_numbers if "number" in limits and any(kinds[slot] == "number" for slot in slots) else _few_names
        )
        if strictest(len(forms), len(group)):
            return slots
    return ()


def _few_names(forms: int, failures: int) -> bool:
    return forms <= 3 or forms * 4 <= failures


def _few_numbers(forms: int, failures: int) -> bool:
    return forms <= 24 and forms * 25 <= failures
