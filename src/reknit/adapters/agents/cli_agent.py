"""A vendor's CLI as an agent: one process in the box per call, its model behind the gateway, a typed outcome."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from reknit.adapters.agents import installed
from reknit.adapters.agents.cli_spec import GATEWAY_ENV, TOKEN, TOKEN_ENV, Cli, CliStart, Login
from reknit.adapters.agents.hidden_config import hidden, named
from reknit.adapters.agents.installed import InstalledCli
from reknit.adapters.agents.model_access import account_of, admission, key_in
from reknit.adapters.agents.report_retry import FurtherAccounting, corrected, joined, refused_answers
from reknit.core.agents.call import Aborted, AgentCall, AgentFacts, AgentOrder, AgentSettings, Outcome, Unusable
from reknit.core.agents.outcome import outcome_of
from reknit.core.box import GATEWAY, BoxView, Command, CommandLimits
from reknit.core.errors import ReknitError, ToolMissing
from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.wire import WIRES
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting, Gateway, GatewayMaker

_NO_WALLS = "host"
_OUTPUT_BYTES = 50_000_000
_OWN_LOGIN = "uses its own login, which is weaker than a key: it covers the whole account and expires"


class CliAgent:
    """Implements `ports.Agent`."""

    def __init__(
        self, cli: Cli, settings: AgentSettings, *, environment: Mapping[str, str], make_gateway: GatewayMaker
    ) -> None:
        self._cli, self._settings = cli, settings
        self._path = environment.get("PATH", "")
        self._key_env = settings.key_env or cli.key_env
        upstream = settings.upstream or environment.get(cli.upstream_env) or WIRES[cli.provider].UPSTREAM
        self._upstream = upstream.rstrip("/").removesuffix("/v1")  # OpenAI's tools expect it there
        self._model = settings.model or cli.model
        self._make_gateway = make_gateway
        self._login: Login | None = None
        self._key = key_in(environment, self._key_env)
        if not self._key and (home := environment.get("HOME")) and (login := cli.login(home)):
            self._key, self._login = login.key, login

    @property
    def account(self) -> str:
        return account_of(self._cli.provider, self._key)

    def facts(self) -> AgentFacts:
        login = bool(self._key)
        try:
            version = installed.version(self._installed())
        except ReknitError as problem:
            return AgentFacts(found=False, login=login, detail=problem.what)
        return AgentFacts(
            found=True,
            version=version,
            login=login,
            detail="" if login else self._no_key,
            warning=_OWN_LOGIN if self._login else "",
        )

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        try:
            found = self._installed()
        except ToolMissing as problem:
            return AgentCall(Unusable("config", problem.what))
        if not self._key:
            return AgentCall(Unusable("login", self._no_key))
        if order.budget_usd <= 0:
            return AgentCall(Aborted("budget", "nothing is left to spend"))
        first = await self._call(order, found, view, box, accounting, "transcript.jsonl")
        again = corrected(order, first)
        if again is None:
            return first
        further = FurtherAccounting(accounting, first.usage.cost_usd)
        return joined(first, await self._call(again, found, view, box, further, "transcript.again.jsonl"))

    async def _call(
        self,
        order: AgentOrder,
        found: InstalledCli,
        view: BoxView,
        box: Box,
        accounting: CallAccounting,
        transcript: str,
    ) -> AgentCall:
        gateway = self._open_gateway(order, accounting)
        programs = (*view.programs, *found.programs)
        view = dataclasses.replace(view, programs=programs, read_only=order.reads_only)
        try:
            with hidden(view.tree, self._not_shown(order, view.tree), order.folder):
                ended = await box.run(view, self._command(order, found, gateway, box, transcript), gateway)
        finally:
            usage = gateway.close()
        last, seen = self._cli.read(ended.stdout), gateway.seen
        return AgentCall(
            outcome=self._explained(outcome_of(ended, last, seen, order.role), seen),
            usage=usage,
            seconds=ended.seconds,
            said=last.words if last else "",
            refusals=seen.refused,
            report=seen.report,
            refused_answers=refused_answers(seen, order, last.words if last else ""),
        )

    def _not_shown(self, order: AgentOrder, tree: str) -> tuple[str, ...]:
        """A fixer may follow the repository's guidance: it is the user's own, or comes from a trusted author."""
        guidance = self._cli.guidance if order.reads_only else ()
        return (*self._cli.own, *named(tree, guidance))

    def _explained(self, outcome: Outcome, seen: GatewayObservation) -> Outcome:
        if not isinstance(outcome, Unusable) or outcome.why != "auth":
            return outcome
        whose = "its own login" if self._login else f"the key in {self._key_env}"
        return Unusable("auth", f"the provider of {self._cli.title} rejected {whose} ({seen.status})")

    def _open_gateway(self, order: AgentOrder, accounting: CallAccounting) -> Gateway:
        access = admission(
            order,
            self._cli.provider,
            upstream=self._upstream,
            key=self._key,
            model=self._model,
            login=self._login is not None and self._login.bearer,
        )
        return self._make_gateway(access, accounting)

    def _command(self, order: AgentOrder, found: InstalledCli, gateway: Gateway, box: Box, transcript: str) -> Command:
        Path(order.folder).mkdir(parents=True, exist_ok=True)
        token = gateway.token
        tokens, sandboxed = (token, gateway.report_token), box.name != _NO_WALLS
        start = CliStart(order, self._settings, self._model, *tokens, sandboxed, self._login)
        command = self._cli.command(start)
        login = self._login.files.items() if self._login else ()
        return dataclasses.replace(
            command,
            argv=(*found.argv, *command.argv),
            stdin=order.prompt.encode(),
            env={**command.env, TOKEN_ENV: token, GATEWAY_ENV: GATEWAY},
            files={
                **command.files,
                **{file: content.replace(TOKEN.encode(), token.encode()) for file, content in login},
            },
            show=found.show,
            transcript=str(Path(order.folder, transcript)),
            limits=CommandLimits(order.wall_s, order.idle_s, _OUTPUT_BYTES),
            lasting_names=True,
        )

    def _installed(self) -> InstalledCli:
        return installed.find(self._settings.binary or self._cli.name, self._path, title=self._cli.title)

    @property
    def _no_key(self) -> str:
        return f"{self._key_env} is not set: export a key, or set the agent's key_env{self._cli.no_login}"
