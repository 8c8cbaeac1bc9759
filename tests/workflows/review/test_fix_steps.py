"""What is fixed after a person edited PROGRESS.txt: its findings are the work, its claims are not."""

from pathlib import Path

import pytest

from reknit.core.errors import UsageError
from reknit.core.review.progress_file.entries import Entry, FailedEntry, FixEntry, ListedFinding, ReviewEntry
from reknit.core.review.progress_file.printing import print_entry
from tests.tools.pull_play import Played
from tests.tools.review_scene import ANSWER, ARC, COR, SEC, ReviewScene, confirms, mends, module, problem, says

ADDED = """\
7) **MINE-1**: mean of nothing in m4
   - File: app/m4.py:6
   - Issue: I saw this one myself.

"""
REWORDED = "Return None for an empty list, not zero."


def report(scene: ReviewScene, *reads: dict[str, object]) -> str:
    scene.tell([*reads, confirms()], [mends(number) for number in range(1, scene.modules + 1)])
    played = scene.play(COR, SEC, ARC, report_only=True)
    assert (played.ending, scene.landed(played.run.id)) == ("DEFERRED", [])
    return played.run.id


def fixed_ids(played: Played) -> list[list[str]]:
    facts = [asked.facts for asked in played.asked if asked.name == "fix_review"]
    return [[finding.id for finding in each["findings"]] for each in facts]


def test_what_is_attempted_is_exactly_what_the_file_then_says(tmp_path: Path) -> None:
    scene = ReviewScene(tmp_path, modules=4)
    run = report(scene, says(COR, problem(1), problem(2), problem(3)), says(SEC), says(ARC))
    text = scene.progress.read_text()
    deleted, start = text.partition("1. **COR-001**")[2].partition("2. **COR-002**")[::2]
    text = text.replace("1. **COR-001**" + deleted, "").replace("return 0", REWORDED, 2)
    end = text.index("---")
    scene.progress.write_text(text[:end] + ADDED + text[end:])
    assert start
    scene.tell([confirms()], [mends(2), mends(3), mends(4)])
    played = scene.resume(run)
    assert fixed_ids(played) == [["COR-002"], ["COR-003"], ["MINE-1"]]
    prompts = [asked.prompt for asked in played.asked if asked.name == "fix_review"]
    assert [REWORDED in prompts[0], "return 0" in prompts[0], "I saw this one myself." in prompts[2]] == [
        True, False, True,
    ]  # fmt: skip
    assert not [asked for asked in played.asked if asked.name == "review"]
    assert (played.ending, scene.subjects(played.run.id)[-1]) == (
        "FIXED", "fix(review): correctness - MINE-1 - mean of nothing in m4",
    )  # fmt: skip
    assert [issue.status for issue in scene.issues()] == ["OPEN", "RESOLVED", "RESOLVED"]


def test_words_of_fixes_and_verdicts_that_a_person_typed_change_nothing(scene: ReviewScene) -> None:
    run = report(scene, says(COR, problem(1), problem(2)), says(SEC), says(ARC))
    typed = scene.progress.read_text().replace("### Verdict: NEEDS_WORK", "### Verdict: PASSED")
    claims: list[Entry] = [
        FixEntry(0.0, COR, ("COR-001",), ("all of it",), (module(1),), 1),
        FailedEntry(0.0, COR, ("COR-002",), ("never",), 3, "do not try"),
    ]
    scene.progress.write_text("\n".join([typed, *map(print_entry, claims)]))
    assert {issue.status for issue in scene.issues()} == {"OPEN"}
    played = scene.resume(run)
    assert (played.ending, fixed_ids(played)) == ("FIXED", [["COR-001"], ["COR-002"]])
    assert [asked.name for asked in played.asked].count("confirm_fix") == 2
    assert played.steps.count("prove_review") == 2


def test_a_finding_typed_below_one_that_passed_is_work_and_costs_all_checks(scene: ReviewScene) -> None:
    run = report(scene, says(COR, problem(1)), says(SEC), says(ARC))
    mine = ListedFinding("SEC-900", "", "mean of nothing in m2", module(2), 6, "An attacker sends none.")
    entry = ReviewEntry(0.0, SEC, "blocking", "NEEDS_WORK", (mine,))
    scene.progress.write_text(scene.progress.read_text() + "\n" + print_entry(entry))
    played = scene.resume(run)
    assert (played.ending, fixed_ids(played)) == ("FIXED", [["COR-001"], ["SEC-900"]])


def test_deleting_all_leaves_nothing_to_do(scene: ReviewScene) -> None:
    run = report(scene, says(COR, problem(1)), says(SEC), says(ARC))
    scene.progress.unlink()
    played = scene.resume(run)
    assert (played.ending, played.asked, played.run.spent_usd) == ("DEFERRED", [], 0.0)


def test_strict_may_be_given_when_it_is_resumed(scene: ReviewScene) -> None:
    run = report(scene, says(COR), says(SEC), says(ARC, problem(1)))
    assert fixed_ids(scene.resume(run)) == []
    played = scene.resume(run, strict=True)
    assert (played.ending, fixed_ids(played)) == ("FIXED", [["ARC-001"]])


def test_what_was_fixed_is_not_attempted_again(scene: ReviewScene) -> None:
    run = report(scene, says(COR, problem(1), problem(2)), says(SEC), says(ARC))
    assert scene.resume(run).ending == "FIXED"
    again = scene.resume(run)
    assert (again.ending, again.asked) == ("DEFERRED", [])
    assert (
        "fixed, failed or claimed by an earlier run, so not tried (--again retries what failed): COR-001, COR-002"
        in again.run.reason
    )


def test_only_a_review_can_be_resumed(scene: ReviewScene) -> None:
    scene.tell([says(COR)])
    with pytest.raises(UsageError, match="is not a review"):
        scene.plan_resumed("r-none")


@pytest.mark.parametrize(
    ("added", "told"),
    [
        pytest.param("3. no id here\n   - File: app/m1.py:1\n   - Issue: x\n", "a finding begins with", id="no id"),
        pytest.param(
            "3. **MINE-1**: style - x\n   - File: nowhere.py:1\n   - Issue: x\n",
            "MINE-1 names nowhere.py",
            id="no file",
        ),
    ],
)
def test_a_file_that_is_not_understood_is_corrected_before_anyone_is_paid(
    scene: ReviewScene, added: str, told: str
) -> None:
    run = report(scene, says(COR, problem(1), problem(2)), says(SEC), says(ARC))
    text = scene.progress.read_text()
    end = text.index("---")
    scene.progress.write_text(f"{text[:end]}{added}\n{text[end:]}")
    played = scene.resume(run)
    assert (played.ending, played.asked, told in played.run.reason) == ("DEFERRED", [], True), played.run.reason
    assert {issue.status for issue in scene.issues()} == {"OPEN"}


WRONG = ANSWER.replace("42", "41")
TEST = "from app import m1\n\n\ndef test_m1():\n    assert m1.answer() == 42\n"
RED = problem(1, title="the answer is wrong", issue="test_m1 fails since Monday.", line=2)


@pytest.fixture
def red(tmp_path: Path) -> ReviewScene:
    """Its tests are found, and can be chosen one by one; one of them is red."""
    scene = ReviewScene(tmp_path)
    for name in ("reknit.toml", "run_tests.py"):
        (scene.root / name).unlink()
    scene.write({
        module(1): WRONG, "tests/test_answers.py": TEST,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    })  # fmt: skip
    scene.commit("a wrong answer")
    return scene


CHEAT = "import sys\n\n\ndef answer() -> int:\n    return 42 if sys._getframe(1).f_code.co_name == 'test_m1' else 41\n"


@pytest.mark.parametrize(
    ("told", "fixed", "ending", "is_proven"),
    [
        pytest.param(
            RED, ANSWER.replace("42", "42  # noqa: E501"), "FIXED", True,
            id="advice stays advice where a test shows more",
        ),
        pytest.param(RED, CHEAT, "DEFERRED", False, id="a trick is seen"),
        pytest.param(
            problem(1, title="style", line=2), ANSWER.replace("42", "42  # noqa: E501"), "DEFERRED", False,
            id="no test is named, so advice refuses",
        ),
    ],
)  # fmt: skip
def test_a_red_test_that_a_finding_names_proves_its_fix(
    red: ReviewScene, told: dict[str, object], fixed: str, ending: str, *, is_proven: bool
) -> None:
    red.tell([says(COR, told), confirms()], [{"write": {module(1): fixed}}], loop={"attempts": 1})
    played = red.play(COR)
    assert played.ending == ending
    proven = [event.text for event in played.events if event.data.get("proof") == "proven"]
    assert ["3 tamper checks held" in text for text in proven] == [True] * is_proven
