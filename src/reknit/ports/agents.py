"""Protocols of agents that change or read a tree, and of the functions that make agents and prompts."""

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from reknit.core.agents.call import AgentCall, AgentFacts, AgentOrder, AgentSettings
from reknit.core.box import BoxView
from reknit.core.live.activity import Activity
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting


class Agent(Protocol):
    """A program that reads or changes the tree of one box, such as a vendor's CLI."""

    def read_facts(self) -> AgentFacts: ...

    @property
    def account(self) -> str:
        """Provider account whose rate limits the agent uses; empty if unknown."""

    async def work(self, order: AgentOrder, view: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        """Run the agent on `order` in `view.tree`. Returns once none of its processes is alive."""


@runtime_checkable
class StartableAgent(Protocol):
    """An agent that is a program."""

    async def check_start(self, view: BoxView, box: Box) -> str:
        """Start the program once in the box, without its model. Return why it does not start; empty: it does."""


AgentMaker = Callable[[AgentSettings], Agent]


CallWatcher = Callable[[AgentSettings, str, BoxView], Callable[[], Activity]]
"""Takes an agent, the folder of its transcript and its view; returns a function that says what it does now."""


PromptMaker = Callable[[str, Mapping[str, object]], str]
"""Takes the name of a prompt and the facts to fill in; returns the prompt."""
