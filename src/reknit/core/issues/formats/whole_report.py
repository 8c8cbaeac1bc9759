"""A whole report as one value that can be passed between processes."""

from dataclasses import dataclass

from reknit.core.issues.formats.registry import open_report
from reknit.core.issues.model import ReportResult


@dataclass(frozen=True)
class WholeReport:
    tools: tuple[str, ...]
    found: tuple[ReportResult, ...]
    partial: str


def read_report(data: bytes, name: str, named: str) -> WholeReport:
    report = open_report(data, name=name, named=named)
    return WholeReport(report.tools, tuple(report.found), report.partial)
