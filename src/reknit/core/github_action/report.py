"""Renders a run for a GitHub workflow: annotations, the step's summary, its outputs and the lines of its log."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.fix_pr.output.record import read_record
from reknit.core.text.forge_text import AnnotationLevel, WorkflowAnnotation, escape_markdown, escape_prose, to_code_span
from reknit.core.text.format import MAX_COMMENT_CHARS, format_location, format_spending, sanitize_line, take_fitting

Document = Mapping[str, Any]

MAX_ANNOTATIONS = 50
"""GitHub shows ten of each level per step."""
_TEXT = 1_000
_LEVELS: Mapping[str, AnnotationLevel] = {
    "blocking": "error", "warning": "warning", "suggestion": "notice",
    "critical": "error", "important": "warning", "minor": "notice",
}  # fmt: skip
_COMMON_FIELDS = ("schema", "event", "run", "at")
"""Fields of every event; lines of the log do not repeat them."""


def format_log_line(event: Document) -> str:
    """Format one event of a run: `reviewed     reviewer correctness, verdict NEEDS_WORK`."""
    facts = (
        f"{name} {value}"
        for name, value in event.items()
        if name not in _COMMON_FIELDS and isinstance(value, str | int | float) and value not in ("", None)
    )
    return f"{sanitize_line(str(event.get('event')), 40):<12} {sanitize_line(', '.join(facts))}".rstrip()


def list_annotations(ending: Document, hint: str = "") -> list[WorkflowAnnotation]:
    """Return an annotation for the reason of a failure, and one for each finding at its line.

    `ending`: the last line that the command printed.
    """
    return [*_find_problem(ending, hint), *_list_findings(ending)][:MAX_ANNOTATIONS]


def render_summary(command: str, ending: Document, hint: str = "") -> str:
    """Render the step's summary as Markdown. `hint`: another possible reason, in our own words."""
    if ending.get("event") != "ending":
        texts = [_explain_ending(ending), *([hint] if hint else [])]
        return (
            "\n\n".join(
                [f"## reknit {command}: not finished", *(escape_prose(sanitize_line(text, _TEXT)) for text in texts)]
            )
            + "\n"
        )
    findings = _list_findings(ending)
    lines = [_render_finding(finding) for finding in findings]
    fitting_lines = take_fitting(lines, MAX_COMMENT_CHARS)
    more = [f"- … and {len(lines) - len(fitting_lines)} more"] if len(lines) > len(fitting_lines) else []
    parts = [
        f"## reknit {command}: {escape_markdown(str(ending.get('ending')))}",
        escape_prose(sanitize_line(str(ending.get("reason") or ""), _TEXT)),
        _render_facts(ending),
        "\n".join([*fitting_lines, *more]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def to_outputs(ending: Document) -> dict[str, str]:
    """Return the outputs of the step; each is one word."""
    return {name: sanitize_line(str(ending.get(name) or ""), 60) for name in ("ending", "run")}


def _find_problem(ending: Document, hint: str) -> Iterator[WorkflowAnnotation]:
    if ending.get("exit_code") == 0:
        return
    word = str(ending.get("ending") or ending.get("error") or "not finished")
    text = ". ".join(filter(None, (_explain_ending(ending), hint)))
    yield WorkflowAnnotation("error", f"reknit: {sanitize_line(word, 60)}", sanitize_line(text, _TEXT))


def _explain_ending(ending: Document) -> str:
    if ending.get("event") == "error":
        return "; ".join(str(ending[name]) for name in ("where", "what", "help") if ending.get(name))
    if ending.get("event") == "interrupted":
        return f"{ending.get('reason') or 'interrupted'}: `reknit resume {ending.get('run')}` continues it"
    return str(ending.get("reason") or "it printed no ending")


def _render_facts(ending: Document) -> str:
    spending = format_spending(float(ending.get("spent_usd") or 0), float(ending.get("budget_usd") or 0))
    pushed = ending["fixed"] if ending.get("kind") == "fix pr" else ()
    rows = [
        ("run", to_code_span(sanitize_line(str(ending.get("run")), 60))),
        ("spent", escape_markdown(spending)),
        *([("pushed", ", ".join(str(commit)[:7] for commit in pushed))] if pushed else []),
        *((escape_markdown(sanitize_line(vote["agent"])), f"{vote['score']} of 100") for vote in _read_votes(ending)),
    ]
    return "\n".join(["| | |", "|--|--|", *(f"| {name} | {value} |" for name, value in rows)])


def _render_finding(finding: WorkflowAnnotation) -> str:
    place = to_code_span(sanitize_line(format_location(finding.file, finding.line)))
    title, text = (escape_markdown(sanitize_line(words)) for words in (finding.title, finding.text))
    return f"- {finding.level} {f'{place} ' if place else ''}{title}: {text}"


def _list_findings(ending: Document) -> list[WorkflowAnnotation]:
    return [*_list_review_findings(ending), *_list_vote_findings(ending), *_list_pull_findings(ending)]


def _list_review_findings(ending: Document) -> Iterator[WorkflowAnnotation]:
    reviewers: Sequence[Document] = (ending.get("review") or {}).get("reviewers", ())
    for reviewer in reviewers:
        for finding in reviewer["findings"]:
            text = "\n".join(filter(None, [finding["description"], finding["suggestion"]]))
            title = f"{finding['id']} {finding['title']}"
            yield WorkflowAnnotation(_LEVELS[reviewer["level"]], title, text, finding["file"], finding["line"])


def _read_votes(ending: Document) -> Sequence[Document]:
    votes: Sequence[Document] = (ending.get("votes") or {}).get("votes", ())
    return votes


def _list_vote_findings(ending: Document) -> Iterator[WorkflowAnnotation]:
    for vote in _read_votes(ending):
        for finding in vote["findings"]:
            text = "\n".join(filter(None, [finding["issue"], finding["suggestion"]]))
            title = f"{vote['agent']}: {finding['category']}"
            yield WorkflowAnnotation(_LEVELS[finding["severity"]], title, text, finding["file"], finding["line"])


def _list_pull_findings(ending: Document) -> Iterator[WorkflowAnnotation]:
    """Yield the remaining findings, unless something was pushed since they were recorded."""
    record = read_record(ending.get("course") or {})
    if ending.get("ending") == "CLEAN" or not record.is_settled:
        return
    for finding in record.left:
        yield WorkflowAnnotation(
            _LEVELS[finding.weight], f"{finding.id} {finding.source}", finding.text, finding.file, finding.line
        )
