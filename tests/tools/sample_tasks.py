"""One task of each kind, for tests that need a run but not its work."""

from reknit.core.fix_issues.task import FixIssues
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.fix_tests.task import FixTests
from reknit.core.forge.values import ForgePlace
from reknit.core.hook.task import HookCheck
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import Task

PLACE = ForgePlace("github", "https://api.github.com", "ada/shop")
FIX_TESTS = FixTests()
FIX_PULL_REQUEST = FixPullRequest(PLACE, 12, "https://github.com/ada/shop/pull/12", "Discounts", None)
FIX_ISSUES = FixIssues("/shop", (), None)
REVIEW_CHANGE = ReviewChange("a" * 40, "main...HEAD", ())
HOOK_CHECK = HookCheck(("tests/test_pricing.py",), "BUG-001")
_TASKS: tuple[Task, ...] = (FIX_TESTS, FIX_PULL_REQUEST, FIX_ISSUES, REVIEW_CHANGE, HOOK_CHECK)


def sample_task(kind: str) -> Task:
    """Return a task of this kind."""
    return next(task for task in _TASKS if task.kind == kind)
