"""Errors that stop a command because a person must change something; each has an id and an exit code.

ReknitError
├── UsageError             2   the command line, the repository or the configuration
│   └── UnavailableError       raised in a step, it parks the run: something is missing for now, `resume` continues
├── ToolMissingError       3   a program or database that reknit needs cannot be used, or the box is not sound
│   ├── DatabaseError      3   the database is unreachable, refuses, is damaged or belongs to a newer release
│   └── DiskFullError      3   nothing can be written until space is freed
├── LoginNeededError       4   an agent or a forge has no usable login
└── InternalError         70   a bug in reknit
"""


class ReknitError(Exception):
    """An error that stops a command. Its message says what happened, `where` at which place, `help` what to do."""

    exit_code = 70

    def __init__(self, name: str, message: str, *, help: str = "", where: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.name, self.message, self.help, self.where = name, message, help, where


class UsageError(ReknitError):
    """The command line, the repository or the configuration must be changed."""

    exit_code = 2


class UnavailableError(UsageError):
    """Something is temporarily unavailable. Raised in a step, it parks the run instead of ending it."""


class ToolMissingError(ReknitError):
    """A program or database that reknit needs cannot be used."""

    exit_code = 3


class DatabaseError(ToolMissingError):
    """The database cannot be used. `passes`: the same call may succeed a moment later without any change."""

    def __init__(self, name: str, message: str, *, help: str, passes: bool = False) -> None:  # noqa: A002
        super().__init__(name, message, help=help)
        self.passes = passes


class DiskFullError(ToolMissingError):
    """Nothing can be written. `where`: a path on the full disk."""

    def __init__(self, where: str) -> None:
        message = f"the disk that holds {where!r} is full"
        way_out = "free some space there, then run the same command again"
        copies = "copies that a stopped run left in `runs/*/rooms` of the state folder can be deleted"
        super().__init__("disk-full", message, help=f"{way_out}; {copies}")
        self.where = where


class LoginNeededError(ReknitError):
    """An agent or a forge has no usable login."""

    exit_code = 4


class InternalError(ReknitError):
    """A bug in reknit."""

    exit_code = 70


def rebuild_error(exit_code: int, name: str, message: str, help: str, where: str) -> ReknitError:  # noqa: A002
    """Return the error that a checkpoint stored in these parts."""
    kinds = {kind.exit_code: kind for kind in (InternalError, LoginNeededError, ToolMissingError, UsageError)}
    return kinds[exit_code](name, message, help=help, where=where)
