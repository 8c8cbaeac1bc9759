"""What a run on the backlog has done so far."""

from reknit.core.fix_issues.progress import BacklogProgress, BatchAttempt
from reknit.core.runs.agent_rotation import AgentRotation


def attempt(number: int, batch: int, agent: str, *, kept: bool = True) -> BatchAttempt:
    return BatchAttempt(number, batch, 0, kept, "", agent=agent)


def test_only_what_was_kept_has_authors_and_batches() -> None:
    attempts = (attempt(1, 1, "ann"), attempt(2, 2, "bob", kept=False), attempt(3, 2, "cat"), attempt(4, 3, "ann"))
    progress = BacklogProgress(AgentRotation(("ann",)), "head", (1, 2, 3), AgentRotation(()), attempts)
    assert progress.authors == ("ann", "cat")
    assert progress.kept_batches == {1, 2, 3}
