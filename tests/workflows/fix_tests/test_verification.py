"""Ways to a green run that is none: each was once a false FIXED, and must not be one again."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.core.fix_tests.flakiness import ALONE_RUNS
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.tamper_checks.checks import HARNESS_RUNS
from reknit.core.testing.proof import Proof, RunRecord
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.base_runs import look_at_base
from reknit.workflows.fix_tests.verification import Run, Sides, collect_proof, find_flaky_suspects, forget_runs_of_proof
from reknit.workflows.shared.agent_call import AgentTask, run_attempt
from tests.tools.command_line import Answer, CommandLine
from tests.workflows.shared.conftest import Scene

Here = Callable[..., Answer]
CHECK = "python3 -c 'import shop; raise SystemExit(shop.A != 42)'\n"
PYTEST = {"tests": {"run": "python3 -m pytest -q"}}


def repository(folder: Path, **files: str) -> Path:
    """Keyword `a__b_py`: the file a/b.py."""
    root = folder / "repository"
    for name, text in files.items():
        stem, _, ending = name.replace("__", "/").rpartition("_")
        path = root / f"{stem}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit_all(str(root), "first")
    return root


def fix(here: Here, root: Path, *arguments: str) -> dict[str, Any]:
    return here("fix", "tests", "--attempts", "1", "--format", "json", *arguments, cwd=root).ending


def rules(ending: dict[str, Any]) -> list[str]:
    return [refusal["rule"] for refusal in ending["attempts"][0]["refusals"]]


def test_the_script_that_runs_the_tests_is_not_the_agents_to_change(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(tmp_path, check_sh=CHECK, shop_py="A = 41\n")
    checks = {"tests": {"run": "sh check.sh"}}
    reknit.tell_story({"write": {"check.sh": "exit 0\n"}}, checks=checks)
    ending = fix(here, root)
    assert (ending["ending"], rules(ending)) == ("DEFERRED", ["protected-test"])
    reknit.tell_story({"write": {"shop.py": "A = 42\n"}}, checks=checks)
    assert fix(here, root)["ending"] == "FIXED"


def test_a_suite_that_stops_at_its_first_failure_hides_nothing(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        pyproject_toml='[tool.pytest.ini_options]\naddopts = "-x"\npythonpath = ["."]\n',
        code_py="A, B, C = 0, 0, 1\n",
        test_a_py="import code_ as code\n\n\ndef test_a():\n    assert code.A\n",
        test_b_py="import code_ as code\n\n\ndef test_b():\n    assert code.B\n",
        test_c_py="import code_ as code\n\n\ndef test_c():\n    assert code.C\n",
    )
    (root / "code.py").rename(root / "code_.py")
    commit_all(str(root), "a name of its own")
    reknit.tell_story({"write": {"code_.py": "A, B, C = 1, 1, 0\n"}}, checks=PYTEST)
    ending = fix(here, root, "test_a.py")
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "regressed")


def test_a_red_test_that_the_change_adds_is_not_landed(here: Here, reknit: CommandLine, shop: Path) -> None:
    mend = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}
    added = (
        "import unittest\n\n\nclass NewTest(unittest.TestCase):\n    def test_new(self):\n        self.fail('red')\n"
    )
    reknit.tell_story({"replace": mend, "write": {"tests/test_new.py": added}})
    ending = fix(here, shop)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "regressed")


@pytest.mark.parametrize("named", [(), ("packages/two/tests/test_two.py::test_add",)])
def test_a_package_of_a_monorepo_is_seen_by_the_same_ids_alone(
    here: Here, reknit: CommandLine, tmp_path: Path, named: tuple[str, ...]
) -> None:
    root = repository(
        tmp_path,
        pyproject_toml="[tool.pytest.ini_options]\n",
        packages__one__tests__test_one_py="def test_one():\n    assert True\n",
        packages__two__pyproject_toml='[tool.pytest.ini_options]\npythonpath = ["."]\n',
        packages__two__two_py="def add(a, b):\n    return a - b\n",
        packages__two__tests__test_two_py=(
            "import sys\n\nsys.path.insert(0, 'packages/two')\nfrom two import add\n\n\n"
            "def test_add():\n    assert add(2, 3) == 5\n"
        ),
    )
    reknit.tell_story({"replace": {"packages/two/two.py": ["a - b", "a + b"]}}, checks=PYTEST)
    ending = fix(here, root, *named)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("FIXED", "proven")


CONFIGURED = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
ADD_PY = "def add(a, b):\n    return a - b\n"
ADD_TEST = "from add import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
RIGHT = {"replace": {"add.py": ["a - b", "a + b"]}}
WHOLE, WHOLE_WITHOUT = "the whole suite, with the change", "the whole suite, without the change"


def ran(ending: dict[str, Any]) -> Counter[str]:
    """How often each was run for the first fix."""
    return Counter({run["what"]: run["times"] for run in ending["receipts"][0]["ran"]})


def test_a_fix_costs_one_whole_run_before_it_and_one_after_it(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(tmp_path, pyproject_toml=CONFIGURED, add_py=ADD_PY, test_add_py=ADD_TEST)
    reknit.tell_story(RIGHT, checks=PYTEST)
    ending = fix(here, root)
    assert ending["ending"] == "FIXED"
    counts = ran(ending)
    assert 2 <= counts.pop("what is red, alone, on base") <= 5, "fewer if the machine is slow"
    assert counts == {
        "the whole suite, on base": 1,
        "the finding, alone, with the change": 1,
        WHOLE: 1,
        "what turned green, alone, with the change": 1,
        "what turned green, alone, without the change": 1,
        "tests of reknit beside what turned green, with the change": 1,
        "the second harness, without the change": 1,
        "the second harness, with the change": 1,
    }
    assert all(run["seconds"] > 0 and run["tests"] >= 1 and run["at"] > 1e9 for run in ending["receipts"][0]["ran"])


@pytest.mark.parametrize(
    ("file", "before"),
    [
        pytest.param("test_more.py", "from add import add\n", id="in a new file"),
        pytest.param("test_add.py", ADD_TEST, id="in the file of the failing test"),
    ],
)
def test_if_the_change_adds_tests_those_of_base_are_also_run_without_them(
    here: Here, reknit: CommandLine, tmp_path: Path, file: str, before: str
) -> None:
    root = repository(tmp_path, pyproject_toml=CONFIGURED, add_py=ADD_PY, test_add_py=ADD_TEST)
    more = f"{before}\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
    reknit.tell_story({**RIGHT, "write": {file: more}}, checks=PYTEST)
    ending = fix(here, root)
    assert (ending["ending"], ran(ending)[WHOLE], ran(ending)[f"{WHOLE} but not the tests it adds"]) == ("FIXED", 1, 1)


def test_product_with_a_name_of_tests_is_repaired(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    test = ADD_TEST.replace("from add ", "from shop.luhn_test ")
    root = repository(tmp_path, pyproject_toml=CONFIGURED, shop__luhn_test_py=ADD_PY, tests__test_add_py=test)
    reknit.tell_story({"replace": {"shop/luhn_test.py": ["a - b", "a + b"]}}, checks=PYTEST)
    ending = fix(here, root)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("FIXED", "proven")


def test_tests_that_the_change_adds_cannot_hide_what_it_broke(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        pyproject_toml=CONFIGURED,
        add_py=ADD_PY + "\n\ndef sub(a, b):\n    return a - b\n",
        test_add_py=ADD_TEST,
        test_sub_py="import add\n\n\ndef test_sub():\n    assert add.sub(3, 2) == 1\n",
    )
    both = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a + b\n"
    mask = "import add\n\nadd.sub = lambda a, b: a - b\n\n\ndef test_zero():\n    assert add.add(0, 0) == 0\n"
    reknit.tell_story({"write": {"add.py": both, "test_0.py": mask}}, checks=PYTEST)
    ending = fix(here, root)
    assert ending["ending"] == "DEFERRED"
    assert ending["attempts"][0]["proof"] in (None, "regressed")


def test_a_fix_that_works_only_at_first_is_none(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    """It is green alone and in the whole suite, and red the third time."""
    root, count = repository(tmp_path, pyproject_toml=CONFIGURED, add_py=ADD_PY, test_add_py=ADD_TEST), tmp_path / "n"
    lucky = (
        f"from pathlib import Path\n\nCOUNT = Path({str(count)!r})\n\n\ndef add(a, b):\n"
        "    with COUNT.open('a') as file:\n        file.write('x')\n"
        "    return a + b if COUNT.stat().st_size < 3 else a - b\n"
    )
    reknit.tell_story({"write": {"add.py": lucky}}, checks=PYTEST)
    ending = fix(here, root, "--box", "host")
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "still_red")
    assert count.stat().st_size == 3


def test_a_fix_that_breaks_another_test_only_in_the_suite_is_refused(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(
        tmp_path,
        pyproject_toml=CONFIGURED,
        add_py="SEEN = []\n\n\n" + ADD_PY,
        test_add_py=ADD_TEST,
        test_seen_py="import add\n\n\ndef test_seen():\n    assert add.SEEN == []\n",
    )
    leaks = "SEEN = []\n\n\ndef add(a, b):\n    SEEN.append(a)\n    return a + b\n"
    reknit.tell_story({"write": {"add.py": leaks}}, checks=PYTEST)
    ending = fix(here, root)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "regressed"), ending


def test_a_test_that_the_change_makes_skip_is_lost(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        pyproject_toml=CONFIGURED,
        add_py="READY = True\n\n\n" + ADD_PY,
        test_add_py=ADD_TEST,
        test_ready_py=(
            "import add\nimport pytest\n\n\n@pytest.mark.skipif(not add.READY, reason='not ready')\n"
            "def test_ready():\n    assert add.add(1, 0) == 1\n"
        ),
    )
    reknit.tell_story({"write": {"add.py": "READY = False\n\n\n" + ADD_PY.replace("a - b", "a + b")}}, checks=PYTEST)
    ending = fix(here, root)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "regressed")


def test_tests_with_another_name_in_each_run_are_not_called_lost(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(
        tmp_path,
        pyproject_toml=CONFIGURED,
        add_py=ADD_PY,
        test_add_py=ADD_TEST,
        test_named_py=(
            "import uuid\n\nimport pytest\n\n\n@pytest.mark.parametrize('name', [uuid.uuid4().hex])\n"
            "def test_named(name):\n    assert name\n"
        ),
    )
    reknit.tell_story(RIGHT, checks=PYTEST)
    ending = fix(here, root)
    assert (ending["ending"], ran(ending)[WHOLE], ran(ending)[WHOLE_WITHOUT]) == ("FIXED", 1, 0)


def test_what_fails_alone_for_another_reason_is_judged_by_the_suite(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    """The names of a page's example come from a file of the tests that is loaded only with the whole suite."""
    root = repository(
        tmp_path,
        pyproject_toml=f"{CONFIGURED}addopts = '--doctest-glob=*.rst'\n",
        add_py=ADD_PY,
        docs__page_rst=">>> add(2, 3)\n5\n",
        tests__conftest_py="import builtins\n\nimport add\n\nbuiltins.add = add.add\n",
        tests__test_ok_py="def test_ok():\n    pass\n",
    )
    reknit.tell_story(RIGHT, checks=PYTEST)
    ending = fix(here, root)
    assert ending["ending"] == "FIXED", ending
    assert ran(ending)[WHOLE] == 2
    assert not [what for what in ran(ending) if what.startswith(("the finding", "what turned green"))]


def test_what_cannot_be_run_alone_is_told_from_flaky_by_whole_runs(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(tmp_path, check_sh=CHECK, shop_py="A = 41\n")
    reknit.tell_story({"write": {"shop.py": "A = 42\n"}}, checks={"tests": {"run": "sh check.sh"}})
    ending = fix(here, root)
    assert (ending["ending"], ran(ending)) == (
        "FIXED",
        {
            "the whole suite, on base": 2,
            WHOLE: 2,
            WHOLE_WITHOUT: 1,
            "the whole suite, with the change and a failure in each test file": 1,
        },
    )
    assert ending["reason"] == "everything asked for is fixed and proven, by exit code"


def test_what_the_environment_breaks_after_a_remembered_baseline_is_not_blamed_on_the_fix(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    """More tests than are compared one by one; what they depend on is in no identity of the environment."""
    service = tmp_path / "service"
    root = repository(
        tmp_path,
        pyproject_toml=CONFIGURED,
        add_py=ADD_PY,
        test_add_py=ADD_TEST,
        test_service_py=(
            "from pathlib import Path\n\nimport pytest\n\n\n@pytest.mark.parametrize('number', range(25))\n"
            f"def test_service(number):\n    assert Path({str(service)!r}).exists()\n"
        ),
    )
    service.touch()
    reknit.tell_story(RIGHT, checks=PYTEST)
    first = fix(here, root, "--box", "host")
    service.unlink()
    again = fix(here, root, "--box", "host")
    assert (first["ending"], again["ending"], again["attempts"][0]["proof"]) == ("FIXED", "FIXED", "proven")
    assert (ran(again)[f"the whole suite, on base, in {first['run']}"], ran(again)[WHOLE_WITHOUT]) == (0, 1)


def saved(proof: Proof) -> list[RunRecord]:
    return [run for run in proof.ran if run.what not in HARNESS_RUNS.values()]


def test_a_proof_that_was_interrupted_repeats_no_run_that_was_finished(scene: Scene) -> None:
    services, spec = scene
    services.workspace(spec).ensure_commits()
    baseline = asyncio.run(look_at_base(services, spec))
    move = Try(baseline.findings[0], 1, "local", spec.agent.name)
    progress = RepairProgress(AgentRotation((spec.agent.name,)), baseline.findings, spec.base)
    task = AgentTask("attempt-1", 1, spec.agent, "Fix it.", "local")
    made = asyncio.run(run_attempt(services, spec, task, move.finding, spec.base))
    proof = asyncio.run(collect_proof(services, spec, move, progress, made, baseline))
    assert (proof.word, sum(run.times for run in saved(proof))) == ("proven", 3)
    assert {run.what for run in proof.ran} > {*HARNESS_RUNS.values()}
    assert proof.seconds == pytest.approx(sum(run.seconds for run in proof.ran), abs=0.1)
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    again = asyncio.run(collect_proof(services, broken, move, progress, made, baseline))
    assert (again.word, again.fixed, again.checks, saved(again)) == ("proven", proof.fixed, proof.checks, saved(proof))
    forget_runs_of_proof(services, spec, move)
    assert asyncio.run(collect_proof(services, broken, move, progress, made, baseline)).word == "unseen"


FLAKY, BROKEN, ORDERED = "t.py::flaky", "t.py::broken", "t.py::ordered"
SIDES = Sides("fix", "head")


def runner(dice: random.Random, ran: list[tuple[str, int]]) -> Run:
    """BROKEN is red with the fix; ORDERED only if the whole suite runs with it; FLAKY whenever the dice say so."""

    async def run(label: str, rev: str, only: Sequence[str]) -> TestReport:
        ran.append((label, len(only)))
        red = {FLAKY} if dice.random() < 0.5 else set()
        red |= {BROKEN} if rev == "fix" else set()
        red |= {ORDERED} if rev == "fix" and not only else set()
        tests = (FLAKY, BROKEN, ORDERED)
        return TestReport("fail", "junit", {test: "failed" if test in red else "passed" for test in tests})

    return run


def test_a_broken_test_is_blamed_every_time_and_a_flaky_one_hardly_ever() -> None:
    dice, mistakes, times = random.Random(3), 0, 3_000
    for _time in range(times):
        found = asyncio.run(find_flaky_suspects([BROKEN, FLAKY, ORDERED], SIDES, runner(dice, []), alone=True))
        assert isinstance(found, tuple)
        assert BROKEN not in found
        assert ORDERED not in found
        mistakes += FLAKY not in found
    # Blamed alone, or of one colour alone and then blamed in the suite.
    assert mistakes / times < 3 / 4**ALONE_RUNS


def test_a_runner_that_cannot_select_runs_the_whole_suite_once_on_each_side() -> None:
    ran: list[tuple[str, int]] = []
    found = asyncio.run(find_flaky_suspects([BROKEN, ORDERED], SIDES, runner(random.Random(1), ran), alone=False))
    assert (found, ran) == ((), [("again-with-0", 0), ("again-without-0", 0)])


def test_nothing_runs_if_there_is_nothing_to_compare_or_too_much() -> None:
    ran: list[tuple[str, int]] = []
    run = runner(random.Random(1), ran)
    assert asyncio.run(find_flaky_suspects([], SIDES, run, alone=True)) == ()
    assert asyncio.run(find_flaky_suspects([BROKEN] * 21, SIDES, run, alone=True)) == ()
    assert ran == []


def test_a_comparison_without_a_result_clears_no_test() -> None:
    unseen = TestReport("error", "junit", why="killed")

    async def run(label: str, rev: str, only: Sequence[str]) -> TestReport:
        results = {BROKEN: "failed" if rev == "fix" else "passed", ORDERED: "passed"}
        return TestReport("fail", "junit", results) if only else unseen  # type: ignore[arg-type]

    assert asyncio.run(find_flaky_suspects([ORDERED], SIDES, run, alone=True)) is unseen
    assert asyncio.run(find_flaky_suspects([BROKEN, ORDERED], SIDES, run, alone=True)) == (), "one is to blame anyway"
