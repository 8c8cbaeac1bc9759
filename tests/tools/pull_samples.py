"""Values of a pull-request run, as a flow would make them."""

import json
from dataclasses import asdict, replace
from typing import Any

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot, classify_checks, summarize_checks
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.state import PullRunState, Turn
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.values import CiCheck, ForgePlace
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.limits import PullLimits
from reknit.core.runs.view import RunView

URL = "https://github.com/acme/shop/pull/412"
TARGET = FixPullRequest(
    ForgePlace("github", "https://api.github.com", "acme/shop"), 412, URL, "Fix token refresh", None,
    limits=PullLimits(iterations=7),
)  # fmt: skip
TEST = Finding("T-1", "tests", "test-failed", "tests/test_auth.py::test_refresh", message="KeyError: 'exp'\nmore")
LINT = Finding("C-1", "ci", "lint", "lint", message="a.py:1: E501")
RACE = Finding("R-1", "review", "race", "src/token.py", "src/token.py", 42, "refresh race", "take the lock")
THREAD = Finding(
    "R-2", "review", "thread", "api.py", "api.py", 9, "needs a limit", weight="important", author="octocat", remark="x"
)
NIT = Finding("R-3", "review", "style", "api.py", "api.py", 1, "a nit", weight="minor")
PASSED = CiResult("pass", (CiCheck("lint", "pass", "success"), CiCheck("test", "pass", "success", "https://ci/2")))
FAILED = CiResult("fail", (CiCheck("lint", "fail", "failure"), *PASSED.checks[1:]), (LINT,))
PENDING = CiResult("pending", (CiCheck("lint", "pending", "queued"), *PASSED.checks[1:]), why="waiting for lint")
RED = ChecksSnapshot("a" * 40, ReviewResult("fail", (THREAD, RACE, NIT)), TestsResult("fail", (TEST,), 211), FAILED)
BETTER = ChecksSnapshot("b" * 40, ReviewResult("fail", (RACE,)), TestsResult("pass", (), 212, ("t::shaky",)), FAILED)
GREEN = ChecksSnapshot("c" * 40, ReviewResult("pass", (NIT,)), TestsResult("pass", (), 212), PASSED)


def turn(
    number: int, checks: ChecksSnapshot, did: str, commit: str = "", fixes: int = 0, cost_usd: float = 0.0
) -> Turn:
    return Turn(
        number, checks.head, *classify_checks(checks), summarize_checks(checks), did,
        "signature", FindingCounts(1, 0, landed=bool(commit), grown_source=0, grown_tests=0), commit, fixes, cost_usd,
    )  # fmt: skip


FIRST = turn(1, RED, "fixed tests", "b" * 40, fixes=3, cost_usd=0.31)
SECOND = turn(2, BETTER, "fixed ci", "c" * 40, fixes=1, cost_usd=0.22)
NEW = PullRunState(AgentRotation(("claude",)))
COURSE = replace(NEW, turns=(FIRST, SECOND), head="c" * 40)
STUCK = replace(COURSE, turns=(FIRST, *(turn(number, BETTER, "nothing landed", cost_usd=0.1) for number in (2, 3, 4))))

RUN = RunView(
    id="r-7f3a", kind="fix pr", repository="/shop", base="b" * 40, agent="claude", state="running", phase="look",
    worker="", reason="", until=None, ending=None, detail={}, commit=None, spent_usd=0.62, budget_usd=5.0,
    created_at=100.0, ended_at=None, undone_at=None, spec=json.loads(json.dumps({"task": asdict(TARGET)})),
)  # fmt: skip


def stored(document: dict[str, object]) -> dict[str, Any]:
    """As it comes back from the database."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    return found
