"""The description of a vendor's CLI: the values that reknit must know, filled in once per CLI."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reknit.adapters.agents.report_retry import may_search
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.outcome import FinalEvent
from reknit.core.box import Command
from reknit.core.gateway.access import ProviderName

TOKEN = "{token}"  # noqa: S105 - a placeholder
"""Placeholder for the run token."""

TOKEN_ENV, GATEWAY_ENV = "REKNIT_TOKEN", "REKNIT_GATEWAY"
"""Variables in the box: the run token and the gateway's address. Others could read them on a command line.

The report token is in neither place: a program that the agent starts inherits the environment.
"""


@dataclass(frozen=True)
class Login:
    """A CLI's own login, from its login file. The box never sees it: the gateway substitutes it for the run token."""

    key: str = field(repr=False)
    bearer: bool = False
    """True if the login is not a plain key."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that the CLI must find in its HOME to use the login, with `TOKEN` in place of the secret."""


@dataclass(frozen=True)
class CliStart:
    """One start of a CLI."""

    order: AgentOrder
    settings: AgentSettings
    model: str
    token: str = field(repr=False)
    report_token: str = field(repr=False)
    sandboxed: bool
    """True if the box is the sandbox, so that the CLI's own permission checks would only get in the way."""
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
    """Variable in which the vendor's tools look for a different address."""
    key_env: str
    command: Callable[[CliStart], Command]
    """Returns the arguments (without the program), the environment and the files in HOME."""
    read: Callable[[bytes], FinalEvent | None]
    login: Callable[[str], Login | None]
    """Reads the CLI's own login from the files in this HOME."""
    model: str = ""
    """Model used unless the settings name one; empty: the CLI's default."""
    own: tuple[str, ...] = ()
    """Configuration in a repository that the CLI would treat as the user's."""
    guidance: tuple[str, ...] = ()
    """Files, at any depth, that it would obey and no setting turns off: a change must not instruct its own reviewer."""
    no_login: str = ""
    """Hint why an existing login file may be of no use."""
