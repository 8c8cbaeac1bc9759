"""Shows one issue with everything known about it and the next steps, as text and as JSON."""

import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from reknit.core.issues.formats.report import UNNAMED
from reknit.core.issues.lifecycle import BaselineState
from reknit.core.issues.model import Issue, IssueChange, IssueSource
from reknit.core.issues.output.table import format_place
from reknit.core.text.format import pluralize, to_one_line
from reknit.core.text.redact import clean
from reknit.core.text.truncate import truncate_columns

Clock = Callable[[float], str]
"""Formats a time for people."""

_TAB = 4
_TEST_RUNNERS = ("pytest", "vitest", "jest", "junit")
"""Tools whose findings are failing tests; the rule is then the test."""
_SHORTENED = re.compile(r"~[0-9a-f]{16}\Z")
"""End of a test id that was too long, see `formats/junit.py`."""
_NARROWEST = 40
_BASELINE: Mapping[BaselineState, str] = {
    "new": "for the first time in the newest report of its tools",
    "unchanged": "in the newest report of its tools, as before",
    "updated": "in the newest report of its tools; it moved or its text changed",
    "absent": "not in the newest report of its tools",
}


def render_issue(
    issue: Issue, history: Sequence[IssueChange], excerpt: Sequence[tuple[int, str]], clock: Clock, width: int = 0,
    *, left_out: str = "",
) -> str:  # fmt: skip
    """Render one issue. `left_out`: why no run may work on it."""
    column = f":{issue.column}" if issue.line and issue.column else ""
    lines = [f"{issue.name}  {issue.status}  {issue.weight}  {format_place(issue)}{column}"]
    for source in issue.sources:
        lines += _render_source(source, width)
    for label, text in _list_facts(issue, left_out):
        lines += _wrap_line(f"  {label:<8} {text}", width if " " in text else 0, " " * 11) if text else []
    if excerpt:
        lines += ["", *_render_excerpt(issue, excerpt, width)]
    lines.append("")
    for change in history:
        lines += _wrap_line(_render_change(change, clock), width, " " * 11)
    lines += [f"  {'next' if not number else '':<8} {step}" for number, step in enumerate(_list_steps(issue, left_out))]
    return clean("\n".join(lines))


def _wrap_line(line: str, width: int, indent: str) -> list[str]:
    """Break only between words, so that a URL or a command can still be copied."""
    if not width or len(line) <= width:
        return [line.rstrip()]
    return textwrap.wrap(
        line, max(width, _NARROWEST), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _render_source(source: IssueSource, width: int) -> Iterator[str]:
    """Render a tool's report. A message with several lines keeps them, below the rule."""
    tool_and_rule, url = (
        f"  {to_one_line(source.tool)} {to_one_line(source.rule)}",
        f"   {to_one_line(source.url)}".rstrip(),
    )
    message_lines = clean(source.message).expandtabs(_TAB).strip("\n").split("\n")
    if len(message_lines) == 1:
        yield from _wrap_line(f"{tool_and_rule}   {to_one_line(source.message)}{url}", width, " " * 6)
        return
    yield from _wrap_line(f"{tool_and_rule}{url}", width, " " * 6)
    for line in message_lines:
        text = f"{' ' * 6}{line}".rstrip()
        yield from _wrap_line(text, width, " " * (len(text) - len(text.lstrip()))) or [""]


def _list_facts(issue: Issue, left_out: str) -> list[tuple[str, str]]:
    return [
        ("label", to_one_line(issue.label)),
        ("suggest", to_one_line(issue.suggestion)),
        ("work", _describe_work(issue)),
        ("no fix", left_out if issue.status in ("OPEN", "FAILED") and not _is_test(issue) else ""),
        ("seen", _BASELINE[issue.baseline]),
        ("same as", f"I-{issue.duplicate_of}" if issue.duplicate_of else ""),
        ("run", to_one_line(issue.run_id)),
        ("commit", to_one_line(issue.commit)),
        ("pull", to_one_line(issue.pull)),
        ("of", to_one_line(issue.repository)),
        ("id", issue.fingerprint),
    ]


def _describe_work(issue: Issue) -> str:
    effort = [f"effort {issue.effort_1_5} of 5"] if issue.effort_1_5 else []
    files = [pluralize(issue.files, "file")] if issue.files else []
    points = pluralize(issue.workload, "point")
    return f"{points}: {', '.join([*effort, *files])}" if effort or files else f"{points}, not estimated"


def _render_excerpt(issue: Issue, lines: Sequence[tuple[int, str]], width: int) -> Iterator[str]:
    digits = len(str(lines[-1][0]))
    for number, text in lines:
        mark = ">" if number == issue.line else " "
        yield truncate_columns(f"  {mark} {number:>{digits}}  {clean(text).expandtabs(_TAB)}".rstrip(), width)


def _render_change(change: IssueChange, clock: Clock) -> str:
    note = change.note
    transition = f"{change.old} → {change.new}" if change.old else f"{change.new}"
    by = "   ".join(text for text in (to_one_line(note.run_id), to_one_line(note.commit)[:12]) if text)
    return f"  {clock(note.at)}  {transition:<23}  {to_one_line(note.author)}: {to_one_line(note.why)}   {by}".rstrip()


def _list_steps(issue: Issue, left_out: str) -> tuple[str, ...]:
    run = (f"reknit show {issue.run_id}",) if issue.run_id else ()
    if issue.status in ("OPEN", "FAILED"):
        return (*_list_fix_commands(issue, left_out), f"reknit issues ignore {issue.name} --why TEXT", *run)
    if issue.status in ("IGNORED", "DUPLICATE"):
        return (f"reknit issues reopen {issue.name}",)
    return ("reknit issues sync", *run) if issue.status == "RESOLVED" else run


def _list_fix_commands(issue: Issue, left_out: str) -> tuple[str, ...]:
    """Return the command that works on the issue; empty: no run would."""
    if issue.baseline == "absent":
        return ()
    if _is_test(issue):
        return (f"reknit fix tests {_quote_test_id(issue)}".rstrip(),)
    if left_out:
        return ()
    return ("reknit fix issues" + (" --again" if issue.status == "FAILED" else ""),)


def _is_test(issue: Issue) -> bool:
    return any(tool in _TEST_RUNNERS for tool in issue.tools)


def _quote_test_id(issue: Issue) -> str:
    """Quote the test for a shell; empty: it was shortened, is unsafe, or would be read as an option."""
    test = next(source.rule for source in issue.sources if source.tool in _TEST_RUNNERS)
    if _SHORTENED.search(test) or test == UNNAMED or test != to_one_line(test) or test.startswith("-"):
        return ""
    return shlex.quote(test)


SCHEMA = 1


def build_issue_document(issue: Issue) -> dict[str, object]:
    """Return an issue as a JSON document."""
    return {
        "issue": issue.name, "status": issue.status, "path": issue.path, "line": issue.line, "column": issue.column,
        "rule": issue.rule, "message": issue.message, "weight": issue.weight, "suggestion": issue.suggestion,
        "effort": issue.effort_1_5 or None, "files": issue.files or None, "workload": issue.workload,
        "sources": [
            {"tool": source.tool, "rule": source.rule, "message": source.message, "url": source.url}
            for source in issue.sources
        ],
        "baseline": issue.baseline, "fingerprint": issue.fingerprint, "repository": issue.repository,
        "duplicate_of": f"I-{issue.duplicate_of}" if issue.duplicate_of else None, "run": issue.run_id or None,
        "commit": issue.commit or None, "pull": issue.pull or None, "created_at": issue.created_at,
        "changed_at": issue.changed_at, "label": issue.label or None,
    }  # fmt: skip


def build_detail_document(
    issue: Issue, history: Sequence[IssueChange], excerpt: Sequence[tuple[int, str]]
) -> dict[str, object]:
    """Return an issue with its history and its code as a JSON document."""
    return {
        "schema": SCHEMA, **build_issue_document(issue), "history": [*map(_change_document, history)],
        "excerpt": [{"line": number, "text": text} for number, text in excerpt],
    }  # fmt: skip


def _change_document(change: IssueChange) -> dict[str, object]:
    note = change.note
    return {
        "from": change.old, "to": change.new, "who": note.author, "why": note.why, "at": note.at,
        "run": note.run_id or None, "commit": note.commit or None,
    }  # fmt: skip
