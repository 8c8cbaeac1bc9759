"""Work on a commit that GitHub has announced as a check suite but that has no check run yet."""

from collections.abc import Iterable

from reknit.adapters.github.api.rest_models import ACTIONS, CheckRun, CheckSuite
from reknit.core.forge.values import CiCheck


def reporting(runs: Iterable[CheckRun]) -> frozenset[str]:
    """Apps whose suites count: GitHub opens one per installed App, and those that never report leave theirs queued."""
    return frozenset({ACTIONS, *(run.writer for run in runs)})


def of_apps(suites: Iterable[CheckSuite], apps: frozenset[str]) -> tuple[CheckSuite, ...]:
    return tuple(suite for suite in suites if suite.writer in apps)


def announced(suites: Iterable[CheckSuite], runs: Iterable[CheckRun]) -> tuple[tuple[str, CiCheck], ...]:
    """Suites that have not ended although none of their runs is active: each with its source, one check per App."""
    going = {run.check_suite.id for run in runs if run.check_suite and run.status != "completed"}
    waiting = [suite for suite in suites if suite.status != "completed" and suite.id not in going]
    return tuple((f"suites of {suite.writer}", _of_suite(suite)) for suite in waiting)


def _of_suite(suite: CheckSuite) -> CiCheck:
    name = "GitHub Actions" if suite.writer == ACTIONS else (suite.app and suite.app.name) or suite.writer
    home = suite.repository.html_url if suite.repository else ""
    url = f"{home}/commit/{suite.head_sha}/checks" if home else ""
    return CiCheck(name, "pending", suite.status or "queued", url)
