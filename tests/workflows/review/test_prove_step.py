"""A finding about tests is fixed by new tests alone, and only by such that notice when the code is wrong."""

import pytest

from reknit.core.gate.waiver import Waiver
from reknit.core.review.progress import NOTHING_TO_TRY
from reknit.core.review.progress_file.entries import FailedEntry
from tests.tools.review_scene import ANSWER, MEAN, Move, ReviewScene, confirms, module, problem, says

TST, OLD_TEST = "tests", "tests/test_m1.py"
RUNNER = """\
import importlib, pathlib, sys, traceback

lines, failed = [], 0
for path in sorted(pathlib.Path("tests").glob("test_*.py")):
    loaded = importlib.import_module(f"tests.{path.stem}")
    for name in [name for name in vars(loaded) if name.startswith("test_")]:
        try:
            getattr(loaded, name)()
            problem = ""
        except AssertionError:
            problem = '<failure message="AssertionError: wrong"/>'
        failed += bool(problem)
        case = f'<testcase file="tests/{path.name}" classname="tests.{path.stem}" name="{name}">'
        lines.append(case + problem + "</testcase>")
with open(sys.argv[1], "w") as report:
    report.write(f'<testsuite time="0">{"".join(lines)}</testsuite>')
sys.exit(failed > 0)
"""
TESTS = "from app.m1 import answer\n\n\ndef test_answer():\n    assert answer() == 42\n"
REAL = "from app.m1 import mean\n\n\ndef test_mean():\n    assert mean([2, 4]) == 3\n"
VACUOUS = REAL.replace("assert mean([2, 4]) == 3", "assert mean is not None")
CRASHES = f"""TEXT = {ANSWER + MEAN!r}


def test_mean():
    if any(open(name).read() != TEXT for name in ("app/m1.py", "app/m2.py")):
        raise RuntimeError
"""
LOOSE = TESTS.replace("== 42", "in (41, 42)")
MISSING = problem(1, category="missing", title="no test notices a wrong mean", severity="warning")
WEAK = problem(1, category="weak", title="the test is weak", file=OLD_TEST, line=5)


@pytest.fixture
def scene(scene: ReviewScene) -> ReviewScene:
    scene.git("rm", "-q", "tests/test_answers.py")
    scene.write({"run_tests.py": RUNNER, "tests/test_m1.py": TESTS})
    scene.commit("a runner")
    return scene


def adds(text: str, path: str = "tests/test_mean.py") -> Move:
    return {"write": {path: text}, "cost_usd": 0.1}


@pytest.mark.parametrize("finding", [MISSING, WEAK], ids=["about code that no test covers", "about a test"])
def test_a_new_test_that_notices_wrong_code_is_a_fix(scene: ReviewScene, finding: Move) -> None:
    scene.tell([says(TST, finding), confirms()], [adds(REAL)])
    played = scene.play(TST, strict=True)
    assert (played.ending, played.run.reason) == ("FIXED", "1 of 1 finding fixed")
    assert [issue.status for issue in scene.issues()] == ["RESOLVED"]
    [asked] = [asked for asked in played.asked if asked.name == "fix_review"]
    assert "These findings are about tests." in asked.prompt


@pytest.mark.parametrize(
    ("made", "why"),
    [
        pytest.param(adds(VACUOUS), "test_mean.py::test_mean would pass with each of 4 wrong lines", id="vacuous"),
        pytest.param(adds(CRASHES), "the added tests gave no result with any wrong line", id="no result"),
        pytest.param(adds("VALUE = 1\n"), "no test of the change passes that was not there before", id="no test"),
        pytest.param(
            {**adds(REAL), "replace": {module(1): ["return 42", "return 40 + 2"]}},
            "a fix of a finding about tests may only add tests", id="also other code",
        ),
        pytest.param(adds(LOOSE, OLD_TEST), f"the fix changed the test file {OLD_TEST}", id="an old test"),
    ],
)  # fmt: skip
def test_anything_else_is_not(scene: ReviewScene, made: Move, why: str) -> None:
    scene.tell([says(TST, MISSING), confirms()], [made], loop={"attempts": 1})
    played = scene.play(TST, strict=True)
    assert (played.ending, scene.landed(played.run.id)) == ("DEFERRED", [])
    [failed] = [entry for entry in scene.entries() if isinstance(entry, FailedEntry)]
    assert why in failed.reason


def test_a_test_that_a_person_allows_to_change_may_be_changed(scene: ReviewScene) -> None:
    stronger = TESTS.replace("answer() == 42", "answer() == 40 + 2")
    scene.tell([says(TST, WEAK), confirms()], [adds(stronger, OLD_TEST)])
    flags = {"gate": {"allow": (Waiver("protected-test", OLD_TEST),)}}
    assert scene.play(TST, strict=True, flags=flags).ending == "FIXED"


def test_without_code_that_could_be_wrong_no_agent_is_asked(scene: ReviewScene) -> None:
    scene.git("checkout", "-q", "-b", "only-tests")
    scene.git("branch", "-f", "main", "work")
    scene.write({OLD_TEST: LOOSE})
    scene.commit("loosen a test")
    scene.tell([says(TST, WEAK)], [adds(REAL)])
    played = scene.play(TST, strict=True, base="main")
    assert (played.ending, [asked.name for asked in played.asked]) == ("DEFERRED", ["review"])
    assert "about tests of a change that adds no code to try them with: TST-001" in played.run.reason
    [left] = [entry for entry in scene.entries() if isinstance(entry, FailedEntry)]
    assert (left.attempts, NOTHING_TO_TRY in left.reason) == (0, True)
