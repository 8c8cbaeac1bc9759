"""Describes a vendor's CLI: its names, its login, and the functions that make its command and read its output."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reknit.adapters.agents.report_retry import may_search
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.outcome import FinalEvent
from reknit.core.box import Command, CommandLimits
from reknit.core.gateway.access import ProviderName

TOKEN = "{token}"  # noqa: S105 - a placeholder
"""Placeholder that is replaced by the run token."""

TOKEN_ENV, GATEWAY_ENV = "REKNIT_TOKEN", "REKNIT_GATEWAY"
"""Variables in the box for the run token and the gateway's address: other processes can read a command line.

There is none for the report token, because every program that the agent starts inherits the environment.
"""
START_LIMITS = CommandLimits(wall_s=20.0, idle_s=20.0)
"""Limits of a start without a prompt, by which the doctor sees whether a program runs in the box."""


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
    """The input for a CLI's command."""

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
    """One vendor's CLI."""

    name: str
    title: str
    provider: ProviderName
    upstream_env: str
    """Variable in which the user may name another address of the model."""
    key_env: str
    command: Callable[[CliStart], Command]
    """Returns the arguments (without the program), the environment and the files in HOME."""
    read: Callable[[bytes], FinalEvent | None]
    login: Callable[[str], Login | None]
    """Reads the CLI's own login from the files in this HOME."""
    model: str = ""
    """Model used unless the settings name one; empty: the CLI's default."""
    own: tuple[str, ...] = ()
    """Configuration in a repository that the CLI would treat as the user's own; hidden in every call."""
    guidance: tuple[str, ...] = ()
    """Instruction files, at any depth, that no setting turns off; hidden in reviews, whose change may contain them."""
    no_login: str = ""
    """Hint for an error message: why an existing login may be of no use."""
