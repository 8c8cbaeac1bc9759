"""What a workflow shows of a run: annotations, the step's summary, its outputs and the lines of its log."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.fix_pr.output.record import record_in
from reknit.core.text.format import file_line, spent_of, words
from reknit.core.text.layout import LONGEST, fitting
from reknit.core.text.markdown import code, plain, prose
from reknit.core.text.workflow_command import Annotation, AnnotationLevel

Document = Mapping[str, Any]

MOST_ANNOTATIONS = 50
"""GitHub shows ten of each level per step."""
_TEXT = 1_000
_LEVELS: Mapping[str, AnnotationLevel] = {
    "blocking": "error", "warning": "warning", "suggestion": "notice",
    "critical": "error", "important": "warning", "minor": "notice",
}  # fmt: skip
_OF_THE_LOG = ("schema", "event", "run", "at")
"""In every event, and not worth repeating in every line."""


def log_line(event: Document) -> str:
    """One event of a run: `reviewed     reviewer correctness, verdict NEEDS_WORK`."""
    facts = (
        f"{name} {value}"
        for name, value in event.items()
        if name not in _OF_THE_LOG and isinstance(value, str | int | float) and value not in ("", None)
    )
    return f"{words(str(event.get('event')), 40):<12} {words(', '.join(facts))}".rstrip()


def annotations(ending: Document, hint: str = "") -> list[Annotation]:
    """`ending`: the last line that the command printed. First why it did not succeed, then each finding at its line."""
    return [*_problem(ending, hint), *_findings(ending)][:MOST_ANNOTATIONS]


def summary(command: str, ending: Document, hint: str = "") -> str:
    """As Markdown. `hint`: what else may be the reason, in our own words."""
    if ending.get("event") != "ending":
        told = [_why(ending), *([hint] if hint else [])]
        return "\n\n".join([f"## reknit {command}: not finished", *(prose(words(text, _TEXT)) for text in told)]) + "\n"
    found = _findings(ending)
    lines = [_finding_line(each) for each in found]
    shown = fitting(lines, LONGEST)
    more = [f"- … and {len(lines) - len(shown)} more"] if len(lines) > len(shown) else []
    parts = [
        f"## reknit {command}: {plain(str(ending.get('ending')))}",
        prose(words(str(ending.get("reason") or ""), _TEXT)),
        _facts(ending),
        "\n".join([*shown, *more]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def outputs(ending: Document) -> dict[str, str]:
    """Of the step; each is one word."""
    return {name: words(str(ending.get(name) or ""), 60) for name in ("ending", "run")}


def _problem(ending: Document, hint: str) -> Iterator[Annotation]:
    if ending.get("exit_code") == 0:
        return
    word = str(ending.get("ending") or ending.get("error") or "not finished")
    text = ". ".join(filter(None, (_why(ending), hint)))
    yield Annotation("error", f"reknit: {words(word, 60)}", words(text, _TEXT))


def _why(ending: Document) -> str:
    if ending.get("event") == "error":
        return "; ".join(str(ending[name]) for name in ("where", "what", "help") if ending.get(name))
    if ending.get("event") == "interrupted":
        return f"{ending.get('reason') or 'interrupted'}: `reknit resume {ending.get('run')}` continues it"
    return str(ending.get("reason") or "it printed no ending")


def _facts(ending: Document) -> str:
    spent = spent_of(float(ending.get("spent_usd") or 0), float(ending.get("budget_usd") or 0))
    pushed = ending["fixed"] if ending.get("kind") == "fix pr" else ()
    rows = [
        ("run", code(words(str(ending.get("run")), 60))),
        ("spent", plain(spent)),
        *([("pushed", ", ".join(str(commit)[:7] for commit in pushed))] if pushed else []),
        *((plain(words(vote["agent"])), f"{vote['score']} of 100") for vote in _votes(ending)),
    ]
    return "\n".join(["| | |", "|--|--|", *(f"| {name} | {value} |" for name, value in rows)])


def _finding_line(found: Annotation) -> str:
    place = code(words(file_line(found.file, found.line)))
    return f"- {found.level} {f'{place} ' if place else ''}{plain(words(found.title))}: {plain(words(found.text))}"


def _findings(ending: Document) -> list[Annotation]:
    return [*_of_review(ending), *_of_vote(ending), *_of_pull(ending)]


def _of_review(ending: Document) -> Iterator[Annotation]:
    reviewers: Sequence[Document] = (ending.get("review") or {}).get("reviewers", ())
    for reviewer in reviewers:
        for found in reviewer["findings"]:
            text = "\n".join(filter(None, [found["description"], found["suggestion"]]))
            title = f"{found['id']} {found['title']}"
            yield Annotation(_LEVELS[reviewer["level"]], title, text, found["file"], found["line"])


def _votes(ending: Document) -> Sequence[Document]:
    votes: Sequence[Document] = (ending.get("votes") or {}).get("votes", ())
    return votes


def _of_vote(ending: Document) -> Iterator[Annotation]:
    for vote in _votes(ending):
        for found in vote["findings"]:
            text = "\n".join(filter(None, [found["issue"], found["suggestion"]]))
            title = f"{vote['agent']}: {found['category']}"
            yield Annotation(_LEVELS[found["severity"]], title, text, found["file"], found["line"])


def _of_pull(ending: Document) -> Iterator[Annotation]:
    """What is left, unless something was pushed since it was seen."""
    record = record_in(ending.get("course") or {})
    if ending.get("ending") == "CLEAN" or not record.is_settled:
        return
    for left in record.left:
        yield Annotation(_LEVELS[left.weight], f"{left.id} {left.source}", left.text, left.file, left.line)
