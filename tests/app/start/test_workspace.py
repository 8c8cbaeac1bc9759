"""What a new run finds in its workspace: an id, a free branch, and what is carried over."""

from pathlib import Path

import pytest

from reknit.adapters.git.carried_copies import FOLDER
from reknit.adapters.git.demo_commit import commit_all
from reknit.adapters.git.workspace import RunWorkspace
from reknit.app.demo import make_repository
from reknit.app.installation import Installation, installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.start.workspace import new_run_id
from reknit.core.errors import UsageProblem
from tests.adapters.box.in_box import said
from tests.adapters.git.users_git import git


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return installation({"REKNIT_STATE": str(tmp_path / "state")})


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


def test_a_branch_in_the_way_of_ours_is_told_before_anything_is_spent(place: Installation, shop: Path) -> None:
    git(shop, "branch", "reknit")
    with pytest.raises(UsageProblem) as caught:
        plan_fix_tests(place, shop, (), {})
    assert caught.value.help.startswith("git branch -m reknit ")


def test_what_is_carried_can_be_said(place: Installation, shop: Path) -> None:
    spec = plan_fix_tests(place, shop, (), {"workspace": {"carry": ["vendor/", "./a//b"]}}).spec
    assert spec.workspace.carry == ("vendor", "a/b")


def test_tests_write_what_an_earlier_run_of_them_left_in_the_original(
    place: Installation, shop: Path, tmp_path: Path
) -> None:
    """Object files, a database and a log folder: ignored, and written again by every run."""
    for name in ("main.o", "test.db", "logs/today", "node_modules/.vite/deps"):
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text("old\n")
    (shop / "node_modules" / "large").write_bytes(b"x" * (FOLDER.bytes + 1))
    _ignore(shop, "*.o", "test.db", "logs", "node_modules")
    workspace = RunWorkspace(plan_fix_tests(place, shop, (), {}).spec, tmp_path / "run")
    workspace.ready()
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
