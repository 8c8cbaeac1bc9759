"""The summary of an import."""

from reknit.core.issues.import_summary import ImportCount, ImportReport, ReportSummary

COUNT = ImportCount(1, 0, 0, 0, 0)


def test_results_are_those_of_all_reports() -> None:
    reports = (ReportSummary("a.json", ("ruff",), 3), ReportSummary("b.json", ("mypy",), 0), ReportSummary("c", (), 4))
    assert ImportReport(reports, COUNT).results == 7


def test_an_import_of_nothing_has_none() -> None:
    assert ImportReport((), COUNT).results == 0
