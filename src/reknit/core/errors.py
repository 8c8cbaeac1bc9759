"""Everything that stops a command because a person must change something; each carries its id and exit code.

ReknitError
├── UsageProblem        2   the command line, the repository or the configuration
├── ToolMissing         3   a program reknit needs is not there, or the box is not sound
├── LoginNeeded         4   an agent or a forge has no usable login
└── InternalError      70   a bug of ours
"""


class ReknitError(Exception):
    """What happened, to what, and what to do next."""

    exit_code = 70

    def __init__(self, name: str, what: str, *, help: str = "", where: str = "") -> None:  # noqa: A002
        super().__init__(what)
        self.name, self.what, self.help, self.where = name, what, help, where


class UsageProblem(ReknitError):
    exit_code = 2


class ToolMissing(ReknitError):
    exit_code = 3


class LoginNeeded(ReknitError):
    exit_code = 4


class InternalError(ReknitError):
    exit_code = 70


def problem_of(exit_code: int, name: str, what: str, help: str, where: str) -> ReknitError:  # noqa: A002
    """The same problem again, from what a checkpoint kept of it."""
    kinds = {kind.exit_code: kind for kind in (InternalError, LoginNeeded, ToolMissing, UsageProblem)}
    return kinds[exit_code](name, what, help=help, where=where)
