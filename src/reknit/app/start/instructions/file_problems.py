"""Problems in files that a person wrote for reknit, as errors that name file and line."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from reknit.core.errors import UsageProblem
from reknit.core.text.format import file_line


class LineProblem(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def what(self) -> str: ...
    @property
    def help(self) -> str: ...


def located(kind: str, where: str, problems: Iterable[LineProblem]) -> list[UsageProblem]:
    """`kind`: the error's name. `where`: the file, for people."""
    return [UsageProblem(kind, each.what, where=file_line(where, each.line), help=each.help) for each in problems]


def combined(kind: str, files: str, problems: Sequence[UsageProblem]) -> UsageProblem:
    """One error that names all of them, so that they can be corrected together. `files`: what they are, for people."""
    if len(problems) == 1:
        return problems[0]
    lines = (f"  {problem.where}: {problem.what}; {problem.help}".replace("\n", "\n    ") for problem in problems)
    return UsageProblem(kind, "\n".join((f"the {files} have {len(problems)} problems:", *lines)))
