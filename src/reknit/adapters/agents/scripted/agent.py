"""An agent that plays a story (`story.py`): for demos and tests, without a model, a key or a network."""

import dataclasses
import importlib.resources
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from reknit.adapters.agents.scripted.story import Move, MoveOutcome, move_for, read_story, report_of
from reknit.core.agent_reports.values import RefusedAnswer
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
from reknit.core.agents.outcome import FinalEvent, as_limited, outcome_of
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting

_STATUS: Mapping[MoveOutcome, int] = {"rate_limited": 429, "overloaded": 529, "unreachable": UNREACHABLE}
_TOLD = "scripted by the story"
_ENDINGS: Mapping[MoveOutcome, Outcome] = {
    "login": Unusable("login", _TOLD),
    "auth": Unusable("auth", _TOLD),
    "config": Unusable("config", _TOLD),
    "bad_request": Unusable("bad_request", _TOLD),
    "turn_limit": Aborted("turn_limit"),
    "budget": Aborted("budget"),
    "refused": Aborted("refused", _TOLD),
    "asked_a_question": Aborted("asked_a_question", _TOLD),
    "invalid_output": Aborted("invalid_output", _TOLD),
}


class Scripted:
    def __init__(self, settings: AgentSettings, *, now: Callable[[], float] = time.time, **_others: object) -> None:
        """Accepts what every agent gets (environment, make_gateway) and uses none of it."""
        self._has_story = bool(settings.story)
        self._moves = read_story(settings.story)
        self._now = now

    @property
    def account(self) -> str:
        return next((move.account for move in self._moves if move.account), "")

    def facts(self) -> AgentFacts:
        detail = f"plays a story of {len(self._moves)} moves" if self._has_story else "agents.scripted.story is not set"
        return AgentFacts(found=self._has_story, version="1", login=True, detail=detail)

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        if limited := self._known_limit(accounting):
            return AgentCall(limited)
        move = move_for(self._moves, order.attempt, order.prompt)
        if move.outcome in _STATUS:
            if not _limits_are_over(move, Path(order.folder)):
                return AgentCall(self._limit(move, accounting))
            move = dataclasses.replace(move, outcome="done")
        accounting.spent(move.cost_usd)
        programs = (*view.programs, _python())
        view = dataclasses.replace(view, programs=programs, read_only=order.reads_only)
        ended = await box.run(view, _command(move, order))
        if self.account:
            accounting.accounts.served(self.account)
        outcome = _outcome(move, ended, order)
        return AgentCall(
            outcome,
            Usage(cost_usd=move.cost_usd),
            ended.seconds,
            move.say,
            report=report_of(move),
            refused_answers=tuple(RefusedAnswer(raw, _TOLD) for raw in move.refused),
        )

    def _known_limit(self, accounting: CallAccounting) -> RateLimited | None:
        """Like the gateway, it sends nothing to an account that is known to be rate limited."""
        until = accounting.accounts.not_before(self.account) if self.account else None
        return None if until is None else RateLimited("rate_limited", until)

    def _limit(self, move: Move, accounting: CallAccounting) -> RateLimited:
        limit = ProviderRefusal(_STATUS[move.outcome], None if move.wait_s is None else self._now() + move.wait_s)
        if self.account:
            accounting.accounts.limited(self.account, limit)
        return as_limited(limit)


def _limits_are_over(move: Move, folder: Path) -> bool:
    """Counts this attempt's rate limits in a file, so that a worker that takes over continues the count."""
    folder.mkdir(parents=True, exist_ok=True)
    count = folder / "limited_times"
    so_far = int(count.read_text()) if count.exists() else 0
    if move.limited_times is not None and so_far >= move.limited_times:
        return True
    count.write_text(str(so_far + 1))
    return False


def _python() -> str:
    """The real file: reknit may be installed in a venv of this very repository, which the box may not show."""
    return os.path.realpath(sys.executable)


def _command(move: Move, order: AgentOrder) -> Command:
    program = importlib.resources.files("reknit.adapters.agents.scripted").joinpath("player.py").read_text("utf-8")
    Path(order.folder).mkdir(parents=True, exist_ok=True)
    return Command(
        argv=(_python(), "-I", "-S", "-c", program),
        stdin=json.dumps(dataclasses.asdict(move)).encode(),
        transcript=str(Path(order.folder, "transcript.txt")),
        limits=CommandLimits(order.wall_s, order.idle_s),
        lasting_names=True,
    )


def _outcome(move: Move, ended: CommandResult, order: AgentOrder) -> Outcome:
    """A move that was played to its end is judged like a CLI that finished."""
    last = FinalEvent(finished=True) if ended.exit_code == 0 else None
    if last and ended.reason == "exit" and move.outcome in _ENDINGS:
        return _ENDINGS[move.outcome]
    return outcome_of(ended, last, GatewayObservation(report=report_of(move)), order.role)
