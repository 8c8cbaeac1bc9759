"""Renders the transcripts of a run, as conversations for people and as a document for programs."""

import textwrap
from collections.abc import Sequence

from reknit.core.agents.conversation import Turn
from reknit.core.agents.transcript import Transcript, list_read_turns
from reknit.core.attempt_text import describe_attempt
from reknit.core.capability import StoredRun
from reknit.core.run_text import SCHEMA, render_headline
from reknit.core.runs.view import AttemptView
from reknit.core.text.format import pluralize, to_one_line
from reknit.core.text.redact import clean

_INDENT = 11
_OUTPUT_LINES = 12
"""Number of lines of a tool's output that people see; the last ones, where failures are."""


def render_logs(stored: StoredRun, transcripts: Sequence[Transcript], width: int = 0) -> str:
    """Return what each agent of the run was asked, said and did. `width`: of the terminal; 0: there is none."""
    run = stored.run
    lines = [f"{run.id}  {run.kind}  {render_headline(run)}"]
    for transcript in transcripts:
        attempt = find_attempt(stored.attempts, transcript)
        lines += ["", transcript.title]
        if attempt:
            lines += _wrap("asked", f"{to_one_line(attempt.subject)} ({attempt.strategy})", width)
        for turn in list_read_turns(transcript.turns):
            lines += _render_turn(turn, width)
        if attempt:
            lines += _wrap("then", describe_attempt(attempt), width)
    return clean("\n".join(lines))


def explain_no_logs(stored: StoredRun) -> str:
    """Explain why there is no transcript to show."""
    run = stored.run
    if run.state == "queued":
        return f"{run.id} is queued; no agent has worked yet"
    if stored.attempts or run.spent_usd:
        return f"the transcripts of {run.id} are not on this machine: they were removed, or it ran elsewhere"
    return f"no agent has worked for {run.id}"


def build_logs_document(stored: StoredRun, transcripts: Sequence[Transcript]) -> dict[str, object]:
    """Return the conversations as a JSON document."""
    calls = [
        {
            "call": transcript.call, "agent_kind": transcript.agent_kind or "command",
            "again": transcript.is_again,
            "turns": [
                {"kind": turn.kind, "verb": turn.verb, "text": turn.text, "error": turn.is_error}
                for turn in transcript.turns
            ],
        }
        for transcript in transcripts
    ]  # fmt: skip
    return {"schema": SCHEMA, "run": stored.run.id, "calls": calls}


def find_attempt(attempts: Sequence[AttemptView], transcript: Transcript) -> AttemptView | None:
    """Return the attempt that the call was made for."""
    return next((attempt for attempt in attempts if transcript.call == f"attempt-{attempt.number}"), None)


def _render_turn(turn: Turn, width: int) -> list[str]:
    if turn.kind == "tool":
        verb, _, name = turn.verb.partition(" ")
        return _wrap(verb, to_one_line(f"{name} {turn.text}"), width)
    if turn.kind != "result":
        return _wrap(turn.kind, turn.text, width)
    output = turn.text.splitlines()
    left_out = len(output) - _OUTPUT_LINES
    shown = [f"… {pluralize(left_out, 'line')} before this", *output[left_out:]] if left_out > 0 else output
    return _wrap("failed" if turn.is_error else "", "\n".join(shown), width, mark="| ")


def _wrap(label: str, text: str, width: int, mark: str = "") -> list[str]:
    """Wrap each line of the text below its own column, between words."""
    room = max(width - _INDENT - len(mark), 30) if width else 10**9
    pieces = [
        piece
        for line in text.splitlines() or [""]
        for piece in textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False) or [""]
    ]
    return [f"  {'' if place else label:<{_INDENT - 2}}{mark}{piece}".rstrip() for place, piece in enumerate(pieces)]
