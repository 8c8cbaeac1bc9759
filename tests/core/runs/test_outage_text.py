"""What is said when something is away: what, and the command that continues."""

from reknit.core.errors import UsageError
from reknit.core.runs.outage_text import (
    DATABASE_BACK,
    SPACE_FREED,
    explain_left_run,
    explain_left_worker,
    explain_missing_repository,
    explain_unlanded_fix,
)


def test_a_run_in_a_terminal_names_the_command_that_continues_it() -> None:
    assert explain_left_run("the database X did not answer for 14 s", DATABASE_BACK, "r-1") == (
        "the database X did not answer for 14 s\n"
        "r-1 is safe where it is: `reknit resume r-1` continues it when the database is back"
    )


def test_a_worker_names_its_runs() -> None:
    assert explain_left_worker("the disk is full", SPACE_FREED, ["r-1", "r-2"]) == (
        "the disk is full\n"
        "this worker exits; its runs (r-1, r-2) are safe: `reknit worker` or `reknit resume RUN` continues"
        " when there is space again"
    )
    assert "it had no run" in explain_left_worker("the disk is full", SPACE_FREED, [])


def test_a_fix_that_cannot_land_is_offered() -> None:
    told = explain_unlanded_fix(UsageError("branch-moved", "the branch moved"), "/state/proven.patch", "reknit/r-1")
    assert told == (
        "the branch moved; the proven fix is kept in /state/proven.patch: `git apply /state/proven.patch` applies it"
        " as it is, and resuming the run lands it on reknit/r-1 once that is possible"
    )
    assert "'/r' no longer exists" in explain_missing_repository("/r")


def test_a_worker_with_many_runs_names_some_and_always_the_command() -> None:
    words = explain_left_worker("the disk is full", SPACE_FREED, [f"r-{number:08}" for number in range(5_000)])
    assert len(words) < 1_000
    assert "r-00000019, …) are safe: `reknit worker`" in words
