"""Writes commit messages: the change in plain words, the findings in their own words, the files and the proof."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Report
from reknit.core.finding import Finding
from reknit.core.runs.commits.agents_words import take_agents_brief
from reknit.core.runs.commits.own_words import describe_change
from reknit.core.runs.feedback import find_telling_line
from reknit.core.text.forge_text import neutralize_commit_text, neutralize_quote
from reknit.core.text.format import format_location, sanitize_line, to_one_line
from reknit.core.text.redact import clean
from reknit.core.text.truncate import cut_at_word

MAX_SUBJECT_CHARS = 72
LISTED = 50
"""Maximum number of findings, and of files, in a commit message; the rest is counted."""
_MIN_BRIEF_CHARS = 20
"""Characters of a subject that the words around the change leave for it."""
_NAME_CHARS, _WORDS_CHARS = 160, 200


@dataclass(frozen=True)
class CommitFacts:
    """The facts that a commit message is made from. They never change, so a repeated step writes the same message."""

    findings: tuple[Finding, ...]
    paths: tuple[str, ...]
    """The files of the change."""
    report: Report | None = None
    """The agent's typed report."""
    is_proven: bool = True
    """True if our own runs or the reviewer show the repair before the commit lands."""


def write_subject(start: str, facts: CommitFacts, end: str = "") -> str:
    """Return the first line: `start`, the change, `end`."""
    start = neutralize_commit_text(to_one_line(start))
    start = f"{cut_at_word(start, MAX_SUBJECT_CHARS - len(end) - _MIN_BRIEF_CHARS - 1)} "
    room = MAX_SUBJECT_CHARS - len(start) - len(end)
    brief = take_agents_brief(facts.report, facts.findings, facts.paths, room)
    return f"{start}{brief or describe_change(facts.findings, facts.paths, room, is_proven=facts.is_proven)}{end}"


def write_message(subject: str, facts: CommitFacts, proof: str, trailers: Sequence[str]) -> str:
    """Return the whole message. `proof`: one sentence; empty: nothing is known yet."""
    lines = [line for finding in facts.findings for line in quote_finding(finding)]
    listed = [f"- {line}" for line in _count_rest(lines, LISTED)]
    files = ", ".join(_count_rest([sanitize_line(path, _NAME_CHARS) for path in facts.paths], LISTED))
    body = [
        "\n".join(["What was wrong:", *listed]) if lines else "",
        f"Changed: {files}." if files else "",
        f"Proof: {proof}" if proof else "",
    ]
    parts = [neutralize_commit_text(part) for part in body if part]
    return "\n\n".join([subject, *parts, "\n".join(trailers)]) + "\n"


def read_subject(messages: Sequence[tuple[str, str, str]]) -> str:
    """Return the subject of the newest commit. `messages`: as the repository returns them."""
    return next((message.partition("\n")[0] for _commit, message, _author in messages), "")


def quote_finding(finding: Finding) -> list[str]:
    """Return the finding in its own words, and a line for each other test that fails for the same reason."""
    label = sanitize_line(" ".join(filter(None, [finding.id, _find_label(finding)])), _NAME_CHARS)
    is_told = finding.source in ("review", "tool")
    words = _join_title(finding) if is_told else find_telling_line(replace(finding, message=clean(finding.message)))
    quote = sanitize_line(words, _WORDS_CHARS)
    author = f" (by {sanitize_line(finding.author, _NAME_CHARS)})" if finding.author and is_told else ""
    lines = [
        (f"{label}: {quote}" if quote else label) + author,
        *(sanitize_line(test, _NAME_CHARS) for test in finding.also),
    ]
    return [*map(neutralize_quote, lines)]


def _join_title(finding: Finding) -> str:
    """Return what a reviewer or a tool says, after its title if it has one."""
    has_title = finding.file and finding.subject not in ("", finding.file, finding.message)
    return f"{finding.subject}: {finding.message}" if has_title else finding.message


def _find_label(finding: Finding) -> str:
    place = format_location(finding.file, finding.line)
    if finding.source == "tool":
        return f"{finding.rule} {place}".strip()
    return place or finding.subject if finding.source == "review" else finding.subject


def _count_rest(entries: Sequence[str], most: int) -> list[str]:
    rest = [f"and {len(entries) - most} more"] if len(entries) > most else []
    return [*entries[:most], *rest]
