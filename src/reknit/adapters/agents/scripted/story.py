"""The story of a scripted agent: a JSON list with one move per attempt; the last move repeats.

Every key of a move is optional:

    write     {"path": "text"}          writes whole files
    replace   {"path": ["old", "new"]}  replaces the first occurrence
    delete    ["path"]
    run       ["program", "argument"]   run after the edits, in the box
    say       its final message
    report    what it reports: {"verdict", "score_0_100", "summary", "findings"}, {"status", "summary", "question"}, the
              fields of `PlanProposal`, or {"cases": [{"test", "path", "text", "about"}]}
    refused   answers to a request for a plan that are refused, before the report
    cost_usd  what the call claims to cost
    outcome   how it ends, one of `MoveOutcome`; default: done
    wait_s    rate_limited, overloaded, unreachable: seconds until the retry time the provider names
    limited_times
              the same three: after this many limits the move is played and done; default: limited forever
    account   the provider account it uses; the first one in the story counts
    when      a text: the move is for prompts that contain it, whatever the number of the attempt
"""

import json
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from reknit.core.agent_reports.values import (
    CaseProposal,
    FixReport,
    HeldOutCase,
    PlannedTask,
    PlanProposal,
    Report,
    ReportedFinding,
    Review,
)
from reknit.core.errors import UsageProblem

MoveOutcome = Literal[
    "done", "rate_limited", "overloaded", "unreachable", "login", "auth", "config", "bad_request", "turn_limit",
    "budget", "timeout", "idle", "crashed", "refused", "asked_a_question", "invalid_output",
]  # fmt: skip

_HELP = 'a JSON list with one move per attempt, e.g. [{"replace": {"calc.py": ["a - b", "a + b"]}}]'


@dataclass(frozen=True)
class Move:
    write: dict[str, str] = field(default_factory=dict)
    replace: dict[str, list[str]] = field(default_factory=dict)
    delete: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    say: str = ""
    report: dict[str, Any] | None = None
    refused: list[str] = field(default_factory=list)
    cost_usd: float = 0.0
    outcome: MoveOutcome = "done"
    wait_s: float | None = None
    limited_times: int | None = None
    account: str = ""
    when: str = ""


def read_story(story: str) -> tuple[Move, ...]:
    """An empty story is one move that does nothing."""
    try:
        moves = tuple(Move(**each) for each in json.loads(story or "[{}]"))
        for move in moves:
            report_of(move)
    except (ValueError, TypeError) as problem:
        raise UsageProblem("story", f"the scripted agent's story cannot be read: {problem}", help=_HELP) from problem
    unknown = [move.outcome for move in moves if move.outcome not in get_args(MoveOutcome)]
    if unknown or not moves:
        why = f"{unknown[0]!r} is not an outcome" if unknown else "it has no moves"
        raise UsageProblem("story", f"the scripted agent's story cannot be played: {why}", help=_HELP)
    return moves


def move_for(moves: tuple[Move, ...], attempt: int, prompt: str) -> Move:
    """The first that is for this prompt, or else that of the attempt."""
    told = next((move for move in moves if move.when and move.when in prompt), None)
    in_order = [move for move in moves if not move.when] or [Move()]
    return told or in_order[min(attempt, len(in_order)) - 1]


def report_of(move: Move) -> Report | None:
    report = move.report
    if report is None:
        return None
    if "primary" in report:
        tasks = tuple(PlannedTask(**each) for each in report["tasks"])
        return PlanProposal(**{**report, "tasks": tasks, "acceptance_criteria": (*report["acceptance_criteria"],)})
    if "cases" in report:
        return CaseProposal(tuple(HeldOutCase(**each) for each in report["cases"]))
    if "verdict" not in report:
        return FixReport(**report)
    findings = tuple(ReportedFinding(**each) for each in report.get("findings", ()))
    return Review(**{**report, "findings": findings})
