"""What a person asked, as a frozen run."""

from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.start.fix_tests import add_case_writers, plan_fix_tests, set_bug
from reknit.core.errors import UsageError
from reknit.core.fix_tests.task import FixTests
from reknit.core.hook.exports import PULL_STATE
from reknit.core.runs.spec import RunSpec


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return find_installation({"REKNIT_STATE": str(tmp_path / "state")})


def test_a_plan_is_frozen_from_the_repository_and_its_file(installation: Installation, shop: Path) -> None:
    spec = plan_fix_tests(installation, shop / "tests", (), {"loop": {"attempts": 2}}).spec
    assert (spec.repository, spec.kind, spec.task_as(FixTests).named_tests, spec.box) == (
        str(shop),
        "fix tests",
        (),
        "bubblewrap",
    )
    assert (spec.tests.argv, spec.tests.evidence) == (("python3", "run_tests.py", "{outbox}/report.xml"), "junit")
    assert (spec.limits.attempts, spec.agent.kind) == (2, "scripted")
    assert len(spec.base) == 40


def test_what_is_not_committed_or_not_carried_is_named(installation: Installation, shop: Path) -> None:
    (shop / ".gitignore").write_text(".env\n")
    (shop / ".env").write_text("KEY=x")
    plan = plan_fix_tests(installation, shop, (), {})
    assert plan.spec.uncommitted.paths == (".gitignore",)
    assert plan.not_carried == (".env",)
    assert plan.spec.workspace.carry == ()


def test_single_tests_can_only_be_named_where_they_can_be_seen(installation: Installation, shop: Path) -> None:
    assert plan_fix_tests(installation, shop, ("tests/test_pricing.py",), {}).spec.task_as(FixTests).named_tests == (
        "tests/test_pricing.py",
    )
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[checks.tests]\nrun = "make test"\n')
    with pytest.raises(UsageError) as caught:
        plan_fix_tests(installation, shop, ("tests/test_pricing.py",), {})
    assert caught.value.name == "named-tests"


def test_names_of_files_add_no_lines_and_no_colour(installation: Installation, shop: Path) -> None:
    (shop / "a\n  note  all is well\x1b[2J").touch()
    _ignore(shop, "*.pem")
    (shop / "b\n\x9b31m.pem").touch()
    plan = plan_fix_tests(installation, shop, (), {})
    names = (*plan.spec.uncommitted.paths, *plan.not_carried)
    assert len(names) == 2
    assert all(name.isprintable() for name in names)


def _ignore(repository: Path, *patterns: str) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("\n".join(patterns))


def test_a_test_is_named_as_it_is_called_in_the_folder_one_stands_in(installation: Installation, shop: Path) -> None:
    here = plan_fix_tests(installation, shop / "tests", ("test_pricing.py::PricingTest", "PricingTest"), {})
    assert here.spec.task_as(FixTests).named_tests == ("tests/test_pricing.py::PricingTest", "PricingTest")
    top = plan_fix_tests(installation, shop, ("./tests/test_pricing.py::PricingTest", "tests/"), {})
    assert top.spec.task_as(FixTests).named_tests == ("tests/test_pricing.py::PricingTest", "tests")
    assert plan_fix_tests(installation, shop, ("./tests", "."), {}).spec.task_as(FixTests).named_tests == ()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("tests/test_prices.py", "there is no file 'tests/test_prices.py' here"),
        ("../elsewhere.py::test_a", "there is no file '../elsewhere.py' here"),
        ("tests/test_new.py", "'tests/test_new.py' is not committed, and the run repairs the last commit"),
    ],
)
def test_a_file_that_is_not_there_is_refused_before_anything_runs(
    installation: Installation, shop: Path, name: str, problem: str
) -> None:
    (shop / "tests" / "test_new.py").write_text("")
    with pytest.raises(UsageError) as caught:
        plan_fix_tests(installation, shop, (name,), {})
    assert (caught.value.message, caught.value.exit_code) == (problem, 2)
    plan_fix_tests(installation, shop, ("tests/test_new.py",), {}, dirty=True)


def test_the_configuration_is_read_as_it_lies_there(installation: Installation, shop: Path) -> None:
    (shop / "reknit.toml").write_text((shop / "reknit.toml").read_text() + "\n")
    assert plan_fix_tests(installation, shop, (), {}).spec.uncommitted.paths == ()


def test_a_bug_has_an_id_and_one_test(installation: Installation, shop: Path) -> None:
    plan = plan_fix_tests(installation, shop, ("tests/test_pricing.py",), {})
    assert set_bug(plan, "BUG-001").spec.task_as(FixTests).bug == "BUG-001"
    for named, bug, problem in (((), "BUG-001", "bug-test"), (("tests/test_pricing.py",), "a b", "bug-id")):
        with pytest.raises(UsageError) as caught:
            set_bug(plan_fix_tests(installation, shop, named, {}), bug)
        assert caught.value.name == problem


def test_our_own_files_are_not_the_users_uncommitted_work(installation: Installation, shop: Path) -> None:
    (shop / ".claude").mkdir()
    (shop / PULL_STATE).write_text("{}")
    assert plan_fix_tests(installation, shop, (), {}).spec.uncommitted.paths == ()
    (shop / ".claude" / "settings.json").write_text("{}")
    assert plan_fix_tests(installation, shop, (), {}).spec.uncommitted.paths == (".claude/",)


def held_out(installation: Installation, shop: Path, *, asked: bool = False, **proof: object) -> RunSpec:
    agents = {"second": {"kind": "scripted"}, "mine": {"command": ["true"]}}
    flags = {"proof": proof, "agents": agents, "fallback": ["mine", "second"]}
    return add_case_writers(installation, plan_fix_tests(installation, shop, (), flags), flags, is_requested=asked).spec


@pytest.mark.parametrize(
    ("word", "asked", "is_on"),
    [("off", False, False), ("ask", False, False), ("ask", True, True), ("on", False, True), ("on", True, True)],
)
def test_hold_outs_are_on_if_a_person_wants_them(
    installation: Installation, shop: Path, word: str, asked: bool, is_on: bool
) -> None:
    target = held_out(installation, shop, asked=asked, holdout=word, holdout_usd=0.25).task_as(FixTests).holdout
    assert (target is not None) == is_on
    if target:
        assert ([agent.name for agent in target.agents], target.budget_usd) == (["scripted", "second"], 0.25)


def test_a_hold_out_agent_is_from_another_vendor_than_the_fixer(installation: Installation, shop: Path) -> None:
    target = held_out(installation, shop, holdout="on", holdout_agent="second").task_as(FixTests).holdout
    assert target and [agent.name for agent in target.agents] == ["second"]
    with pytest.raises(UsageError, match="from the same vendor as the fixer"):
        held_out(installation, shop, holdout="on", holdout_agent="scripted")


def test_an_agent_without_a_way_to_hand_in_cases_writes_none(installation: Installation, shop: Path) -> None:
    with pytest.raises(UsageError, match=r"mine .* cannot hand in test cases") as caught:
        held_out(installation, shop, holdout="on", holdout_agent="mine")
    assert "claude" in caught.value.help


def test_hold_outs_that_are_turned_off_cannot_be_asked_for(installation: Installation, shop: Path) -> None:
    with pytest.raises(UsageError, match="turned off") as caught:
        held_out(installation, shop, asked=True)
    assert "proof.holdout" in caught.value.help
