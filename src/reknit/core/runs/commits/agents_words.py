"""Decides if an agent's words about its change may stand in a commit: they agree with the diff, and claim nothing."""

import re
from collections.abc import Sequence

from reknit.core.agent_reports.values import FixReport, Report, take_first_sentence
from reknit.core.finding import Finding
from reknit.core.repository.file_kinds import is_usual
from reknit.core.text.forge_text import neutralize_commit_text
from reknit.core.text.redact import clean
from reknit.core.text.truncate import MARK

_TYPE = re.compile(r"^(?:fix|feat|chore|refactor|perf|test|docs|style|build|ci)(?:\([^()]*\))?!?:\s*", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"^(?:I|we)(?:'ve| have)? (?=\w+ed\b|made )", re.IGNORECASE)
_IMPERATIVES = {
    "added": "add", "changed": "change", "corrected": "correct", "fixed": "fix", "fixes": "fix", "made": "make",
    "moved": "move", "removed": "remove", "renamed": "rename", "replaced": "replace", "updated": "update",
    "used": "use",
}  # fmt: skip
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)
_TRAILER = re.compile(r"(?<=\w)-by:|\breknit-\w+:|\bchange-id:|\bBREAKING[ -]CHANGE", re.IGNORECASE)
_CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?)\b:?\s+(?:[A-Z][A-Z0-9]*-|!)\d", re.IGNORECASE
)
_CLAIM = re.compile(
    r"\b(?:approved|confirmed|guarantees?|proven|proves|reviewed|tested|verified)\b"
    r"|\b(?:tests?|checks?|suite|CI|everything|all)\b(?: \w+){0,3} (?:pass(?:es|ed)?|green|works?)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w'-]*")
_EMPTY_WORDS = """
a again all amazing an and any are as at awesome be been best brilliant bug bugs by change changes check checks
clean code complete completed correct correctly done elegant error errors everything excellent failing fix fixed
fixes fixing flawless for from good great i implement in is issue issues it its job made make nice now of ok on
perfect perfectly problem problems properly ready red repair repaired resolve resolved result results robust safe
should solid solution solve solved successfully task test tests that the them there these things this to up update
updated was we well were what with wonderful work worked working works
"""
"""Praise, claims of success and words that fit any change."""
_AROUND_NAMES = re.compile(r"[\s`'\"“”‘’()<>{}=,;]+")
_BARE_FILE = re.compile(r"\.\w[\w.-]*|(?:Docker|Gem|Make|Proc|Rake)file")


def take_agents_brief(report: Report | None, findings: Sequence[Finding], paths: Sequence[str], room: int) -> str:
    """Return what the agent reports about its change; empty if it says nothing that can be believed and that fits.

    `report`: its typed report; other prose is never read. `paths`: the files of the diff.
    """
    if not isinstance(report, FixReport) or report.status != "fixed":
        return ""
    lines = [text for text in (report.title, report.summary) if text.strip() and _is_plain_line(text.strip())]
    briefs = [_tidy(take_first_sentence(line)) for line in lines]
    return next((brief for brief in briefs if brief and len(brief) <= room and not refuse(brief, findings, paths)), "")


def refuse(text: str, findings: Sequence[Finding], paths: Sequence[str]) -> str:
    """Return why these words must not stand in a commit; empty: they may."""
    if not _is_plain_line(text):
        return "not one plain line"
    if neutralize_commit_text(text) != text or _ADDRESS.search(text) or _CLOSING.search(text):
        return "a mention, a reference, an address, a command of a forge or a secret"
    if _TRAILER.search(text):
        return "a trailer"
    if _CLAIM.search(text):
        return "a claim"
    words = {word.lower() for word in _WORD.findall(text) if len(word) > 2} - {*_EMPTY_WORDS.split()}
    if len(words) < 2:
        return "no change is named"
    if unknown := next((name for name in _list_file_names(text) if not _is_changed(name, paths)), ""):
        return f"{unknown} is not in the change"
    tests = {test.rsplit("::", 1)[-1] for finding in findings if finding.source == "tests" for test in finding.tests}
    named = {test for test in tests if test in text}
    return "one test stands for several" if named and named != tests else ""


def _is_plain_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and clean(text) == text


def _tidy(text: str) -> str:
    """Return the words as they follow `fix: `: without a type and a full stop, in the imperative, in small letters."""
    text = _FIRST_PERSON.sub("", _TYPE.sub("", " ".join(text.split()).lstrip("-*# "))).rstrip(" .!")
    first, space, rest = text.partition(" ")
    if first[:1].isupper() and first[1:].islower():
        first = first.lower()
    return "" if MARK in text else f"{_IMPERATIVES.get(first, first)}{space}{rest}"


def _list_file_names(text: str) -> list[str]:
    """Return the words that look like a file or a folder, without `:12` and `::test`."""
    words = [word.partition(":")[0].rstrip(".!?") for word in _AROUND_NAMES.split(text)]
    return [word for word in words if "/" in word or _BARE_FILE.fullmatch(word) or ("." in word and is_usual(word))]


def _is_changed(name: str, paths: Sequence[str]) -> bool:
    name = name.removeprefix("./")
    if name.endswith("/"):
        return any(f"/{name}" in f"/{path}" for path in paths)
    return any(f"/{path}".endswith(f"/{name}") for path in paths)
