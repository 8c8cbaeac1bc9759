"""Errors that stop a command because a person must change something; each has an id and an exit code.

ReknitError
├── UsageProblem        2   the command line, the repository or the configuration
│   └── Unavailable         raised in a step, it parks the run: something is temporarily unavailable, `resume` continues
├── ToolMissing         3   a program or database that reknit needs cannot be used, or the box is not sound
│   ├── DatabaseProblem 3   the database is unreachable, refuses, is damaged or belongs to a newer release
│   └── DiskFull        3   nothing can be written until space is freed
├── LoginNeeded         4   an agent or a forge has no usable login
└── InternalError      70   a bug in reknit
"""


class ReknitError(Exception):
    """What happened, to what, and what to do next."""

    exit_code = 70

    def __init__(self, name: str, what: str, *, help: str = "", where: str = "") -> None:  # noqa: A002
        super().__init__(what)
        self.name, self.what, self.help, self.where = name, what, help, where


class UsageProblem(ReknitError):
    exit_code = 2


class Unavailable(UsageProblem):
    """Raised in a step, it parks the run instead of ending it."""


class ToolMissing(ReknitError):
    exit_code = 3


class DatabaseProblem(ToolMissing):
    """`passes`: the same call may succeed a moment later without anyone changing anything."""

    def __init__(self, name: str, what: str, *, help: str, passes: bool = False) -> None:  # noqa: A002
        super().__init__(name, what, help=help)
        self.passes = passes


class DiskFull(ToolMissing):
    """`where`: a path on the full disk."""

    def __init__(self, where: str) -> None:
        what = f"the disk that holds {where!r} is full"
        way_out = "free some space there, then run the same command again"
        copies = "copies that a stopped run left in `runs/*/rooms` of the state folder can be deleted"
        super().__init__("disk-full", what, help=f"{way_out}; {copies}")
        self.where = where


class LoginNeeded(ReknitError):
    exit_code = 4


class InternalError(ReknitError):
    exit_code = 70


def problem_of(exit_code: int, name: str, what: str, help: str, where: str) -> ReknitError:  # noqa: A002
    """Rebuilds a problem from what a checkpoint stored."""
    kinds = {kind.exit_code: kind for kind in (InternalError, LoginNeeded, ToolMissing, UsageProblem)}
    return kinds[exit_code](name, what, help=help, where=where)
