"""One issue with everything known about it, and what can be done about it."""

import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from reknit.core.issues.formats.bounds import UNNAMED
from reknit.core.issues.lifecycle import BaselineState
from reknit.core.issues.model import Issue, IssueChange, IssueSource
from reknit.core.issues.output.table import place
from reknit.core.text.format import counted, one_line
from reknit.core.text.redact import clean
from reknit.core.text.truncate import truncate_columns

Clock = Callable[[float], str]
"""Formats a time for people."""

_TAB = 4
_TEST_RUNNERS = ("pytest", "vitest", "jest", "junit")
"""Tools whose findings are failing tests; the rule is then the test."""
_SHORTENED = re.compile(r"~[0-9a-f]{16}\Z")
"""How a test id that was too long ends, see `formats/junit.py`."""
_NARROWEST = 40
_BASELINE: Mapping[BaselineState, str] = {
    "new": "for the first time in the newest report of its tools",
    "unchanged": "in the newest report of its tools, as before",
    "updated": "in the newest report of its tools; it moved or its text changed",
    "absent": "not in the newest report of its tools",
}


def show_text(
    issue: Issue, history: Sequence[IssueChange], excerpt: Sequence[tuple[int, str]], clock: Clock, width: int = 0,
    *, left_out: str = "",
) -> str:  # fmt: skip
    """`left_out`: why no run may work on it."""
    column = f":{issue.column}" if issue.line and issue.column else ""
    lines = [f"{issue.name}  {issue.status}  {issue.weight}  {place(issue)}{column}"]
    for source in issue.sources:
        lines += _source(source, width)
    for label, text in _facts(issue, left_out):
        lines += _wrapped(f"  {label:<8} {text}", width if " " in text else 0, " " * 11) if text else []
    if excerpt:
        lines += ["", *_excerpt(issue, excerpt, width)]
    lines.append("")
    for change in history:
        lines += _wrapped(_change(change, clock), width, " " * 11)
    lines += [f"  {'next' if not number else '':<8} {step}" for number, step in enumerate(_steps(issue, left_out))]
    return clean("\n".join(lines))


def _wrapped(line: str, width: int, indent: str) -> list[str]:
    """Breaks only between words, so that a URL or a command can still be copied."""
    if not width or len(line) <= width:
        return [line.rstrip()]
    return textwrap.wrap(
        line, max(width, _NARROWEST), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _source(source: IssueSource, width: int) -> Iterator[str]:
    """A multi-line message keeps its lines, below the rule."""
    named, url = f"  {one_line(source.tool)} {one_line(source.rule)}", f"   {one_line(source.url)}".rstrip()
    said = clean(source.message).expandtabs(_TAB).strip("\n").split("\n")
    if len(said) == 1:
        yield from _wrapped(f"{named}   {one_line(source.message)}{url}", width, " " * 6)
        return
    yield from _wrapped(f"{named}{url}", width, " " * 6)
    for line in said:
        text = f"{' ' * 6}{line}".rstrip()
        yield from _wrapped(text, width, " " * (len(text) - len(text.lstrip()))) or [""]


def _facts(issue: Issue, left_out: str) -> list[tuple[str, str]]:
    return [
        ("label", one_line(issue.label)),
        ("suggest", one_line(issue.suggestion)),
        ("work", _work(issue)),
        ("no fix", left_out if issue.status in ("OPEN", "FAILED") and not _is_test(issue) else ""),
        ("seen", _BASELINE[issue.baseline]),
        ("same as", f"I-{issue.duplicate_of}" if issue.duplicate_of else ""),
        ("run", one_line(issue.run_id)),
        ("commit", one_line(issue.commit)),
        ("pull", one_line(issue.pull)),
        ("of", one_line(issue.repository)),
        ("id", issue.fingerprint),
    ]


def _work(issue: Issue) -> str:
    effort = [f"effort {issue.effort_1_5} of 5"] if issue.effort_1_5 else []
    files = [counted(issue.files, "file")] if issue.files else []
    points = counted(issue.workload, "point")
    return f"{points}: {', '.join([*effort, *files])}" if effort or files else f"{points}, not estimated"


def _excerpt(issue: Issue, lines: Sequence[tuple[int, str]], width: int) -> Iterator[str]:
    digits = len(str(lines[-1][0]))
    for number, text in lines:
        mark = ">" if number == issue.line else " "
        yield truncate_columns(f"  {mark} {number:>{digits}}  {clean(text).expandtabs(_TAB)}".rstrip(), width)


def _change(change: IssueChange, clock: Clock) -> str:
    note = change.note
    what = f"{change.old} → {change.new}" if change.old else f"{change.new}"
    by = "   ".join(text for text in (one_line(note.run_id), one_line(note.commit)[:12]) if text)
    return f"  {clock(note.at)}  {what:<23}  {one_line(note.who)}: {one_line(note.why)}   {by}".rstrip()


def _steps(issue: Issue, left_out: str) -> tuple[str, ...]:
    run = (f"reknit show {issue.run_id}",) if issue.run_id else ()
    if issue.status in ("OPEN", "FAILED"):
        return (*_fix(issue, left_out), f"reknit issues ignore {issue.name} --why TEXT", *run)
    if issue.status in ("IGNORED", "DUPLICATE"):
        return (f"reknit issues reopen {issue.name}",)
    return ("reknit issues sync", *run) if issue.status == "RESOLVED" else run


def _fix(issue: Issue, left_out: str) -> tuple[str, ...]:
    """The command that works on it; empty: no run would."""
    if issue.baseline == "absent":
        return ()
    if _is_test(issue):
        return (f"reknit fix tests {_test_id(issue)}".rstrip(),)
    if left_out:
        return ()
    return ("reknit fix issues" + (" --again" if issue.status == "FAILED" else ""),)


def _is_test(issue: Issue) -> bool:
    return any(tool in _TEST_RUNNERS for tool in issue.tools)


def _test_id(issue: Issue) -> str:
    """Quoted for a shell; empty: it was shortened, is unsafe for a terminal, or would be read as an option."""
    test = next(source.rule for source in issue.sources if source.tool in _TEST_RUNNERS)
    if _SHORTENED.search(test) or test == UNNAMED or test != one_line(test) or test.startswith("-"):
        return ""
    return shlex.quote(test)
