"""What reknit must know about a vendor's CLI: values, filled in once per CLI."""

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
"""In the box: the run token and the gateway's address. Neither appears on a command line, which others can read.

The report token is in neither place: a program that the agent starts inherits the environment.
"""


@dataclass(frozen=True)
class Login:
    """The CLI's own login, from its login file. The box never sees it: the gateway substitutes it for the run token."""

    key: str = field(repr=False)
    bearer: bool = False
    """The login is not a plain key."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """What the CLI must find in its HOME to use such a login, with `TOKEN` in place of the secret."""


@dataclass(frozen=True)
class CliStart:
    """One start of a CLI."""

    order: AgentOrder
    settings: AgentSettings
    model: str
    token: str = field(repr=False)
    report_token: str = field(repr=False)
    sandboxed: bool
    """The box is the sandbox, so the CLI's own permission checks would only get in the way."""
    login: Login | None = None
    """The CLI's own login, if there is no key in the environment."""

    @property
    def may_search(self) -> bool:
        return may_search(self.order)


@dataclass(frozen=True)
class Cli:
    """One vendor's CLI, as far as reknit needs to know it."""

    name: str
    title: str
    provider: ProviderName
    upstream_env: str
    """The variable in which the vendor's tools look for a different address."""
    key_env: str
    command: Callable[[CliStart], Command]
    """Its arguments (without the program), environment and files in HOME."""
    read: Callable[[bytes], FinalEvent | None]
    login: Callable[[str], Login | None]
    """Reads it from the files in this HOME."""
    model: str = ""
    """Used unless the settings name one; empty: the CLI's default."""
    own: tuple[str, ...] = ()
    """Its configuration in a repository, which it would treat as the user's."""
    guidance: tuple[str, ...] = ()
    """Files, at any depth, that it would obey and no setting turns off: a change must not instruct its own reviewer."""
    no_login: str = ""
    """Why its login file may be of no use, if it has one."""
