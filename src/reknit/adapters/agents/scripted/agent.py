"""Uses a scripted story as an agent, for demos and tests: it needs no model, key or network.

The story is a JSON list with one move per attempt; the last move repeats. Every key of a move is optional:

    write     {"path": "text"}          writes whole files
    replace   {"path": ["old", "new"]}  replaces the first occurrence
    delete    ["path"]
    run       ["program", "argument"]   run after the edits, in the box
    say       its final message
    report    its report: {"verdict", "score_0_100", "summary", "findings"}, {"status", "summary", "question"}, the
              fields of `PlanProposal`, or {"cases": [{"test", "path", "text", "about"}]}
    refused   plans that the agent sends before its report, and that are refused
    cost_usd  the cost that the call claims
    outcome   how it ends, one of `MoveOutcome`; default: done
    wait_s    for rate_limited, overloaded and unreachable: seconds until the retry time that the provider names
    limited_times
              for the same three: after this many limits the move is played; default: limited forever
    account   the provider account it uses; the first one in the story counts
    when      a text: the move is for prompts that contain it, whatever the number of the attempt
"""

import dataclasses
import importlib.resources
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from reknit.core.agent_reports.values import (
    CaseProposal,
    FixReport,
    HeldOutCase,
    PlannedTask,
    PlanProposal,
    RefusedAnswer,
    Report,
    ReportedFinding,
    Review,
)
from reknit.core.agents.call import (
    Aborted,
    AgentCall,
    AgentFacts,
    AgentOrder,
    AgentSettings,
    Outcome,
    RateLimited,
    Unusable,
    Usage,
)
from reknit.core.agents.outcome import FinalEvent, decide_outcome, to_rate_limited
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.errors import UsageError
from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting

MoveOutcome = Literal[
    "done", "rate_limited", "overloaded", "unreachable", "login", "auth", "config", "bad_request", "turn_limit",
    "budget", "timeout", "idle", "crashed", "refused", "asked_a_question", "invalid_output",
]  # fmt: skip

_HELP = 'a JSON list with one move per attempt, e.g. [{"replace": {"calc.py": ["a - b", "a + b"]}}]'


@dataclass(frozen=True)
class Move:
    """One move of a story; the module's docstring explains the fields."""

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
    """Parse a story. An empty one is one move that does nothing."""
    try:
        moves = tuple(Move(**move) for move in json.loads(story or "[{}]"))
        for move in moves:
            parse_report(move)
    except (ValueError, TypeError) as problem:
        raise UsageError("story", f"the scripted agent's story cannot be read: {problem}", help=_HELP) from problem
    unknown = [move.outcome for move in moves if move.outcome not in get_args(MoveOutcome)]
    if unknown or not moves:
        why = f"{unknown[0]!r} is not an outcome" if unknown else "it has no moves"
        raise UsageError("story", f"the scripted agent's story cannot be played: {why}", help=_HELP)
    return moves


def choose_move(moves: tuple[Move, ...], attempt: int, prompt: str) -> Move:
    """Return the first move for this prompt, or else the one of the attempt."""
    prompted_move = next((move for move in moves if move.when and move.when in prompt), None)
    in_order = [move for move in moves if not move.when] or [Move()]
    return prompted_move or in_order[min(attempt, len(in_order)) - 1]


def parse_report(move: Move) -> Report | None:
    """Return the report of a move as a value; None if the move has none."""
    report = move.report
    if report is None:
        return None
    if "primary" in report:
        tasks = tuple(
            PlannedTask(**{**task, "files": (*task.get("files", ()),), "new_files": (*task.get("new_files", ()),)})
            for task in report["tasks"]
        )
        return PlanProposal(**{**report, "tasks": tasks, "acceptance_criteria": (*report["acceptance_criteria"],)})
    if "cases" in report:
        return CaseProposal(tuple(HeldOutCase(**case) for case in report["cases"]))
    if "verdict" not in report:
        return FixReport(**report)
    findings = tuple(ReportedFinding(**finding) for finding in report.get("findings", ()))
    return Review(**{**report, "findings": findings})


_STATUS: Mapping[MoveOutcome, int] = {"rate_limited": 429, "overloaded": 529, "unreachable": UNREACHABLE}
_REASON = "scripted by the story"
_ENDINGS: Mapping[MoveOutcome, Outcome] = {
    "login": Unusable("login", _REASON),
    "auth": Unusable("auth", _REASON),
    "config": Unusable("config", _REASON),
    "bad_request": Unusable("bad_request", _REASON),
    "turn_limit": Aborted("turn_limit"),
    "budget": Aborted("budget"),
    "refused": Aborted("refused", _REASON),
    "asked_a_question": Aborted("asked_a_question", _REASON),
    "invalid_output": Aborted("invalid_output", _REASON),
}


class ScriptedAgent:
    """An agent that plays its story; implements `ports.Agent`."""

    def __init__(self, settings: AgentSettings, *, now: Callable[[], float] = time.time, **_others: object) -> None:
        """Accept the arguments of every agent (environment, make_gateway) and use none of them."""
        self._has_story = bool(settings.story)
        self._moves = read_story(settings.story)
        self._now = now

    @property
    def account(self) -> str:
        return next((move.account for move in self._moves if move.account), "")

    def read_facts(self) -> AgentFacts:
        detail = f"plays a story of {len(self._moves)} moves" if self._has_story else "agents.scripted.story is not set"
        return AgentFacts(is_installed=self._has_story, version="1", login=True, detail=detail)

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        if limited := self._find_known_limit(accounting):
            return AgentCall(limited)
        move = choose_move(self._moves, order.attempt, order.prompt)
        if move.outcome in _STATUS:
            if not _has_used_up_limits(move, Path(order.folder)):
                return AgentCall(self._record_limit(move, accounting))
            move = dataclasses.replace(move, outcome="done")
        accounting.record_cost(move.cost_usd)
        programs = (*view.programs, _python_program())
        view = dataclasses.replace(view, programs=programs, read_only=order.reads_only)
        result = await box.run(view, _make_command(move, order))
        if self.account:
            accounting.accounts.record_success(self.account)
        outcome = _judge_outcome(move, result, order)
        return AgentCall(
            outcome,
            Usage(cost_usd=move.cost_usd),
            result.seconds,
            move.say,
            report=parse_report(move),
            refused_answers=tuple(RefusedAnswer(raw, _REASON) for raw in move.refused),
        )

    def _find_known_limit(self, accounting: CallAccounting) -> RateLimited | None:
        """Return the account's rate limit, if any: like the gateway, the agent sends nothing to a limited account."""
        until = accounting.accounts.not_before(self.account) if self.account else None
        return None if until is None else RateLimited("rate_limited", until)

    def _record_limit(self, move: Move, accounting: CallAccounting) -> RateLimited:
        limit = ProviderRefusal(_STATUS[move.outcome], None if move.wait_s is None else self._now() + move.wait_s)
        if self.account:
            accounting.accounts.record_limit(self.account, limit)
        return to_rate_limited(limit)


def _has_used_up_limits(move: Move, folder: Path) -> bool:
    """Return True if the attempt has met all its rate limits; otherwise count one more.

    The count is in a file, so that a worker that takes over continues it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = folder / "limited_times"
    number = int(count.read_text()) if count.exists() else 0
    if move.limited_times is not None and number >= move.limited_times:
        return True
    count.write_text(str(number + 1))
    return False


def _python_program() -> str:
    """Return the real file: a box may not show its link, if reknit is installed in a venv of the same repository."""
    return os.path.realpath(sys.executable)


def _make_command(move: Move, order: AgentOrder) -> Command:
    program = importlib.resources.files("reknit.adapters.agents.scripted").joinpath("player.py").read_text("utf-8")
    Path(order.folder).mkdir(parents=True, exist_ok=True)
    return Command(
        argv=(_python_program(), "-I", "-S", "-c", program),
        stdin=json.dumps(dataclasses.asdict(move)).encode(),
        transcript=str(Path(order.folder, "transcript.txt")),
        limits=CommandLimits(order.wall_s, order.idle_s),
        lasting_names=True,
    )


def _judge_outcome(move: Move, result: CommandResult, order: AgentOrder) -> Outcome:
    """Return how the call ended. A move that was played to its end counts like a CLI that finished."""
    last = FinalEvent(has_finished=True) if result.exit_code == 0 else None
    if last and result.reason == "exit" and move.outcome in _ENDINGS:
        return _ENDINGS[move.outcome]
    return decide_outcome(result, last, GatewayObservation(report=parse_report(move)), order.role)
