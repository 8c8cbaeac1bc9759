"""A tool's report as it is read: which tools spoke, what they found one by one, and why it cannot be used."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reknit.core.errors import UsageProblem
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data


class ReportProblem(UsageProblem):
    """This report cannot be read, or says that its tool did not look. It is never taken for a clean one."""

    def __init__(self, what: str, *, help: str = "", where: str = "") -> None:  # noqa: A002
        super().__init__("report", what, help=help, where=where)


@dataclass(frozen=True)
class Report:
    tools: tuple[str, ...]
    """Every tool that spoke, also those that found nothing."""
    found: Iterator[ReportResult]
    """To be read once. Raises ReportProblem where the report breaks."""
    partial: str = ""
    """Why the tools did not look at everything: what they no longer report may still be there."""


Reader = Callable[[Data], Report]
