"""Uses any program as an agent: it reads the prompt from stdin, and its work is the files that it changes."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from reknit.adapters.agents.cli_spec import START_LIMITS, TOKEN
from reknit.adapters.agents.report_retry import account_name, make_access, read_key
from reknit.adapters.process import find_program
from reknit.core.agents.call import Aborted, AgentCall, AgentFacts, AgentOrder, AgentSettings, Unusable, Usage
from reknit.core.agents.outcome import FinalEvent, decide_outcome, explain_no_start, take_last_words
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.gateway.access import GatewayObservation, ProviderName
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting, Gateway, GatewayMaker

_PROVIDERS: Mapping[str, ProviderName] = {name: name for name in get_args(ProviderName)}
_NO_WORK_STATUSES = (0, 401, 403)
"""HTTP statuses that mean that no model worked for the program."""


class AnyCommand:
    """Any program as an agent. It can reach a model only if its settings name an upstream and a key variable."""

    def __init__(self, settings: AgentSettings, *, environment: Mapping[str, str], make_gateway: GatewayMaker) -> None:
        self._settings = settings
        self._path = environment.get("PATH", "")
        self._provider = settings.provider or "anthropic"
        self._has_model = bool(settings.upstream and settings.key_env)
        self._key = read_key(environment, settings.key_env) if self._has_model else ""
        self._make_gateway = make_gateway

    @property
    def account(self) -> str:
        return account_name(self._provider, self._key)

    def read_facts(self) -> AgentFacts:
        """Return the agent's state, without a version: arbitrary programs have no known way to print one."""
        problem = self._find_config_problem() or self._find_login_problem()
        detail = problem or ("" if self._has_model else "no model access is configured")
        return AgentFacts(
            is_installed=not self._find_config_problem(), login=not self._find_login_problem(), detail=detail
        )

    async def check_start(self, view: BoxView, box: Box) -> str:
        """Run the command with an empty prompt: it has no model, and its tree is thrown away."""
        program = self._find_program()
        view = dataclasses.replace(view, programs=(*view.programs, program))
        command = Command((program, *self._settings.command[1:]), limits=START_LIMITS)
        return explain_no_start(await box.run(view, command))

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        if problem := self._find_config_problem():
            return AgentCall(Unusable("config", problem))
        if problem := self._find_login_problem():
            return AgentCall(Unusable("login", problem))
        if self._has_model and order.budget_usd <= 0:
            return AgentCall(Aborted("budget", "nothing is left to spend"))
        program = self._find_program()
        programs = (*view.programs, program)
        view = dataclasses.replace(view, programs=programs, read_only=order.reads_only)
        gateway = self._open_gateway(order, accounting) if self._has_model else None
        try:
            result = await box.run(view, self._make_command(program, order, gateway), gateway)
        finally:
            usage = gateway.close() if gateway else Usage()
        observation = gateway.observation if gateway else GatewayObservation()
        return AgentCall(
            outcome=decide_outcome(result, _make_final_event(result, observation), observation, order.role),
            usage=usage,
            seconds=result.seconds,
            last_message=take_last_words(result.stdout),
            refusals=observation.refused,
            report=observation.report,
            refused_answers=observation.refused_answers,
        )

    def _open_gateway(self, order: AgentOrder, accounting: CallAccounting) -> Gateway:
        settings, provider = self._settings, _PROVIDERS[self._provider]
        access = make_access(order, provider, upstream=settings.upstream, key=self._key, model=settings.model)
        return self._make_gateway(access, accounting)

    def _make_command(self, program: str, order: AgentOrder, gateway: Gateway | None) -> Command:
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

    def _find_program(self) -> str:
        """Return the program's path on the host; the box shows it there together with its toolchain."""
        return find_program(self._settings.command[0], self._path) if self._settings.command else ""

    def _find_config_problem(self) -> str:
        if not self._settings.command:
            return "the agent has no command"
        if self._provider not in _PROVIDERS:
            return f"{self._provider!r} is not a provider; available: {', '.join(_PROVIDERS)}"
        return "" if self._find_program() else f"{self._settings.command[0]!r} is not on PATH"

    def _find_login_problem(self) -> str:
        return f"{self._settings.key_env} is not set" if self._has_model and not self._key else ""


def _make_final_event(result: CommandResult, observation: GatewayObservation) -> FinalEvent | None:
    """Return how the program ended; None if it crashed.

    The exit code decides, unless the model's last answer was an error: some programs exit with 0 even then. A failure
    that the model's answers do not explain is a crash of the program itself.
    """
    was_stopped = (
        observation.limit is not None or observation.status in _NO_WORK_STATUSES or (observation.status or 0) >= 500
    )
    if result.exit_code == 0 and not was_stopped:
        return FinalEvent(has_finished=True)
    is_explained = was_stopped or (observation.status is not None and observation.status != 200)
    words = take_last_words(result.stderr) or take_last_words(result.stdout)
    return FinalEvent(has_finished=False, words=words) if is_explained else None
