"""Which issues a run may take: those in files that exist in the commit and that a fix may change."""

from collections import Counter
from collections.abc import Collection, Iterable

from reknit.core.issues.model import Issue
from reknit.core.repository.paths import is_config, is_in_test_folder, is_recorded_expectation, is_test_file


def why_not(issue: Issue, tracked: Collection[str]) -> str:
    """Why no agent may work on it; empty: one may."""
    if not issue.path:
        return "no file"
    if issue.path not in tracked:
        return "in a file that is not at HEAD"
    if is_test_file(issue.path) or is_in_test_folder(issue.path) or is_recorded_expectation(issue.path):
        return "in tests, which a fix may not change"
    if is_config(issue.path):
        return "in configuration, which a fix may not change"
    return ""


def choose(issues: Iterable[Issue], tracked: Collection[str], most: int) -> tuple[tuple[Issue, ...], Counter[str]]:
    """The first issues that may be taken, and per reason how many were skipped."""
    chosen: list[Issue] = []
    passed_over: Counter[str] = Counter()
    for issue in issues:
        if len(chosen) >= most:
            break
        if why := why_not(issue, tracked):
            passed_over[why] += 1
        else:
            chosen.append(issue)
    return tuple(chosen), passed_over
