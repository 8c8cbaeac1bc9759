"""Agents that change or read a tree."""

from collections.abc import Callable
from typing import Protocol

from reknit.core.agents.call import AgentCall, AgentFacts, AgentOrder, AgentSettings
from reknit.core.box import BoxView
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting


class Agent(Protocol):
    def facts(self) -> AgentFacts: ...

    @property
    def account(self) -> str:
        """The provider account whose limits it uses; empty if unknown."""

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        """Run the agent on `order` in `view.tree`. Returns once none of its processes is alive."""


AgentMaker = Callable[[AgentSettings], Agent]
