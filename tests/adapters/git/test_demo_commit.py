"""The repository of the demo: one commit, made without the settings of whoever runs it."""

import stat
from pathlib import Path

import pytest

from reknit.adapters.git.demo_commit import commit_all
from tests.adapters.git.users_git import git, head


def test_everything_is_in_one_commit(tmp_path: Path) -> None:
    (tmp_path / "a b.py").write_text("x = 1\n")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    commit = commit_all(str(tmp_path), "The first\n\nand why")
    assert (commit, git(tmp_path, "branch", "--show-current")) == (head(tmp_path), "main")
    assert git(tmp_path, "rev-list", "--count", "HEAD") == "1"
    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "log", "--format=%s|%b") == "The first|and why"
    assert git(tmp_path, "ls-files", "--stage", "run.sh").startswith("100755")


def test_no_template_or_setting_of_the_user_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = tmp_path / "hooks/pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "config").write_text(f"[core]\n\thooksPath = {hook.parent}\n[init]\n\tdefaultBranch = other\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/a.py").write_text("x = 1\n")
    assert commit_all(str(tmp_path / "shop"), "start") == head(tmp_path / "shop")
    assert not (tmp_path / "shop/.git/hooks").exists()
