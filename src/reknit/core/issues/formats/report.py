"""A tool's report as it is read: the tools that reported, their results one by one, and why it cannot be used."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reknit.core.errors import UsageProblem
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data


class ReportProblem(UsageProblem):
    """The report cannot be read, or says that its tool checked nothing. It is never taken for a clean one."""

    def __init__(self, what: str, *, help: str = "", where: str = "") -> None:  # noqa: A002
        super().__init__("report", what, help=help, where=where)


@dataclass(frozen=True)
class Report:
    tools: tuple[str, ...]
    """Every tool that reported, including those that found nothing."""
    found: Iterator[ReportResult]
    """Can be read once. Raises ReportProblem where the report is broken."""
    partial: str = ""
    """Why the tools did not check everything: what they no longer report may still exist."""


Reader = Callable[[Data], Report]
