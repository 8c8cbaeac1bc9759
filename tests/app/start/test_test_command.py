"""The repository's test command, as set or as found."""

from pathlib import Path

import pytest

from reknit.adapters.git.demo_commit import commit_all
from reknit.app.installation import Installation, installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.core.errors import UsageProblem


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return installation({"REKNIT_STATE": str(tmp_path / "state")})


def test_a_test_command_for_a_shell_is_refused(place: Installation, shop: Path) -> None:
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[checks.tests]\nrun = "pytest && true"\n')
    with pytest.raises(UsageProblem, match="without a shell"):
        plan_fix_tests(place, shop, (), {})


def test_tests_are_found_where_none_are_set(place: Installation, shop: Path) -> None:
    (shop / "reknit.toml").unlink()
    commit_all(str(shop), "no file")
    assert plan_fix_tests(place, shop, (), {}).spec.tests.runner == "pytest"
