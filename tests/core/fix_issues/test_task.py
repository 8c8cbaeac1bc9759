"""What a `fix issues` run claims, and in which order it works."""

from reknit.core.fix_issues.task import Batch, FixIssues


def test_a_run_claims_the_issues_of_its_repository() -> None:
    task = FixIssues("/r", (Batch(1, "backend", (3, 4), 2), Batch(2, "frontend", (5,), 1)), None, others=(9,))
    assert (task.claim, task.issues, task.is_on_forge) == ("issues /r", (3, 4, 5, 9), False)
