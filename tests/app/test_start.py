"""What a person asked, as a frozen run."""

from pathlib import Path

import pytest

from reknit.adapters.vcs.new_repository import commit_all
from reknit.app.config import Config, load
from reknit.app.installation import Installation, installation
from reknit.app.start import agent_settings, new_run_id, plan_fix_tests
from reknit.core.errors import UsageProblem


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return installation({"REKNIT_STATE": str(tmp_path / "state")})


def test_a_plan_is_frozen_from_the_repository_and_its_file(place: Installation, shop: Path) -> None:
    spec = plan_fix_tests(place, shop / "tests", (), {"loop": {"attempts": 2}}).spec
    assert (spec.repository, spec.kind, spec.named, spec.box) == (str(shop), "fix tests", (), "bubblewrap")
    assert (spec.tests.argv, spec.tests.evidence) == (("python3", "run_tests.py", "{outbox}/report.xml"), "junit")
    assert (spec.limits.attempts, spec.agent.kind) == (2, "scripted")
    assert len(spec.base) == 40


def test_what_is_not_committed_or_not_carried_is_named(place: Installation, shop: Path) -> None:
    (shop / ".gitignore").write_text(".env\n")
    (shop / ".env").write_text("KEY=x")
    plan = plan_fix_tests(place, shop, (), {})
    assert plan.uncommitted == (".gitignore",)
    assert plan.not_carried == (".env",)
    assert plan.spec.workspace.carry == ()


def test_single_tests_can_only_be_named_where_they_can_be_seen(place: Installation, shop: Path) -> None:
    assert plan_fix_tests(place, shop, ("tests/test_pricing.py",), {}).spec.named == ("tests/test_pricing.py",)
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[checks.tests]\nrun = "make test"\n')
    with pytest.raises(UsageProblem) as caught:
        plan_fix_tests(place, shop, ("tests/test_pricing.py",), {})
    assert caught.value.name == "named-tests"


def test_a_test_command_for_a_shell_is_refused(place: Installation, shop: Path) -> None:
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[checks.tests]\nrun = "pytest && true"\n')
    with pytest.raises(UsageProblem, match="without a shell"):
        plan_fix_tests(place, shop, (), {})


def test_tests_are_found_where_none_are_set(place: Installation, shop: Path) -> None:
    (shop / "reknit.toml").unlink()
    commit_all(str(shop), "no file")
    assert plan_fix_tests(place, shop, (), {}).spec.tests.runner == "pytest"


@pytest.mark.parametrize("entry", ["/etc", "../outside", "a/../../b", ".git/hooks"])
def test_nothing_outside_the_working_tree_is_carried(place: Installation, shop: Path, entry: str) -> None:
    with pytest.raises(UsageProblem, match="is not an entry of the working tree"):
        plan_fix_tests(place, shop, (), {"workspace": {"carry": [entry]}})


def test_a_secret_is_not_carried_even_when_named(place: Installation, shop: Path) -> None:
    with pytest.raises(UsageProblem, match=r"'\.env' looks like a secret"):
        plan_fix_tests(place, shop, (), {"workspace": {"carry": ["vendor", ".env"]}})


def test_what_is_carried_can_be_said(place: Installation, shop: Path) -> None:
    spec = plan_fix_tests(place, shop, (), {"workspace": {"carry": ["vendor"]}}).spec
    assert spec.workspace.carry == ("vendor",)


@pytest.mark.parametrize(
    ("name", "agents", "kind"),
    [
        pytest.param("claude", {}, "claude", id="a built-in by its own name"),
        pytest.param("fast", {"fast": {"kind": "claude", "model": "x"}}, "claude", id="a built-in by another name"),
        pytest.param("mine", {"mine": {"command": ["mine"], "env": {"A": "b"}}}, "any_command", id="any command"),
    ],
)
def test_an_agent_is_found_by_name(name: str, agents: dict[str, object], kind: str) -> None:
    settings = agent_settings(_config(agents), name)
    assert (settings.name, settings.kind) == (name, kind)


def test_an_agent_that_nobody_knows_names_the_known_ones() -> None:
    with pytest.raises(UsageProblem, match="no agent 'clod'; known: claude, mine"):
        agent_settings(_config({"mine": {"command": ["mine"]}}), "clod")


def _config(agents: dict[str, object]) -> Config:
    return load(None, {"agents": agents}, {})


def test_run_ids_are_short_and_differ() -> None:
    ids = {new_run_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(run_id.startswith("r-") for run_id in ids)
