"""Any program as an agent: it gets the prompt on stdin, and its work is what it leaves in the tree."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from reknit.adapters.agents.cli_spec import TOKEN
from reknit.adapters.agents.model_access import account_of, admission, key_in
from reknit.adapters.process import find_program
from reknit.core.agents.call import Aborted, AgentCall, AgentFacts, AgentOrder, AgentSettings, Unusable, Usage
from reknit.core.agents.outcome import FinalEvent, last_words, outcome_of
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.gateway.access import GatewayObservation, ProviderName
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting, Gateway, GatewayMaker

_PROVIDERS: Mapping[str, ProviderName] = {name: name for name in get_args(ProviderName)}


_NO = (0, 401, 403)
"""Statuses after which the program cannot have done anything."""


class AnyCommand:
    """Has access to a model only if its settings name an upstream and the variable that holds the key."""

    def __init__(self, settings: AgentSettings, *, environment: Mapping[str, str], make_gateway: GatewayMaker) -> None:
        self._settings = settings
        self._path = environment.get("PATH", "")
        self._provider = settings.provider or "anthropic"
        self._has_model = bool(settings.upstream and settings.key_env)
        self._key = key_in(environment, settings.key_env) if self._has_model else ""
        self._make_gateway = make_gateway

    @property
    def account(self) -> str:
        return account_of(self._provider, self._key)

    def facts(self) -> AgentFacts:
        """No version: there is no known way to ask an arbitrary program for one."""
        problem = self._config_problem() or self._login_problem()
        detail = problem or ("" if self._has_model else "no model access is configured")
        return AgentFacts(found=not self._config_problem(), login=not self._login_problem(), detail=detail)

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        if problem := self._config_problem():
            return AgentCall(Unusable("config", problem))
        if problem := self._login_problem():
            return AgentCall(Unusable("login", problem))
        if self._has_model and order.budget_usd <= 0:
            return AgentCall(Aborted("budget", "nothing is left to spend"))
        program = self._program()
        programs = (*view.programs, program)
        view = dataclasses.replace(view, programs=programs, read_only=order.reads_only)
        gateway = self._open_gateway(order, accounting) if self._has_model else None
        try:
            ended = await box.run(view, self._command(program, order, gateway), gateway)
        finally:
            usage = gateway.close() if gateway else Usage()
        seen = gateway.seen if gateway else GatewayObservation()
        return AgentCall(
            outcome=outcome_of(ended, _last_word(ended, seen), seen, order.role),
            usage=usage,
            seconds=ended.seconds,
            said=last_words(ended.stdout),
            refusals=seen.refused,
            report=seen.report,
            refused_answers=seen.refused_answers,
        )

    def _open_gateway(self, order: AgentOrder, accounting: CallAccounting) -> Gateway:
        given, provider = self._settings, _PROVIDERS[self._provider]
        access = admission(order, provider, upstream=given.upstream, key=self._key, model=given.model)
        return self._make_gateway(access, accounting)

    def _command(self, program: str, order: AgentOrder, gateway: Gateway | None) -> Command:
        Path(order.folder).mkdir(parents=True, exist_ok=True)
        token = gateway.token if gateway else ""
        return Command(
            argv=(program, *self._settings.command[1:]),
            stdin=order.prompt.encode(),
            env={name: value.replace(TOKEN, token) for name, value in self._settings.env},
            transcript=str(Path(order.folder, "transcript.txt")),
            limits=CommandLimits(order.wall_s, order.idle_s),
            lasting_names=True,
        )

    def _program(self) -> str:
        """Its path on the host; the box shows it there together with its toolchain."""
        return find_program(self._settings.command[0], self._path) if self._settings.command else ""

    def _config_problem(self) -> str:
        if not self._settings.command:
            return "the agent has no command"
        if self._provider not in _PROVIDERS:
            return f"{self._provider!r} is not a provider; available: {', '.join(_PROVIDERS)}"
        return "" if self._program() else f"{self._settings.command[0]!r} is not on PATH"

    def _login_problem(self) -> str:
        return f"{self._settings.key_env} is not set" if self._has_model and not self._key else ""


def _last_word(ended: CommandResult, seen: GatewayObservation) -> FinalEvent | None:
    """The exit code decides, unless the model's last answer was a refusal: some programs exit 0 even then.

    A failure that the model's answers do not explain is a crash of the program itself.
    """
    was_stopped = seen.limit is not None or seen.status in _NO or (seen.status or 0) >= 500
    if ended.exit_code == 0 and not was_stopped:
        return FinalEvent(finished=True)
    is_explained = was_stopped or (seen.status is not None and seen.status != 200)
    words = last_words(ended.stderr) or last_words(ended.stdout)
    return FinalEvent(finished=False, words=words) if is_explained else None
