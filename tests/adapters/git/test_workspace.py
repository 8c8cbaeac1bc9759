"""The folders of one run: what has to be there before it goes on."""

import dataclasses
import os
import resource
from pathlib import Path

import pytest

from reknit.adapters.files.regular_files import FOLDER_FLAGS, has_plain_file, is_empty_folder
from reknit.adapters.git.plumbing.objects import CACHE_MARK, is_noise
from reknit.adapters.git.workspace import (
    FOLDER,
    TOTAL,
    CopyLimit,
    RunWorkspace,
    copy_small,
)
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.fix_tests.task import FixTests
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.spec import RunSpec, WorkspaceSettings
from reknit.core.testing.command import TestCommand
from tests.adapters.git.forge_scene import BRANCH, ForgeScene
from tests.adapters.git.users_git import head, repository

ELSEWHERE = "is not on this machine"


def spec_of(user: Path, base: str) -> RunSpec:
    agent = AgentSettings("scripted", "scripted")
    return RunSpec("r1", str(user), base, FixTests(), TestCommand("pytest", ("pytest",), "exit code"), (agent,))


def test_the_base_comes_from_the_users_repository(user: Path, tmp_path: Path) -> None:
    workspace = RunWorkspace(spec_of(user, head(user)), tmp_path / "run")
    workspace.ensure_commits()
    assert workspace.repository.resolve(head(user)) == head(user)
    with pytest.raises(UsageError, match=ELSEWHERE):
        workspace.ensure_commits("1" * 40)


def test_the_head_of_a_pull_request_need_not_be_in_the_users_repository(forge: ForgeScene, tmp_path: Path) -> None:
    theirs = forge.push(**{"app.py": "theirs\n"})
    place = ForgePlace("github", forge.server.url, "acme/shop")
    pull = FixPullRequest(place, 1, "", "", None)
    spec = dataclasses.replace(spec_of(tmp_path / "nowhere", theirs), task=pull)
    workspace = RunWorkspace(spec, tmp_path / "run")
    workspace.ensure_commits()
    with pytest.raises(UsageError, match=ELSEWHERE):
        workspace.ensure_commits(theirs)
    workspace.repository.fetch_from(forge.remote, [BRANCH])
    workspace.ensure_commits(theirs)


def test_small_ignored_entries_are_copied_and_the_folder_of_the_report_is_not_carried(
    user: Path, tmp_path: Path
) -> None:
    for name in ("logs/old.log", "reports/old.xml", "test.db"):
        (user / name).parent.mkdir(exist_ok=True)
        (user / name).write_text("of the user")
    tests = TestCommand("command", ("run",), "junit", report="reports/*.xml")
    carry = WorkspaceSettings(("logs", "reports", "test.db"))
    workspace = RunWorkspace(
        dataclasses.replace(spec_of(user, head(user)), tests=tests, workspace=carry), tmp_path / "r"
    )
    workspace.ensure_commits()
    view = workspace.open_tree("tests", head(user))
    assert (view.carry, set(view.copied)) == (("logs", "test.db"), {"logs", "test.db"})
    assert Path(view.tree, "logs/old.log").read_text() == Path(view.tree, "test.db").read_text() == "of the user"
    assert not Path(view.tree, "reports").exists()


def test_the_box_also_gets_the_programs_that_the_projects_files_ask_for(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"Makefile": "test:\n", "api/go.mod": "module x\n", "web/package.json": "{}"})
    spec = spec_of(user, head(user))
    workspace = RunWorkspace(
        dataclasses.replace(spec, tests=TestCommand("make", ("make",), "exit code", folder="api")), tmp_path / "run"
    )
    workspace.ensure_commits()
    assert workspace.open_tree("tests", head(user)).programs == ("make", "go")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
    return tmp_path / "repository", tmp_path / "tree"


def copied(folders: tuple[Path, Path], *entries: str) -> set[str]:
    return set(copy_small(str(folders[0]), str(folders[1]), entries))


def test_files_and_small_folders_are_copied_with_times_and_modes(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    (repository / "gen" / "inner").mkdir(parents=True)
    tool = repository / "gen" / "inner" / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    os.utime(tool, (1_000_000, 1_000_000))
    (repository / "gen" / "link").symlink_to("/nowhere")
    (repository / "test.db").write_bytes(b"data")
    assert copied(folders, "gen", "test.db", "deeper/not-there") == {"gen", "test.db"}
    facts = (tree / "gen" / "inner" / "tool").stat()
    assert (facts.st_mtime, facts.st_mode & 0o777) == (1_000_000, 0o755)
    assert os.readlink(tree / "gen" / "link") == "/nowhere"
    (tree / "test.db").write_bytes(b"changed")
    assert (repository / "test.db").read_bytes() == b"data"


def test_what_is_large_or_special_is_left_to_the_box(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    (repository / "many").mkdir()
    for number in range(FOLDER.files):
        (repository / "many" / str(number)).touch()
    (repository / "large").mkdir()
    for name, size in (("large/file", FOLDER.bytes), ("huge", TOTAL.bytes)):
        with (repository / name).open("wb") as file:
            file.truncate(size + 1)
    (repository / "with-a-pipe").mkdir()
    os.mkfifo(repository / "with-a-pipe" / "pipe")
    os.mkfifo(repository / "pipe")
    assert copied(folders, "many", "large", "huge", "with-a-pipe", "pipe") == set()
    assert os.listdir(tree) == []


def test_all_copies_together_are_bounded_and_files_come_first(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, _ = folders
    for name in ("a/x", "b/x"):
        (repository / name).parent.mkdir()
        (repository / name).touch()
    (repository / "c").touch()
    monkeypatch.setattr("reknit.adapters.git.workspace.TOTAL", CopyLimit(3, TOTAL.bytes))
    assert copied(folders, "a", "b", "c") == {"a", "c"}


@pytest.mark.parametrize("entry", ["link", "folder-link/x", "../outside", "/etc/passwd", ""])
def test_no_link_and_no_way_out_is_followed_in_the_original(folders: tuple[Path, Path], entry: str) -> None:
    repository, _ = folders
    (repository.parent / "outside").mkdir()
    (repository.parent / "outside" / "x").touch()
    (repository / "link").symlink_to("../outside/x")
    (repository / "folder-link").symlink_to("../outside")
    assert copied(folders, entry) == set()


def test_the_commits_own_entries_are_kept_and_its_links_not_followed(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    for name in ("gen/x", "kept"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("ignored here")
    (tree / "gen").symlink_to(repository.parent)
    (tree / "kept").write_text("of the commit")
    assert copied(folders, "gen/x", "kept", "gen") == set()
    assert (tree / "kept").read_text() == "of the commit"
    assert not (repository.parent / "x").exists()


def test_what_fails_on_the_way_is_not_half_copied(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    (repository / "gen").mkdir()
    for name in ("a", "large", "z"):
        (repository / "gen" / name).write_bytes(b"x" * (10_000 if name == "large" else 10))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, before[1]))
    try:
        assert copied(folders, "gen") == set()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tree) == []


@pytest.mark.parametrize(
    ("path", "is_folder", "expected"),
    [
        (b"a/__pycache__", True, True),
        (b"__pycache__", False, False),
        (b"node_modules/.vite", True, True),
        (b"web/test-results", True, True),
        (b"web/.vite", True, False),
        (b"src/target", True, False),
        (b"a/x.pyc", False, True),
        (b".coverage", False, True),
        (b"x.py", False, False),
    ],
)
def test_what_is_noise(path: bytes, *, is_folder: bool, expected: bool) -> None:
    assert is_noise(path, is_folder=is_folder) is expected


def test_a_mark_is_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / CACHE_MARK).symlink_to("/etc/hostname")
    handle = os.open(tmp_path, FOLDER_FLAGS)
    try:
        assert is_empty_folder(handle, "cache")
        assert not has_plain_file(handle, "cache", CACHE_MARK)
        (tmp_path / "cache" / CACHE_MARK).touch()
        assert has_plain_file(handle, "cache", CACHE_MARK)
        assert not has_plain_file(handle, "linked", CACHE_MARK)
        assert not is_empty_folder(handle, "cache")
    finally:
        os.close(handle)
