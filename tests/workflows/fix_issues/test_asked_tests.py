"""An issue that names a red test: the fix is proven by that test, with and without the change."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.core.checks.proof import NOT_ASKED
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.issues.model import ReportResult
from reknit.core.runs.limits import IssueLimits
from reknit.workflows.fix_issues.asked_tests import find_test_files as files_with_tests
from reknit.workflows.fix_issues.asked_tests import load_issues, propose_whole_change, save_issues
from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.issue_samples import FLAKE8, RUFF, issue
from tests.tools.step_services import step_services
from tests.workflows.fix_issues.backlog_runs import ALL, fix

Here = Callable[..., Answer]
CHECKS: dict[str, Any] = {"issues": {"tool_fixes": False}, "checks": {}}
"""The tests are found, and can be chosen one by one."""
ASKED = "tests/test_b1.py::Testb1::test_answer"
WRONG = "def answer() -> int:\n    return 41\n"
CHEAT = (
    "import sys\n\n\ndef answer() -> int:\n    return 42 if sys._getframe(1).f_code.co_name == 'test_answer' else 41\n"
)


@pytest.fixture
def red(reknit: CommandLine, tmp_path: Path) -> Path:
    root = scene.make(tmp_path, frontend=0)
    (root / "check.py").unlink()
    (root / "app/b1.py").write_text(WRONG)
    commit_all(str(root), "a wrong answer")
    told = ReportResult("people", "bug", str(root / "app/b1.py"), 2, 1, "test_answer fails since Monday")
    scene.take_in(reknit, root, [told])
    return root


def test_the_receipt_of_such_an_issue_stands_on_runs_with_and_without_the_fix(
    here: Here, reknit: CommandLine, red: Path
) -> None:
    right = {"replace": {"app/b1.py": ["return 41", "return 42  # noqa: E501"]}}
    scene.tell(reknit, [right], [scene.score(96)], **CHECKS)
    answer = fix(here, red)
    assert answer.ending["ending"] == "FIXED", answer.err
    receipt = answer.ending["receipt"]
    assert receipt["red_before"] == f"{ASKED} was red every time on {receipt['base'][:7]}"
    assert receipt["red_without"] == "1 test(s) were red again without the fix"
    assert "1 fixed: green every time" in receipt["green_after"]
    assert [each.partition(":")[0] for each in receipt["checks"]] == [
        "canaries held", "twins held", "second-harness held",
    ]  # fmt: skip
    assert [advice.partition(" ")[0] for advice in receipt["advice"]] == ["[suppression-added]"]
    assert "what turned green, alone, without the change" in [run["what"] for run in receipt["ran"]]


def test_the_proof_of_its_test_is_a_check_of_the_issue(here: Here, reknit: CommandLine, red: Path) -> None:
    scene.tell(reknit, [{"replace": {"app/b1.py": ["return 41", "return 42"]}}], **CHECKS)
    answer = fix(here, red)
    assert (answer.ending["ending"], scene.states(reknit, red)) == ("FIXED", {"app/b1.py": "RESOLVED"}), answer.err


def test_a_fix_that_only_looks_for_the_test_is_refused(here: Here, reknit: CommandLine, red: Path) -> None:
    scene.tell(reknit, [{"write": {"app/b1.py": CHEAT}}], [scene.score(100)], loop={"attempts": 1}, **CHECKS)
    answer = fix(here, red)
    (attempt,) = answer.ending["attempts"]
    assert (answer.ending["ending"], attempt["proof"]) == ("DEFERRED", "refused"), answer.err
    assert scene.states(reknit, red) == {"app/b1.py": "FAILED"}


def test_without_such_an_issue_the_receipt_says_so(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [ALL[0]], [scene.score(96)])
    receipt = fix(here, root, "--path", "app/b1.py").ending["receipt"]
    assert (receipt["red_before"], receipt["red_without"], receipt["checks"]) == ("", NOT_ASKED, [])


def test_it_is_as_large_as_the_batches_it_had(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    one = Batch(1, "backend", (1, 2), 6)
    with step_services(tmp_path, shop) as (services, spec):
        for others, expected in (((), 1), ((3, 4, 5), 3)):
            target = FixIssues("r", (one,), None, limits=IssueLimits(batch_issues=2), others=others)
            run = replace(spec, task=target)
            change = propose_whole_change(services, run, spec.base)
            assert (change.base, change.batches) == (spec.base, expected)
        assert files_with_tests(services, run) == ()  # no test has been run


def test_they_are_read_back_as_they_were_kept(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    kept = (issue(1, sources=(RUFF, FLAKE8)), issue(2, path="größe.py", status="IN_PROGRESS", run_id="r-1"))
    with step_services(tmp_path, shop) as (services, run):
        save_issues(services, run, kept)
        assert load_issues(services, run) == kept
        save_issues(services, run, kept[:1])
        assert load_issues(services, run) == kept[:1]
