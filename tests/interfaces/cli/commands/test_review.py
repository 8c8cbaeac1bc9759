"""`reknit review` as a person types it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.git.users_git import git
from tests.tools.command_line import Answer, CommandLine
from tests.tools.review_scene import AGAIN

Here = Callable[..., Answer]
CODE = "def total(prices):\n    return sum(prices)\n\n\ndef mean(prices):\n    return total(prices) / len(prices)\n"
CHECK = "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n"
FOUND = {
    "category": "logic", "severity": "blocking", "file": "shop.py", "line": 6, "title": "mean of nothing crashes",
    "issue": "An empty list divides by zero.", "suggestion": "Return 0.",
}  # fmt: skip
PASSES = {"verdict": "passed", "score_0_100": 100, "summary": "fine"}
READER: list[dict[str, Any]] = [
    {"when": AGAIN, "report": PASSES},
    {"when": "review is called correctness",
     "report": {"verdict": "needs_work", "score_0_100": 40, "summary": "a bug", "findings": [FOUND]}},
    {"report": PASSES},
]  # fmt: skip
FIXER = [{"replace": {"shop.py": ["/ len(prices)", "/ len(prices) if prices else 0"]}}]


@pytest.fixture
def repository(tmp_path: Path, reknit: CommandLine) -> Path:
    """A branch with a bug, and two scripted agents: one reads, one fixes."""
    user = tmp_path / "user"
    (user / "tests").mkdir(parents=True)
    git(user, "init", "--quiet", "--initial-branch=main")
    (user / "shop.py").write_text(CODE.partition("\n\n\n")[0] + "\n")
    (user / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    (user / "tests" / "test_shop.py").write_text(CHECK)
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=base")
    git(user, "checkout", "--quiet", "-b", "feature")
    (user / "shop.py").write_text(CODE)
    git(user, "commit", "--quiet", "--all", "--message=mean")
    agents = {
        "read": {"kind": "scripted", "story": json.dumps(READER)},
        "fix": {"kind": "scripted", "story": json.dumps(FIXER)},
    }
    reknit.configure(fixer="fix", review={"agent": "read"}, agents=agents, box="host")
    return user


def test_a_finding_is_fixed_in_one_commit(here: Here, repository: Path) -> None:
    answer = here("review", cwd=repository)
    assert answer.exit_code == 0, answer.err + answer.out
    run = answer.err.split()[0]
    assert "FIXED" in answer.out
    assert f"git merge reknit/{run}" in answer.out
    assert git(repository, "log", "-1", "--format=%s", f"reknit/{run}") == (
        "fix(review): correctness - COR-001 - repair “mean of nothing crashes”"
    )
    assert git(repository, "status", "--porcelain") == "?? PROGRESS.txt"
    written = (repository / "PROGRESS.txt").read_text()
    assert written.count("[Review] ") == 8, "two of them block, and read again"
    assert written.count("[Review Fix] ") == 1


def test_a_report_is_edited_and_resumed(here: Here, repository: Path) -> None:
    first = here("review", "--report-only", "--reviewer", "correctness", "--format", "json", cwd=repository)
    assert (first.exit_code, first.ending["ending"]) == (1, "DEFERRED"), first.err
    (reviewed,) = first.events("reviewed")
    assert (reviewed["reviewer"], reviewed["verdict"]) == ("correctness", "NEEDS_WORK")
    run = first.ending["run"]
    second = here("review", "--resume", run, "--format", "json", cwd=repository)
    assert (second.exit_code, second.ending["ending"]) == (0, "FIXED"), second.err
    assert second.events("reviewed") == []
    progress = repository / "PROGRESS.txt"
    progress.write_text(progress.read_text().partition("1. ")[0] + "---\n")
    third = here("review", "--resume", run, "--format", "json", cwd=repository)
    assert (third.exit_code, third.ending["ending"]) == (1, "DEFERRED"), third.err


def test_all_passed(here: Here, repository: Path) -> None:
    answer = here("review", "--reviewer", "security", "--report-only", cwd=repository)
    assert (answer.exit_code, "CLEAN" in answer.out) == (0, True), answer.err


def test_a_change_that_no_reviewer_applies_to_is_not_clean(here: Here, repository: Path) -> None:
    git(repository, "checkout", "--quiet", "main")
    folder = repository / ".reknit" / "reviewers"
    folder.mkdir(parents=True)
    (folder / "gostyle.md").write_text("---\nlevel: blocking\nprefix: GOO\nlanguages: go\n---\nLook at Go.\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message=a reviewer")
    git(repository, "checkout", "--quiet", "feature")
    git(repository, "rebase", "--quiet", "main")
    answer = here("review", "--reviewer", "gostyle", cwd=repository)
    assert (answer.exit_code, "UNVERIFIED" in answer.out) == (5, True), answer.err
    assert "no reviewer applies to the change" in answer.out


def test_the_reviewers_are_listed(here: Here, repository: Path) -> None:
    listed = here("review", "--list", cwd=repository)
    assert (listed.exit_code, "correctness" in listed.out) == (0, True)
    data = json.loads(here("review", "--list", "--format", "json", cwd=repository).out)
    assert "correctness" in json.dumps(data)
    assert not (repository / "PROGRESS.txt").exists()


def test_a_report_tries_nothing_again(here: Here, repository: Path) -> None:
    answer = here("review", "--report-only", "--again", cwd=repository)
    assert (answer.exit_code, "--again has no effect" in answer.err) == (2, True)


@pytest.mark.parametrize(
    "more",
    [["--reviewer", "tests"], ["--report-only"], ["--again"], ["--staged"], ["--base", "main"]],
    ids=lambda more: more[0],
)
def test_what_a_resumed_run_cannot_change_is_refused(here: Here, repository: Path, more: list[str]) -> None:
    answer = here("review", "--resume", "r-1", *more, cwd=repository)
    assert (answer.exit_code, "--resume takes the change and the reviewers of that run" in answer.err) == (2, True)


def test_no_such_run(here: Here, repository: Path) -> None:
    answer = here("review", "--resume", "r-1", cwd=repository)
    assert (answer.exit_code, "r-1 is not a review" in answer.err) == (2, True)
