"""Claude Code as an agent: one process in the box per call, its model behind the gateway."""

import dataclasses
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from reknit.adapters import process
from reknit.core.agent_call import AgentCall, AgentFacts, AgentOrder, AgentSettings, Broke, Refused, Usage
from reknit.core.box import GATEWAY, Command, CommandLimits, Room
from reknit.core.errors import ReknitError
from reknit.core.gateway import caps_of
from reknit.core.metering import NotNow, dearest_usd
from reknit.core.parsers import claude_stream
from reknit.core.strategy import Strategy
from reknit.ports import Box, Gateway

VENDOR = "https://api.anthropic.com"
KEY_ENV = "ANTHROPIC_API_KEY"

_TOOLS = ("Agent", "Bash", "Edit", "NotebookEdit", "Read", "Write")
_SEARCH = "WebSearch"
_NEVER = "WebFetch"
"""It fetches from inside the box, where there is no network."""

_NO_WALLS = "host"
"""Everywhere else the box is the wall, and the CLI's own permissions are only in the way."""

_OUTPUT_BYTES = 50_000_000
_VERSION_S = 20.0


class Claude:
    def __init__(
        self, settings: AgentSettings, *, environment: Mapping[str, str], make_gateway: Callable[..., Gateway]
    ) -> None:
        self._settings = settings
        self._path = environment.get("PATH", "")
        self._key_env = settings.key_env or KEY_ENV
        self._key = environment.get(self._key_env, "")
        self._upstream = settings.upstream or environment.get("ANTHROPIC_BASE_URL") or VENDOR
        self._make_gateway = make_gateway

    def facts(self) -> AgentFacts:
        binary = self._binary()
        if not binary:
            return AgentFacts(found=False, login=bool(self._key), detail=self._not_found)
        try:
            version = _version(binary)
        except ReknitError as problem:
            return AgentFacts(found=False, login=bool(self._key), detail=problem.what)
        return AgentFacts(
            found=True,
            version=version,
            login=bool(self._key),
            detail="" if self._key else self._no_key,
            extra={"binary": binary},
        )

    async def fix(self, order: AgentOrder, room: Room, box: Box) -> AgentCall:
        binary = self._binary()
        if not binary:
            return AgentCall(Refused("config", self._not_found))
        if not self._key:
            return AgentCall(Refused("auth", self._no_key))
        if order.budget_usd <= 0:
            return AgentCall(Broke("budget", "nothing is left to spend"))
        caps = caps_of(order, self._settings.model)
        gateway = self._make_gateway(
            upstream=self._upstream,
            key=self._key,
            key_header="x-api-key",
            allow_search=order.strategy == "search",
            max_requests=caps.max_requests,
            max_tokens=caps.max_tokens,
        )
        Path(order.folder).mkdir(parents=True, exist_ok=True)
        try:
            ended = await box.run(room, self._command(binary, order, gateway.token, box.name), gateway)
        finally:
            metered = gateway.close()
        end = claude_stream.read(ended.stdout)
        limit = NotNow(noted.status, noted.until) if (noted := gateway.limit) else None
        return AgentCall(
            outcome=claude_stream.outcome(end, ended, limit=limit, refused=gateway.refused),
            usage=_usage(end, metered),
            seconds=ended.seconds,
            said=end.words if end else "",
            refusals=gateway.refused,
        )

    def _command(self, binary: str, order: AgentOrder, token: str, box: str) -> Command:
        return Command(
            argv=(binary, *self._arguments(order, box)),
            stdin=order.prompt.encode(),
            env=_environment(token),
            show=(binary,),
            transcript=str(Path(order.folder, "transcript.jsonl")),
            limits=CommandLimits(order.wall_s, order.idle_s, _OUTPUT_BYTES),
        )

    def _arguments(self, order: AgentOrder, box: str) -> list[str]:
        return [
            "-p", "--output-format", "stream-json", "--verbose",
            "--permission-mode", "acceptEdits" if box == _NO_WALLS else "bypassPermissions",
            "--setting-sources", "", "--strict-mcp-config", "--no-session-persistence",
            "--max-turns", str(order.turns), "--max-budget-usd", f"{order.budget_usd:.4f}",
            *_tools(order.strategy),
            *(("--model", self._settings.model) if self._settings.model else ()),
            *(("--effort", self._settings.effort) if self._settings.effort else ()),
        ]  # fmt: skip

    def _binary(self) -> str:
        """The real file: a link on PATH leads out of what the box shows."""
        found = shutil.which(self._settings.binary or "claude", path=self._path)
        return os.path.realpath(found) if found else ""

    @property
    def _not_found(self) -> str:
        return f"{self._settings.binary or 'claude'!r} is not on PATH: install Claude Code or set the agent's binary"

    @property
    def _no_key(self) -> str:
        return f"{self._key_env} is not set: export a key, or set the agent's key_env"


def _tools(strategy: Strategy) -> list[str]:
    if strategy == "search":
        return ["--tools", ",".join((*_TOOLS, _SEARCH)), "--disallowedTools", _NEVER]
    return ["--tools", ",".join(_TOOLS), "--disallowedTools", f"{_NEVER},{_SEARCH}"]


def _environment(token: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": GATEWAY,
        "ANTHROPIC_API_KEY": token,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",  # a limit is waited for by the durable engine, not slept away in here
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def _usage(end: claude_stream.ClaudeEnd | None, metered: Usage) -> Usage:
    """The CLI knows the price; the counts are the larger ones. A killed CLI names none: the dearest is charged."""
    if end is None:
        return dataclasses.replace(metered, cost_usd=dearest_usd(metered))
    told = end.usage
    cost_usd = told.cost_usd or dearest_usd(metered)
    return dataclasses.replace(
        metered,
        input_tokens=max(told.input_tokens, metered.input_tokens),
        cached_tokens=max(told.cached_tokens, metered.cached_tokens),
        output_tokens=max(told.output_tokens, metered.output_tokens),
        cost_usd=cost_usd,
    )


def _version(binary: str) -> str:
    with tempfile.TemporaryDirectory(prefix="reknit-") as home:
        env = {
            "HOME": home,
            "TMPDIR": home,
            "PATH": "/usr/bin:/bin",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }
        told = process.run([binary, "--version"], env=env, cwd=home, timeout_s=_VERSION_S)
    return told.stdout.decode("utf-8", "replace").strip().partition(" ")[0]
