"""Values of a review, as a run would make them."""

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer
from reknit.core.review.progress import FindingBatch, ReviewerAnswer
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand

CLAUDE, GEMINI = AgentSettings("claude", "claude"), AgentSettings("gemini", "gemini")
COR = Reviewer("correctness", "blocking", "COR", "Look for bugs.")
TST = Reviewer("tests", "warning", "TST", "Look for tests that cannot fail.")
MEAN = ListedFinding(
    "COR-001", "logic", "mean of nothing crashes", "shop.py", 6, "An empty list divides by zero.", "Return 0."
)
FIRST = ListedFinding("COR-002", "index", "first returns the second", "shop.py", 10, "The first element is at 0.")
LAST = ListedFinding("COR-003", "index", "", "shop.py", 0, "The last element is at -1.")
ONE, TWO = FindingBatch(1, "correctness", (MEAN,), (7,)), FindingBatch(2, "correctness", (FIRST, LAST), (8,))
TARGET = ReviewChange(
    "a" * 40, "main...HEAD (1 file)", ((COR, GEMINI), (TST, GEMINI)), skipped=("templates", "queries")
)
SPEC = RunSpec('r-1', '/shop', 'b' * 40, TARGET, TestCommand('pytest', ('pytest',), 'junit'), (CLAUDE,))  # fmt: skip
NEEDS_WORK = ReviewerAnswer("correctness", "blocking", "NEEDS_WORK", 3, at=60.0)
PASSED = ReviewerAnswer("tests", "warning", "PASSED")
SILENT = ReviewerAnswer("tests", "warning", None, why="gemini: crashed")
