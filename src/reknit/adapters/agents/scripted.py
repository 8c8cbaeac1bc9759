"""An agent that plays a story: for demos and tests, without a model, a key or a network.

The story is a JSON list with one move an attempt; after the last move it repeats that one. Each key may be left out:

    write     {"path": "text"}          files written whole
    replace   {"path": ["old", "new"]}  the first occurrence
    delete    ["path"]
    run       ["program", "argument"]   run after the edits, in the box
    say       its last words
    cost_usd  what the call is said to have cost
    outcome   done, rate_limited, overloaded, auth, turn_limit, timeout, idle or crashed
    wait_s    rate_limited, overloaded: the provider names a time so far ahead
    limited_times
              rate_limited, overloaded: after so many limits the move is played and done; left out: limited for ever
"""

import dataclasses
import importlib.resources
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from reknit.core.agent_call import (
    AgentCall,
    AgentFacts,
    AgentOrder,
    AgentSettings,
    Broke,
    Done,
    Limited,
    Outcome,
    Refused,
    Usage,
)
from reknit.core.box import Command, CommandLimits, Ended, Room
from reknit.core.errors import UsageProblem
from reknit.core.killed import KILLED
from reknit.ports import Box

MoveOutcome = Literal["done", "rate_limited", "overloaded", "auth", "turn_limit", "timeout", "idle", "crashed"]
_LIMITED = ("rate_limited", "overloaded")


@dataclass(frozen=True)
class Move:
    write: dict[str, str] = field(default_factory=dict)
    replace: dict[str, list[str]] = field(default_factory=dict)
    delete: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    say: str = ""
    cost_usd: float = 0.0
    outcome: MoveOutcome = "done"
    wait_s: float | None = None
    limited_times: int | None = None


class Scripted:
    def __init__(self, settings: AgentSettings, *, now: Callable[[], float] = time.time, **_others: object) -> None:
        """Takes what every agent is given (environment, make_gateway) and needs none of it."""
        self._has_story = bool(settings.story)
        self._moves = read_story(settings.story)
        self._now = now

    def facts(self) -> AgentFacts:
        detail = f"plays a story of {len(self._moves)} moves" if self._has_story else "agents.scripted.story is not set"
        return AgentFacts(found=self._has_story, version="1", login=True, detail=detail)

    async def fix(self, order: AgentOrder, room: Room, box: Box) -> AgentCall:
        move = self._moves[min(order.attempt, len(self._moves)) - 1]
        if move.outcome in _LIMITED:
            if not _limits_are_over(move, Path(order.folder)):
                return AgentCall(self._limit(move))
            move = dataclasses.replace(move, outcome="done")
        room = dataclasses.replace(room, programs=(*room.programs, _python()))
        ended = await box.run(room, _command(move, order))
        return AgentCall(_outcome(move, ended), Usage(cost_usd=move.cost_usd), ended.seconds, move.say)

    def _limit(self, move: Move) -> Limited:
        until = None if move.wait_s is None else self._now() + move.wait_s
        return Limited("rate_limited" if move.outcome == "rate_limited" else "overloaded", until)


def read_story(story: str) -> tuple[Move, ...]:
    """An empty story is one move that does nothing."""
    try:
        given = json.loads(story or "[{}]")
        moves = tuple(Move(**each) for each in given)
    except (ValueError, TypeError) as problem:
        raise UsageProblem("story", f"the scripted agent's story cannot be read: {problem}", help=_HELP) from problem
    unknown = [move.outcome for move in moves if move.outcome not in get_args(MoveOutcome)]
    if unknown or not moves:
        why = f"{unknown[0]!r} is no outcome" if unknown else "it has no moves"
        raise UsageProblem("story", f"the scripted agent's story cannot be played: {why}", help=_HELP)
    return moves


_HELP = 'a JSON list with one move an attempt, e.g. [{"replace": {"calc.py": ["a - b", "a + b"]}}]'


def _limits_are_over(move: Move, folder: Path) -> bool:
    """Counts this attempt's limits in a file, so that a worker that takes over goes on with the count."""
    folder.mkdir(parents=True, exist_ok=True)
    count = folder / "limited_times"
    so_far = int(count.read_text()) if count.exists() else 0
    if move.limited_times is not None and so_far >= move.limited_times:
        return True
    count.write_text(str(so_far + 1))
    return False


def _python() -> str:
    """The real file: reknit may live in a virtual environment of the very repository, which the box may not show."""
    return os.path.realpath(sys.executable)


def _command(move: Move, order: AgentOrder) -> Command:
    program = importlib.resources.files("reknit.adapters.agents").joinpath("story_player.py").read_text("utf-8")
    Path(order.folder).mkdir(parents=True, exist_ok=True)
    return Command(
        argv=(_python(), "-I", "-S", "-c", program),
        stdin=json.dumps(dataclasses.asdict(move)).encode(),
        transcript=str(Path(order.folder, "transcript.txt")),
        limits=CommandLimits(order.wall_s, order.idle_s),
    )


def _outcome(move: Move, ended: Ended) -> Outcome:
    if ended.reason in KILLED:
        return KILLED[ended.reason]
    if ended.exit_code != 0:
        return Broke("crashed", ended.stderr.decode("utf-8", "replace").strip()[-300:])
    if move.outcome == "auth":
        return Refused("auth", "the story says so")
    if move.outcome == "turn_limit":
        return Broke("turn_limit")
    return Done()
