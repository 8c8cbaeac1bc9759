"""What every command freezes in the same way."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.git.workspace import FOLDER, RunWorkspace
from reknit.app.config.load import load
from reknit.app.demo import make_repository
from reknit.app.installation import Installation, find_installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.start.new_spec import add_projects, make_spec, make_start_notes
from reknit.app.start.projects import ProjectsToTest
from reknit.app.start.queue import new_run_id
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.waiver import MAX_NAMED_WAIVERS, Waiver, Waivers
from reknit.core.runs.spec import ProjectSetups, UncommittedWork
from reknit.core.services.service import Service
from reknit.core.setup.layers import Setup
from reknit.core.testing.command import TestCommand
from tests.adapters.box.in_box import said
from tests.adapters.git.users_git import git, head
from tests.core.fix_tests.test_capability import SPEC

CLAUDE, CODEX = AgentSettings("claude", "claude"), AgentSettings("codex", "codex")
TESTS = TestCommand("pytest", ("pytest",), "junit")


def test_the_first_agent_works_and_the_others_take_over(shop: Path) -> None:
    (shop / ".gitignore").write_text("generated\n")
    (shop / "generated").write_text("x")
    repository = UserRepository.find(str(shop))
    flags = {
        "box": "host",
        "loop": {"budget_usd": 2.0},
        "workspace": {"setup": "make", "carry": ["generated"]},
    }
    config = load(None, flags, {})
    spec, left_out = make_spec(FixTests(), repository, config, "b" * 40, [TESTS], [CLAUDE, CODEX])
    assert (spec.kind, spec.base, spec.tests, spec.agents) == ("fix tests", "b" * 40, TESTS, (CLAUDE, CODEX))
    assert (spec.box, spec.limits.budget_usd, spec.workspace.setup) == ("host", 2.0, "make")
    assert (spec.workspace.carry, left_out) == (("generated",), ())
    again, _ = make_spec(FixTests(), repository, config, "b" * 40, [TESTS], [CLAUDE])
    assert again.run_id != spec.run_id
    assert again.agents == (CLAUDE,)


def test_where_the_set_ups_commit_left_the_default_branch(shop: Path) -> None:
    repository, start = UserRepository.find(str(shop)), head(shop)
    git(shop, "update-ref", "refs/remotes/origin/main", start)
    git(shop, "commit", "--quiet", "--allow-empty", "--message=mine")
    config, install = load(None, {}, {}), ProjectsToTest((TESTS,), setups=(Setup("", "npm ci"),))
    spec, _ = make_spec(FixTests(), repository, config, head(shop), [TESTS], [CLAUDE])
    assert add_projects(spec, repository, install).setups.fork == start
    assert (
        add_projects(
            replace(spec, uncommitted=UncommittedWork(on_top_of=start), base="b" * 40), repository, install
        ).setups.fork
        == start
    )
    assert add_projects(replace(spec, setups=ProjectSetups(base=start)), repository, install).setups.fork == start
    assert add_projects(replace(spec, base="b" * 40), repository, install).setups.fork == ""
    assert add_projects(spec, repository, replace(install, setups=())).setups.fork == ""
    assert add_projects(spec, repository, install).setups.remote == ""
    git(shop, "remote", "add", "origin", "https://me:word@forge.example/me/shop")
    assert add_projects(spec, repository, install).setups.remote not in ("", "https://me:word@forge.example/me/shop")


def test_a_box_that_is_no_sandbox_is_named() -> None:
    assert make_start_notes(SPEC) == ()
    assert make_start_notes(replace(SPEC, box="host")) == (
        "box `host` is not a sandbox: agent and tests run with your permissions",
    )


def test_a_box_that_starts_no_services_says_so() -> None:
    tests = replace(SPEC.tests, services=(Service("redis-server"),))
    assert make_start_notes(replace(SPEC, tests=tests)) == ()
    assert "starts no services" in make_start_notes(replace(SPEC, tests=tests, box="host"))[1]


def test_a_waiver_that_has_ended_is_named() -> None:
    ended = tuple(
        Waiver("protected-config", f"{number}.lock", "why", "config.toml", "2026-01-01")
        for number in range(MAX_NAMED_WAIVERS + 2)
    )
    first = "the waiver protected-config:0.lock in config.toml ended on 2026-01-01"
    assert make_start_notes(replace(SPEC, waivers=Waivers(ended=ended[:1]))) == (first,)
    notes = make_start_notes(replace(SPEC, waivers=Waivers(ended=ended)))
    assert (len(notes), notes[0], notes[-1]) == (MAX_NAMED_WAIVERS + 1, first, "and 2 more waivers have ended")


def test_a_waiver_that_the_repository_forbids_is_named() -> None:
    waivers = Waivers((Waiver("too-much", "a.lock"), Waiver("too-much", "b")), ("too-much:*.lock",))
    said = "too-much:a.lock (--allow) has no effect: the repository forbids it (too-much:*.lock)"
    assert make_start_notes(replace(SPEC, waivers=waivers)) == (said,)


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return find_installation({"REKNIT_STATE": str(tmp_path / "state")})


@pytest.mark.parametrize("entry", ["/etc", "../outside", "a/../../b", ".git/hooks", ".", ""])
def test_nothing_outside_the_working_tree_is_carried(installation: Installation, shop: Path, entry: str) -> None:
    with pytest.raises(UsageError, match="is not an entry of the working tree"):
        plan_fix_tests(installation, shop, (), {"workspace": {"carry": [entry]}})


def test_a_secret_is_not_carried_even_when_named(installation: Installation, shop: Path) -> None:
    with pytest.raises(UsageError, match=r"'\.env' looks like a secret"):
        plan_fix_tests(installation, shop, (), {"workspace": {"carry": ["vendor", ".env"]}})


@pytest.mark.parametrize("entry", ["shop", "./shop/", "shop/pricing.py"])
def test_what_git_tracks_is_not_carried(installation: Installation, shop: Path, entry: str) -> None:
    """It came with the repository, and would hide what is repaired."""
    with pytest.raises(UsageError, match="is tracked by git"):
        plan_fix_tests(installation, shop, (), {"workspace": {"carry": [entry]}})


def test_nothing_below_a_submodule_is_carried(installation: Installation, shop: Path, tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    commit_all(str(shop), "a submodule")
    for entry, why in (("lib/shop", "is in a submodule"), ("lib", "is tracked by git")):
        with pytest.raises(UsageError, match=why):
            plan_fix_tests(installation, shop, (), {"workspace": {"carry": [entry]}})


def test_nothing_behind_a_link_is_carried(installation: Installation, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "x").mkdir(parents=True)
    (shop / "linked").symlink_to(tmp_path / "outside")
    for entry in ("linked", "linked/x"):
        with pytest.raises(UsageError, match="is a symlink, or is reached through one"):
            plan_fix_tests(installation, shop, (), {"workspace": {"carry": [entry]}})
    _ignore(shop, "linked", "plain")
    (shop / "plain").touch()
    plan = plan_fix_tests(installation, shop, (), {})
    assert (plan.spec.workspace.carry, plan.not_carried) == (("plain",), ("linked",))


def test_a_branch_in_the_way_of_ours_is_told_before_anything_is_spent(installation: Installation, shop: Path) -> None:
    git(shop, "branch", "reknit")
    with pytest.raises(UsageError) as caught:
        plan_fix_tests(installation, shop, (), {})
    assert caught.value.help.startswith("git branch -m reknit ")


def test_what_is_carried_can_be_said(installation: Installation, shop: Path) -> None:
    spec = plan_fix_tests(installation, shop, (), {"workspace": {"carry": ["vendor/", "./a//b"]}}).spec
    assert spec.workspace.carry == ("vendor", "a/b")


def test_tests_write_what_an_earlier_run_of_them_left_in_the_original(
    installation: Installation, shop: Path, tmp_path: Path
) -> None:
    """Object files, a database and a log folder: ignored, and written again by every run."""
    for name in ("main.o", "test.db", "logs/today", "node_modules/.vite/deps"):
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text("old\n")
    (shop / "node_modules" / "large").write_bytes(b"x" * (FOLDER.bytes + 1))
    _ignore(shop, "*.o", "test.db", "logs", "node_modules")
    workspace = RunWorkspace(plan_fix_tests(installation, shop, (), {}).spec, tmp_path / "run")
    workspace.ensure_commits()
    view = workspace.open_tree("tests", git(shop, "rev-parse", "HEAD").strip())
    assert set(view.carry) - set(view.copied) == {"node_modules"}
    written = "main.o test.db logs/today logs/new node_modules/.vite/deps"
    assert said(view, "sh", "-c", f"for file in {written}; do echo new > $file; done; cat {written}") == "new\n" * 5
    assert {(shop / name).read_text() for name in ("main.o", "test.db", "logs/today")} == {"old\n"}
    assert not (shop / "logs" / "new").exists()


def _ignore(repository: Path, *patterns: str) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("\n".join(patterns))


def test_run_ids_are_short_and_differ() -> None:
    ids = {new_run_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(run_id.startswith("r-") for run_id in ids)
