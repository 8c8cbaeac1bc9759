"""The page of one run as a value: everything that a person may read about it, safe and of bounded size."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.agents.conversation import Turn
from reknit.core.agents.transcript import Transcript, list_read_turns
from reknit.core.attempt_text import describe_attempt, list_refusals
from reknit.core.capabilities import find_capability
from reknit.core.capability import StoredRun
from reknit.core.next_steps import list_next_steps
from reknit.core.run_page.diff import DiffView, measure_html, shorten, view_diff
from reknit.core.run_page.logs_text import find_attempt
from reknit.core.run_page.proof import ProofRow, build_proof, summarize_proof
from reknit.core.run_page.timeline import Bar, build_bars
from reknit.core.run_text import render_headline, render_receipt
from reknit.core.runs.view import AttemptView, EventView, RunView, describe_spending
from reknit.core.text.format import MAX_LINE_CHARS, format_seconds, pluralize
from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_chars

Tone = Literal["good", "bad", "plain"]

MAX_PARTS = 150
MAX_RECEIPTS = 40
_TEXT_CHARS = 1_000
_TURN_BYTES = 60
_TONES: Mapping[str, Tone] = {"CLEAN": "good", "FIXED": "good", "CANCELLED": "plain", "PARTIAL": "plain"}


@dataclass(frozen=True)
class RunSources:
    """The stored facts that a page is made from."""

    stored: StoredRun
    events: Sequence[EventView] = ()
    transcripts: Sequence[Transcript] = ()
    diff: str = ""
    """The change that landed."""
    attempt_diffs: Mapping[int, str] = field(default_factory=dict)
    """Number of an attempt -> its change."""


@dataclass(frozen=True)
class Part:
    """An attempt, or another call of an agent."""

    title: str
    word: str
    tone: Tone
    sentence: str
    meta: str
    refusals: tuple[str, ...] = ()
    diff: DiffView = DiffView()
    diff_command: str = ""
    output: str = ""
    """The end of what the tests printed."""
    turns: tuple[Turn, ...] = ()
    rest: str = ""
    """Number of turns that are left out."""


@dataclass(frozen=True)
class RunPage:
    """The page of a run."""

    run_id: str
    title: str
    origin: str
    word: str
    tone: Tone
    headline: str
    summary: str
    facts: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    diff: DiffView
    diff_command: str
    proof: tuple[ProofRow, ...]
    lines: str
    """Lines that only this kind of run has: the table of a pull request, findings, votes, the plan."""
    bars: tuple[Bar, ...]
    parts: tuple[Part, ...]
    parts_rest: str
    receipts: tuple[str, ...]


def build_page(sources: RunSources, most_bytes: int = 1_000_000) -> RunPage:
    """Return the page. `most_bytes`: of all diffs, conversations and outputs together."""
    stored, run = sources.stored, sources.stored.run
    capability = find_capability(run.kind)
    headline = clean(render_headline(run))
    word, _, sentence = headline.partition("  ")
    if not sentence:
        word, sentence = run.state, headline.removeprefix(run.state)
    parts = _build_parts(sources, most_bytes * 3 // 4)
    return RunPage(
        run_id=shorten(run.id),
        title=shorten(f"{word} · {run.kind} · {run.id}"),
        origin=shorten(f"reknit {run.kind} · {_name(run.repository)} at {run.base[:7]} · {_format_date(run)}"),
        word=shorten(word.removesuffix(",")),
        tone=_TONES.get(run.ending, "bad") if run.ending else "plain",
        headline=shorten(sentence, _TEXT_CHARS),
        summary=summarize_proof(stored),
        facts=tuple(_list_facts(sources)),
        commands=tuple((purpose, shorten(command)) for purpose, command in _list_commands(stored)),
        diff=view_diff(sources.diff, most_bytes // 8),
        diff_command=shorten(f"reknit show {run.id} --diff"),
        proof=build_proof(stored),
        lines=_fit_lines(capability.show_lines(stored, 0), most_bytes // 40),
        bars=build_bars(sources.events),
        parts=tuple(parts[:MAX_PARTS]),
        parts_rest=f"{len(parts) - MAX_PARTS} more" if len(parts) > MAX_PARTS else "",
        receipts=tuple(
            _fit_lines(render_receipt(receipt, capability), most_bytes // 8 // len(stored.receipts))
            for receipt in stored.receipts[:MAX_RECEIPTS]
        ),
    )  # fmt: skip


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _format_date(run: RunView) -> str:
    at = datetime.datetime.fromtimestamp(run.created_at, datetime.UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


def _list_facts(sources: RunSources) -> list[str]:
    stored, run = sources.stored, sources.stored.run
    last = run.ended_at or (sources.events[-1].at if sources.events else run.created_at)
    facts = [
        *([pluralize(len(stored.attempts), "attempt")] if stored.attempts else []),
        format_seconds(last - run.created_at),
        describe_spending(run),
        shorten(find_capability(run.kind).agent_names(run)),
    ]
    return [*facts, f"commit {run.commit[:7]}"] if run.commit else facts


def _list_commands(stored: StoredRun) -> Sequence[tuple[str, str]]:
    """Return (purpose, command): what a person can do next."""
    run = stored.run
    if run.ending:
        return list_next_steps(stored)
    is_stopped = run.state in ("interrupted", "left")
    return [("continue", f"reknit resume {run.id}") if is_stopped else ("follow", f"reknit watch {run.id}")]


def _build_parts(sources: RunSources, most_bytes: int) -> list[Part]:
    stored, transcripts = sources.stored, sources.transcripts
    others = [transcript for transcript in transcripts if not find_attempt(stored.attempts, transcript)]
    share = most_bytes // max(1, min(MAX_PARTS, len(stored.attempts) + len(others)))
    parts = [_build_attempt(attempt, sources, share) for attempt in stored.attempts]
    for transcript in others:
        turns, rest = _fit_turns(list(list_read_turns(transcript.turns)), share)
        parts.append(
            Part(
                shorten(transcript.title),
                "",
                "plain",
                "",
                pluralize(len(transcript.turns), "turn"),
                turns=turns,
                rest=rest,
            )
        )
    return parts


def _build_attempt(attempt: AttemptView, sources: RunSources, share: int) -> Part:
    proof = attempt.proof or {}
    refusals, output = list_refusals(attempt), str(proof.get("output_tail") or "").splitlines()
    word, _, sentence = describe_attempt(attempt).partition(": ")
    diff = view_diff(sources.attempt_diffs.get(attempt.number, ""), share // 2, refusals)
    shown_paths = {file.path for file in diff.files}
    turns = [
        turn
        for transcript in sources.transcripts
        if find_attempt([attempt], transcript)
        for turn in list_read_turns(transcript.turns)
    ]
    shown, rest = _fit_turns(turns, share // 4)
    seconds = attempt.ended_at - attempt.started_at if attempt.ended_at else 0.0
    meta = [attempt.strategy, format_seconds(seconds), f"${attempt.cost_usd or 0:.2f}"]
    is_good = proof.get("word") in ("proven", "held") and not refusals
    return Part(
        title=f"attempt {attempt.number}",
        word=shorten(word.replace("_", " ")),
        tone="good" if is_good else "bad" if attempt.ended_at else "plain",
        sentence=shorten(sentence),
        meta=shorten(", ".join(meta)),
        refusals=tuple(
            shorten(f"{entry['rule']}: {f'{path}: ' if (path := entry['path']) else ''}{entry['sentence']}")
            for entry in refusals[:20]
            if entry["path"] not in shown_paths
        ),
        diff=diff,
        diff_command=shorten(f"reknit show {sources.stored.run.id} --attempt {attempt.number}"),
        output="\n".join(reversed(_fit_lines(reversed(output), share // 8).splitlines())),
        turns=shown,
        rest=rest,
    )  # fmt: skip


def _fit_turns(turns: Sequence[Turn], most_bytes: int) -> tuple[tuple[Turn, ...], str]:
    """Return the first turns that fit, and how many are left out."""
    shown: list[Turn] = []
    for turn in turns:
        text = turn.text[:_TEXT_CHARS] + ("…" if len(turn.text) > _TEXT_CHARS else "")
        most_bytes -= measure_html(text) + _TURN_BYTES
        if most_bytes < 0:
            break
        shown.append(Turn(turn.kind, text, shorten(turn.verb, 80), turn.is_error))
    left_out = len(turns) - len(shown)
    return tuple(shown), f"{pluralize(left_out, 'more turn')}" if left_out else ""


def _fit_lines(lines: Iterable[str], most_bytes: int) -> str:
    """Return the first lines that fit, clean and without secrets."""
    shown: list[str] = []
    for line in lines:
        text = truncate_chars(redact(clean(line[:_TEXT_CHARS])), MAX_LINE_CHARS)
        most_bytes -= measure_html(text) + 1
        if most_bytes < 0:
            break
        shown.append(text)
    return "\n".join(shown)
