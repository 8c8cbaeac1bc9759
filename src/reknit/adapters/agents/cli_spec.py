"""What reknit must know of one vendor's CLI: values, filled in once for each of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reknit.adapters.agents.model_access import may_search
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.outcome import FinalEvent
from reknit.core.box import Command
from reknit.core.gateway.access import ProviderName

TOKEN = "{token}"  # noqa: S105 - a placeholder
"""Replaced by the run token."""

TOKEN_ENV, GATEWAY_ENV = "REKNIT_TOKEN", "REKNIT_GATEWAY"
"""In the box: the run token and the gateway's address. Neither shows in a command line, which others can read."""


@dataclass(frozen=True)
class Login:
    """What the CLI's own login file gives. The box never sees it: the gateway puts it in the place of the run token."""

    key: str = field(repr=False)
    bearer: bool = False
    """A login that is no plain key."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """What the CLI must find in its HOME to use such a login, with `TOKEN` where the login was."""


@dataclass(frozen=True)
class CliStart:
    """One start of a CLI."""

    order: AgentOrder
    settings: AgentSettings
    model: str
    token: str = field(repr=False)
    walls: bool
    """The box is the wall, and the CLI's own permissions are only in the way."""
    login: Login | None = None
    """The CLI's own, when there is no key in the environment."""

    @property
    def may_search(self) -> bool:
        return may_search(self.order)


@dataclass(frozen=True)
class Cli:
    """One vendor's CLI, as far as reknit must know it."""

    name: str
    title: str
    provider: ProviderName
    upstream_env: str
    """Where the vendor's tools look for another address."""
    key_env: str
    command: Callable[[CliStart], Command]
    """Its arguments (without the program), environment and files in HOME."""
    read: Callable[[bytes], FinalEvent | None]
    login: Callable[[str], Login | None]
    """From the files below this HOME."""
    model: str = ""
    """Unless one is set; empty: the CLI's own."""
    own: tuple[str, ...] = ()
    """Its configuration in a repository, which it would take for the user's."""
    guidance: tuple[str, ...] = ()
    """Names, at any depth, of what it would obey and no setting keeps it from: a change must not rule its reviewer."""
    no_login: str = ""
    """Why its login file, where there is one, may be of no use."""
