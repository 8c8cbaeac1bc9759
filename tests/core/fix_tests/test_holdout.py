"""Cases by a second vendor: which of them count, and what they do to a proof."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import HeldOutCase
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.holdout import (
    CasePlaces,
    CaseRun,
    Holdout,
    add_holdout,
    choose_case_folder,
    choose_writer,
    filter_placeable,
    is_holdout_due,
    judge_cases,
    limit_budget,
    skip_holdout,
)
from reknit.core.fix_tests.task import FixTests, HoldoutWriters
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult

CLAUDE, CODEX = AgentSettings("claude", "claude"), AgentSettings("codex", "codex")
COMMAND = TestCommand("pytest", ("pytest",), "junit", select=("{id}",))
SPEC = RunSpec("r", "/r", "base", FixTests(), COMMAND, (CLAUDE,), limits=Limits(budget_usd=5.0))
ASKING = replace(SPEC, task=replace(SPEC.task_as(FixTests), holdout=HoldoutWriters((CLAUDE, CODEX), 0.5)))
PROOF = Proof("proven", "3 passed", "junit", fixed=("tests/test_a.py::test_a",), still_red=("t::b",))
CASE = HeldOutCase("tests/test_b.py::test_b", "tests/test_b.py", "def test_b(): ...\n", "says its docstring")
ASSERTED, BROKEN = "assert 290 == 270", "NameError: name 'discuont' is not defined"


def seen(result: TestResult | None, message: str = "") -> TestReport:
    results = {CASE.test: result} if result else {}
    return TestReport("fail", "junit", results, {CASE.test: message} if message else {})


@pytest.mark.parametrize(
    ("spec", "word", "is_due"), [(SPEC, "proven", False), (ASKING, "proven", True), (ASKING, "refused", False)]
)
def test_only_a_proven_fix_gets_a_hold_out(spec: RunSpec, word: str, is_due: bool) -> None:
    assert is_holdout_due(spec, replace(PROOF, word=word)) is is_due  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "spent_usd", "writer"),
    [
        (ASKING, 1.0, CODEX),
        (SPEC, 1.0, "no agent of another vendor than claude is known"),
        (
            replace(SPEC, task=replace(SPEC.task_as(FixTests), holdout=HoldoutWriters((CLAUDE,), 0.5))),
            1.0,
            "no agent of another vendor than claude is known",
        ),
        (replace(ASKING, tests=replace(COMMAND, select=())), 1.0, "the tests of this project cannot be run one by one"),
        (ASKING, 5.0, "nothing is left to spend"),
    ],
)
def test_who_writes_the_cases(spec: RunSpec, spent_usd: float, writer: AgentSettings | str) -> None:
    assert choose_writer(spec, "claude", PROOF.fixed, spent_usd) == writer


def test_cases_that_differ_in_path_and_id_are_all_kept() -> None:
    other = replace(CASE, path="tests/test_c.py", test="tests/test_c.py::test_c")
    assert filter_placeable([CASE, other], CasePlaces(PROOF.fixed[0], "tests", (), ()), ASKING) == (CASE, other)


def test_no_hold_out_has_spent_nothing_by_itself() -> None:
    assert (skip_holdout("x").spent_usd, skip_holdout("x", 0.25).spent_usd) == (0.0, 0.25)


def test_an_agent_that_took_over_gets_cases_of_the_first_vendor() -> None:
    spec = replace(ASKING, agents=(ASKING.agent, *(CODEX,)))
    assert choose_writer(spec, "codex", PROOF.fixed, 0.0) == CLAUDE


@pytest.mark.parametrize(("spec", "spent_usd", "most"), [(ASKING, 1.0, 1.5), (ASKING, 4.8, 5.0), (SPEC, 1.0, 1.0)])
def test_a_hold_out_has_a_limit_of_its_own_within_that_of_the_run(spec: RunSpec, spent_usd: float, most: float) -> None:
    assert limit_budget(spec, spent_usd).limits.budget_usd == most


@pytest.mark.parametrize(
    ("case", "is_kept"),
    [
        pytest.param(CASE, True, id="beside the target"),
        pytest.param(replace(CASE, path="tests/test_a.py"), False, id="replaces a file"),
        pytest.param(replace(CASE, test="tests/test_a.py::test_old"), False, id="an existing test"),
        pytest.param(replace(CASE, path="src/test_b.py"), False, id="elsewhere"),
        pytest.param(replace(CASE, test="web/b.test.js::b"), False, id="of another project"),
    ],
)
def test_a_case_is_a_new_test_beside_the_target(case: HeldOutCase, is_kept: bool) -> None:
    web = TestCommand("vitest", ("vitest",), "junit", folder="web")
    places = CasePlaces(PROOF.fixed[0], "tests", {"tests/test_a.py"}, {"tests/test_a.py::test_old"})
    spec = replace(ASKING, other_projects=(web,))
    assert filter_placeable([case, replace(case, about="the same again")], places, spec) == ((case,) if is_kept else ())


@pytest.mark.parametrize(
    "twice", [replace(CASE, path="tests/test_c.py"), replace(CASE, test="tests/test_b.py::test_c")], ids=["id", "path"]
)
def test_of_two_cases_with_one_path_or_id_the_first_is_kept(twice: HeldOutCase) -> None:
    assert filter_placeable([CASE, twice], CasePlaces(PROOF.fixed[0], "tests", (), ()), ASKING) == (CASE,)


@pytest.mark.parametrize(
    ("runner", "target", "file", "folder"),
    [
        ("pytest", "tests/test_a.py::test_a", "", "tests"),
        ("pytest", "test_a.py::test_a", "", ""),
        ("pytest", "tests/test_a.py::test_a", "tests/sub/test_a.py", "tests/sub"),
        ("go", "calc::TestAdd", "", "calc"),
        ("go", "api/calc::TestAdd", "", "api/calc"),
        ("cargo", "src/lib.rs::tests::adds", "src/lib.rs", "tests"),
        ("cargo", "crates/a/src/lib.rs::tests::adds", "", "crates/a/tests"),
        ("cargo", "tests/adds.rs::adds", "", "tests"),
        ("maven", "shop.PriceTest::adds", "", "src/test/java/shop"),
        ("command", "the test command", "", ""),
    ],
)
def test_where_a_new_file_is_found_by_the_runner(runner: str, target: str, file: str, folder: str) -> None:
    tracked = (
        "go.mod", "calc/calc.go", "calc/calc_test.go", "api/go.mod", "api/calc/calc_test.go", "src/lib.rs",
        "Cargo.toml", "crates/a/src/lib.rs", "tests/adds.rs", "tests/test_a.py", "src/test/java/shop/PriceTest.java",
    )  # fmt: skip
    project = replace(COMMAND, runner=runner, folder="api" if target.startswith("api/") else "")
    assert choose_case_folder(target, file, tracked, replace(ASKING, tests=project)) == folder


@pytest.mark.parametrize(
    ("run", "word"),
    [
        pytest.param(CaseRun(CASE, seen("passed")), "agreed", id="green"),
        pytest.param(
            CaseRun(CASE, seen("failed", ASSERTED), seen("failed", ASSERTED)), "disagreed", id="red as before"
        ),
        pytest.param(CaseRun(CASE, seen("failed", ASSERTED), seen("passed")), "disagreed", id="broken by the fix"),
        pytest.param(CaseRun(CASE, seen("failed", BROKEN), seen("failed", BROKEN)), "none", id="wrong itself"),
        pytest.param(CaseRun(CASE, seen("failed", "?"), seen("failed")), "disagreed", id="its runner names no kind"),
        pytest.param(CaseRun(CASE, seen("failed", ASSERTED), seen(None)), "disagreed", id="cannot load on base"),
        pytest.param(CaseRun(CASE, seen("failed", ASSERTED)), "disagreed", id="not run on base"),
        pytest.param(CaseRun(CASE, seen("skipped")), "none", id="skipped"),
        pytest.param(CaseRun(CASE, seen(None)), "none", id="not in the report"),
    ],
)
def test_which_cases_count(run: CaseRun, word: str) -> None:
    holdout = judge_cases([run], "AssertionError: 290 != 270", "codex", 1)
    assert (holdout.word, holdout.cases) == (word, () if word == "none" else (CASE,))


def test_what_is_said() -> None:
    green, red = CaseRun(CASE, seen("passed")), CaseRun(CASE, seen("failed", ASSERTED))
    traced = "Traceback (most recent call last):\n  File x\nAssertionError: 290 != 270\n"
    assert judge_cases([green, red], "", "codex", 2).sentence == (
        "UNPROVEN by hold-out: of 2 further cases by codex, which has not seen the fix, 1 failed with it: "
        "tests/test_b.py::test_b (says its docstring): assert 290 == 270"
    )
    assert judge_cases([CaseRun(CASE, seen("failed", traced))], "", "codex", 1).sentence.endswith(": 290 != 270")
    of_node = "Expected values to be strictly equal:\n\n290 !== 270\n"
    assert judge_cases([CaseRun(CASE, seen("failed", of_node))], "", "codex", 1).sentence.endswith("equal: 290 !== 270")
    assert judge_cases([CaseRun(CASE, seen("failed"))], "", "codex", 1).sentence.endswith(": no message")
    assert judge_cases([red, red, red], "", "codex", 3).sentence.endswith(" and 1 more")
    assert "agreed: 1 further case by codex, which has not seen the fix, passed; this proves nothing" in (
        judge_cases([green], "", "codex", 1).sentence
    )
    wordy = CaseRun(replace(CASE, about="w" * 300), seen("failed", "m" * 300))
    assert judge_cases([wordy], "", "codex", 1).sentence.count("w") < 170
    assert 100 < judge_cases([wordy], "", "codex", 1).sentence.count("m") < 170
    assert judge_cases([], "", "codex", 2).sentence == "no hold-out: none of the 2 cases by codex could be used"
    assert judge_cases([], "", "codex", 0).sentence == "no hold-out: codex gave none"


@pytest.mark.parametrize(
    ("holdout", "after"),
    [
        (Holdout("agreed", "agreed: 1"), replace(PROOF, holdout="agreed: 1")),
        (skip_holdout("x"), replace(PROOF, holdout="no hold-out: x")),
        (
            Holdout("disagreed", "UNPROVEN"),
            replace(PROOF, word="unproven", sentence="UNPROVEN", fixed=(), still_red=(), holdout="UNPROVEN"),
        ),
    ],
)
def test_disagreement_lowers_a_proof_and_nothing_raises_one(holdout: Holdout, after: Proof) -> None:
    assert add_holdout(PROOF, holdout) == after
