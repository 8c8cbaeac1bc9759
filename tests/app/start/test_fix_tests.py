"""What a person asked, as a frozen run."""

from pathlib import Path

import pytest

from reknit.adapters.git.demo_commit import commit_all
from reknit.app.config.load import Config, load
from reknit.app.demo import make_repository
from reknit.app.installation import Installation, installation
from reknit.app.start.agent_settings import agent_settings
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.start.workspace import new_run_id
from reknit.core.errors import UsageProblem
from tests.adapters.git.users_git import git


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
    assert plan.spec.uncommitted == (".gitignore",)
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


@pytest.mark.parametrize("entry", ["/etc", "../outside", "a/../../b", ".git/hooks", ".", ""])
def test_nothing_outside_the_working_tree_is_carried(place: Installation, shop: Path, entry: str) -> None:
    with pytest.raises(UsageProblem, match="is not an entry of the working tree"):
        plan_fix_tests(place, shop, (), {"workspace": {"carry": [entry]}})


def test_a_secret_is_not_carried_even_when_named(place: Installation, shop: Path) -> None:
    with pytest.raises(UsageProblem, match=r"'\.env' looks like a secret"):
        plan_fix_tests(place, shop, (), {"workspace": {"carry": ["vendor", ".env"]}})


@pytest.mark.parametrize("entry", ["shop", "./shop/", "shop/pricing.py"])
def test_what_git_tracks_is_not_carried(place: Installation, shop: Path, entry: str) -> None:
    """It came with the repository, and would hide what is repaired."""
    with pytest.raises(UsageProblem, match="is tracked by git"):
        plan_fix_tests(place, shop, (), {"workspace": {"carry": [entry]}})


def test_nothing_below_a_submodule_is_carried(place: Installation, shop: Path, tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    commit_all(str(shop), "a submodule")
    for entry, why in (("lib/shop", "is in a submodule"), ("lib", "is tracked by git")):
        with pytest.raises(UsageProblem, match=why):
            plan_fix_tests(place, shop, (), {"workspace": {"carry": [entry]}})


def test_nothing_behind_a_link_is_carried(place: Installation, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "x").mkdir(parents=True)
    (shop / "linked").symlink_to(tmp_path / "outside")
    for entry in ("linked", "linked/x"):
        with pytest.raises(UsageProblem, match="is a symlink, or is reached through one"):
            plan_fix_tests(place, shop, (), {"workspace": {"carry": [entry]}})
    _ignore(shop, "linked", "plain")
    (shop / "plain").touch()
    plan = plan_fix_tests(place, shop, (), {})
    assert (plan.spec.workspace.carry, plan.not_carried) == (("plain",), ("linked",))


def test_names_of_files_add_no_lines_and_no_colour(place: Installation, shop: Path) -> None:
    (shop / "a\n  note  all is well\x1b[2J").touch()
    _ignore(shop, "*.log")
    (shop / "b\n\x9b31m.log").touch()
    plan = plan_fix_tests(place, shop, (), {})
    names = (*plan.spec.uncommitted, *plan.not_carried)
    assert len(names) == 2
    assert all(name.isprintable() for name in names)


def test_a_branch_in_the_way_of_ours_is_told_before_anything_is_spent(place: Installation, shop: Path) -> None:
    git(shop, "branch", "reknit")
    with pytest.raises(UsageProblem) as caught:
        plan_fix_tests(place, shop, (), {})
    assert caught.value.help.startswith("git branch -m reknit ")


def test_what_is_carried_can_be_said(place: Installation, shop: Path) -> None:
    spec = plan_fix_tests(place, shop, (), {"workspace": {"carry": ["vendor/", "./a//b"]}}).spec
    assert spec.workspace.carry == ("vendor", "a/b")


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
    with pytest.raises(UsageProblem, match="no agent 'clod'; known: claude, codex, gemini, mine"):
        agent_settings(_config({"mine": {"command": ["mine"]}}), "clod")


def _config(agents: dict[str, object]) -> Config:
    return load(None, {"agents": agents}, {})


def _ignore(repository: Path, *patterns: str) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("\n".join(patterns))


def test_run_ids_are_short_and_differ() -> None:
    ids = {new_run_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(run_id.startswith("r-") for run_id in ids)


def test_a_test_is_named_as_it_is_called_in_the_folder_one_stands_in(place: Installation, shop: Path) -> None:
    here = plan_fix_tests(place, shop / "tests", ("test_pricing.py::PricingTest", "tests/other.py"), {})
    assert here.spec.named == ("tests/test_pricing.py::PricingTest", "tests/other.py")


def test_the_configuration_is_read_as_it_lies_there(place: Installation, shop: Path) -> None:
    (shop / "reknit.toml").write_text((shop / "reknit.toml").read_text() + "\n")
    assert plan_fix_tests(place, shop, (), {}).spec.uncommitted == ()
