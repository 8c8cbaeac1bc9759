"""Uses a vendor's CLI as an agent: one process in the box per call, with its model behind the gateway."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from reknit.adapters.agents import installed
from reknit.adapters.agents.cli_spec import GATEWAY_ENV, START_LIMITS, TOKEN, TOKEN_ENV, Cli, CliStart, Login
from reknit.adapters.agents.installed import InstalledCli, find_entries, hide_entries
from reknit.adapters.agents.report_retry import (
    RetryAccounting,
    account_name,
    join_calls,
    list_refused_answers,
    make_access,
    make_retry_order,
    read_key,
)
from reknit.core.agents.call import Aborted, AgentCall, AgentFacts, AgentOrder, AgentSettings, Outcome, Unusable
from reknit.core.agents.outcome import decide_outcome, explain_no_start
from reknit.core.box import GATEWAY, BoxView, Command, CommandLimits
from reknit.core.errors import ReknitError, ToolMissingError
from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.wire import WIRES
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting, Gateway, GatewayMaker

_UNISOLATED_BOX = "host"
_OUTPUT_BYTES = 50_000_000
_OWN_LOGIN = "uses its own login, which is weaker than a key: it covers the whole account and expires"


class CliAgent:
    """An agent that is a vendor's CLI; implements `ports.Agent`."""

    def __init__(
        self, cli: Cli, settings: AgentSettings, *, environment: Mapping[str, str], make_gateway: GatewayMaker
    ) -> None:
        self._cli, self._settings = cli, settings
        self._path = environment.get("PATH", "")
        self._key_env = settings.key_env or cli.key_env
        upstream = settings.upstream or environment.get(cli.upstream_env) or WIRES[cli.provider].UPSTREAM
        self._upstream = upstream.rstrip("/").removesuffix("/v1")  # OpenAI's variable has this ending, ours does not
        self._model = settings.model or cli.model
        self._make_gateway = make_gateway
        self._login: Login | None = None
        self._key = read_key(environment, self._key_env)
        if not self._key and (home := environment.get("HOME")) and (login := cli.login(home)):
            self._key, self._login = login.key, login

    @property
    def account(self) -> str:
        return account_name(self._cli.provider, self._key)

    def read_facts(self) -> AgentFacts:
        login = bool(self._key)
        try:
            version = installed.read_version(self._find_cli())
        except ReknitError as problem:
            return AgentFacts(is_installed=False, login=login, detail=problem.message)
        return AgentFacts(
            is_installed=True,
            version=version,
            login=login,
            detail="" if login else self._no_key_message,
            warning=_OWN_LOGIN if self._login else "",
        )

    async def check_start(self, view: BoxView, box: Box) -> str:
        cli = self._find_cli()
        view = dataclasses.replace(view, programs=(*view.programs, *cli.programs))
        return explain_no_start(
            await box.run(view, Command((*cli.argv, "--version"), show=cli.show, limits=START_LIMITS))
        )

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        try:
            cli = self._find_cli()
        except ToolMissingError as problem:
            return AgentCall(Unusable("config", problem.message))
        if not self._key:
            return AgentCall(Unusable("login", self._no_key_message))
        if order.budget_usd <= 0:
            return AgentCall(Aborted("budget", "nothing is left to spend"))
        first = await self._call(order, cli, view, box, accounting, "transcript.jsonl")
        retry_order = make_retry_order(order, first)
        if retry_order is None:
            return first
        retry_accounting = RetryAccounting(accounting, first.usage)
        return join_calls(
            first, await self._call(retry_order, cli, view, box, retry_accounting, "transcript.again.jsonl")
        )

    async def _call(
        self,
        order: AgentOrder,
        cli: InstalledCli,
        view: BoxView,
        box: Box,
        accounting: CallAccounting,
        transcript: str,
    ) -> AgentCall:
        gateway = self._open_gateway(order, accounting)
        programs = (*view.programs, *cli.programs)
        view = dataclasses.replace(view, programs=programs, read_only=order.reads_only)
        try:
            with hide_entries(view.tree, self._list_hidden(order, view.tree), order.folder):
                result = await box.run(view, self._make_command(order, cli, gateway, box, transcript), gateway)
        finally:
            usage = gateway.close()
        last, observation = self._cli.read(result.stdout), gateway.observation
        return AgentCall(
            outcome=self._explain_outcome(decide_outcome(result, last, observation, order.role), observation),
            usage=usage,
            seconds=result.seconds,
            last_message=last.words if last else "",
            refusals=observation.refused,
            report=observation.report,
            refused_answers=list_refused_answers(observation, order, last.words if last else ""),
        )

    def _list_hidden(self, order: AgentOrder, tree: str) -> tuple[str, ...]:
        """List the entries that the CLI must not see.

        A fixer may follow the repository's guidance: it is the user's own, or comes from a trusted author.
        """
        guidance = self._cli.guidance if order.reads_only else ()
        return (*self._cli.own, *find_entries(tree, guidance))

    def _explain_outcome(self, outcome: Outcome, observation: GatewayObservation) -> Outcome:
        if not isinstance(outcome, Unusable) or outcome.why != "auth":
            return outcome
        credential = "its own login" if self._login else f"the key in {self._key_env}"
        return Unusable("auth", f"the provider of {self._cli.title} rejected {credential} ({observation.status})")

    def _open_gateway(self, order: AgentOrder, accounting: CallAccounting) -> Gateway:
        access = make_access(
            order,
            self._cli.provider,
            upstream=self._upstream,
            key=self._key,
            model=self._model,
            login=self._login is not None and self._login.bearer,
        )
        return self._make_gateway(access, accounting)

    def _make_command(
        self, order: AgentOrder, cli: InstalledCli, gateway: Gateway, box: Box, transcript: str
    ) -> Command:
        Path(order.folder).mkdir(parents=True, exist_ok=True)
        token = gateway.token
        sandboxed = box.name != _UNISOLATED_BOX
        start = CliStart(order, self._settings, self._model, token, gateway.report_token, sandboxed, self._login)
        command = self._cli.command(start)
        login = self._login.files.items() if self._login else ()
        return dataclasses.replace(
            command,
            argv=(*cli.argv, *command.argv),
            stdin=order.prompt.encode(),
            env={**command.env, TOKEN_ENV: token, GATEWAY_ENV: GATEWAY},
            files={
                **command.files,
                **{file: content.replace(TOKEN.encode(), token.encode()) for file, content in login},
            },
            show=cli.show,
            transcript=str(Path(order.folder, transcript)),
            limits=CommandLimits(order.wall_s, order.idle_s, _OUTPUT_BYTES),
            lasting_names=True,
        )

    def _find_cli(self) -> InstalledCli:
        return installed.find_cli(self._settings.binary or self._cli.name, self._path, title=self._cli.title)

    @property
    def _no_key_message(self) -> str:
        return f"{self._key_env} is not set: export a key, or set the agent's key_env{self._cli.no_login}"
