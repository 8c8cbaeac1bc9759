"""Any program as an agent: the prompt comes on stdin, the work is what it leaves in the tree."""

import dataclasses
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from reknit.core.agent_call import (
    AgentCall,
    AgentFacts,
    AgentOrder,
    AgentSettings,
    Broke,
    Done,
    Outcome,
    Refused,
    Usage,
)
from reknit.core.box import Command, CommandLimits, Ended, Room
from reknit.core.gateway import OVER_BUDGET, caps_of
from reknit.core.killed import KILLED
from reknit.core.metering import NotNow, as_limited, dearest_usd
from reknit.core.redact import clean, redact
from reknit.ports import Box, Gateway

TOKEN = "{token}"  # noqa: S105 - a placeholder
_WORDS = 500


class AnyCommand:
    """Reaches a model only when its settings name an upstream and the variable that holds the key."""

    def __init__(
        self, settings: AgentSettings, *, environment: Mapping[str, str], make_gateway: Callable[..., Gateway]
    ) -> None:
        self._settings = settings
        self._path = environment.get("PATH", "")
        self._has_model = bool(settings.upstream and settings.key_env)
        self._key = environment.get(settings.key_env, "")
        self._make_gateway = make_gateway

    def facts(self) -> AgentFacts:
        """No version: nobody knows how this program would be asked for one."""
        problem = self._config_problem() or self._auth_problem()
        detail = problem or ("" if self._has_model else "no model access is configured")
        return AgentFacts(found=not self._config_problem(), login=not self._auth_problem(), detail=detail)

    async def fix(self, order: AgentOrder, room: Room, box: Box) -> AgentCall:
        if problem := self._config_problem():
            return AgentCall(Refused("config", problem))
        if problem := self._auth_problem():
            return AgentCall(Refused("auth", problem))
        Path(order.folder).mkdir(parents=True, exist_ok=True)
        program = self._program()
        room = dataclasses.replace(room, programs=(*room.programs, program))
        gateway = self._open_gateway(order) if self._has_model else None
        try:
            ended = await box.run(room, self._command(program, order, gateway.token if gateway else ""), gateway)
        finally:
            used = gateway.close() if gateway else Usage()
        return AgentCall(
            outcome=_outcome(ended, gateway),
            usage=dataclasses.replace(used, cost_usd=dearest_usd(used)),
            seconds=ended.seconds,
            said=redact(clean(ended.stdout[-4 * _WORDS :].decode("utf-8", "replace"))).strip()[-_WORDS:],
            refusals=gateway.refused if gateway else (),
        )

    def _open_gateway(self, order: AgentOrder) -> Gateway:
        caps = caps_of(order, self._settings.model)
        return self._make_gateway(
            upstream=self._settings.upstream,
            key=self._key,
            key_header="x-api-key",
            allow_search=order.strategy == "search",
            max_requests=caps.max_requests,
            max_tokens=caps.max_tokens,
        )

    def _command(self, program: str, order: AgentOrder, token: str) -> Command:
        return Command(
            argv=(program, *self._settings.command[1:]),
            stdin=order.prompt.encode(),
            env={name: value.replace(TOKEN, token) for name, value in self._settings.env},
            transcript=str(Path(order.folder, "transcript.txt")),
            limits=CommandLimits(order.wall_s, order.idle_s),
        )

    def _program(self) -> str:
        """By its path on the host; the box shows it there together with its toolchain."""
        return (self._settings.command and shutil.which(self._settings.command[0], path=self._path)) or ""

    def _config_problem(self) -> str:
        if not self._settings.command:
            return "the agent has no command"
        return "" if self._program() else f"{self._settings.command[0]!r} is not on PATH"

    def _auth_problem(self) -> str:
        return f"{self._settings.key_env} is not set" if self._has_model and not self._key else ""


def _outcome(ended: Ended, gateway: Gateway | None) -> Outcome:
    if ended.reason in KILLED:
        return KILLED[ended.reason]
    if ended.exit_code == 0:
        return Done()
    if gateway and OVER_BUDGET in gateway.refused:
        return Broke("budget")
    if gateway and (limit := gateway.limit):
        return as_limited(NotNow(limit.status, limit.until))
    words = redact(clean(ended.stderr.decode("utf-8", "replace"))).strip()[-_WORDS:]
    return Broke("crashed", f"exit code {ended.exit_code}: {words}" if words else f"exit code {ended.exit_code}")
