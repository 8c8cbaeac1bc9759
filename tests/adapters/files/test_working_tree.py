"""Appending to a file of the user's: once, whole, by one writer, and to nothing else."""

import json
import os
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reknit.adapters.files.working_tree import (
    MAX_FILE_BYTES,
    append_once,
    read_text,
    refuse_unappendable,
    refuse_unwritable,
    rewrite,
)
from reknit.core.errors import UsageError
from reknit.core.review.progress_file.parsing import parse_entries
from tests.tools.progress_entries import FAILED_TEXT, FIX_TEXT, REVIEW_TEXT

PATH = "PROGRESS.txt"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / ".git").mkdir(parents=True)
    return tmp_path / "root"


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_missing_file_is_created_with_the_entry_alone(root: Path) -> None:
    assert read_text(str(root), PATH) == ""
    assert append_once(str(root), PATH, FIX_TEXT)
    assert read_text(str(root), PATH) == FIX_TEXT
    assert names(root) == [".git", PATH]
    ordinary = root / "ordinary"
    ordinary.touch()
    assert (root / PATH).stat().st_mode == ordinary.stat().st_mode


def test_a_file_with_other_text_than_entries_is_left_alone(root: Path) -> None:
    refuse_unappendable(str(root), "log.txt")
    assert append_once(str(root), "log.txt", FIX_TEXT)
    refuse_unappendable(str(root), "log.txt")
    (root / ".env").write_text("KEY=1\n")
    for write in (lambda: refuse_unappendable(str(root), ".env"), lambda: append_once(str(root), ".env", FIX_TEXT)):
        with pytest.raises(UsageError, match="other text than entries of reviews") as refused:
            write()
        assert refused.value.help == "name a new file in `review.progress`"
    assert (root / ".env").read_text() == "KEY=1\n"


def test_the_same_entry_is_appended_once(root: Path) -> None:
    assert [append_once(str(root), PATH, text) for text in (FIX_TEXT, FAILED_TEXT, FIX_TEXT, FAILED_TEXT)] == [
        *(True, True, False, False)
    ]
    assert read_text(str(root), PATH) == f"{FIX_TEXT}\n{FAILED_TEXT}"
    (root / PATH).write_bytes(f"{FIX_TEXT}\nmore".replace("\n", "\r\n").encode())
    assert not append_once(str(root), PATH, FIX_TEXT)
    (root / PATH).write_text(f"> {FIX_TEXT}")  # a quotation is not the entry
    assert append_once(str(root), PATH, FIX_TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("notes", "notes\n\n"),
        ("notes\n", "notes\n\n"),
        ("notes\n\n", "notes\n\n"),
        ("a\r\n\r\n", "a\r\n\r\n"),
    ],
)
def test_an_empty_line_separates(root: Path, old: str, new: str) -> None:
    (root / PATH).write_bytes(old.encode())
    append_once(str(root), PATH, FIX_TEXT)
    assert (root / PATH).read_bytes() == (new + FIX_TEXT).encode()


def test_what_is_not_utf8_stays_as_it_is(root: Path) -> None:
    (root / PATH).write_bytes(b"caf\xe9\n")
    append_once(str(root), PATH, FIX_TEXT)
    assert (root / PATH).read_bytes() == b"caf\xe9\n\n" + FIX_TEXT.encode()
    assert read_text(str(root), PATH).startswith("caf\ufffd\n")


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_mode_and_owner_are_kept(root: Path, mode: int) -> None:
    (root / PATH).touch()
    owner = (1234, 4321) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    os.chown(root / PATH, *owner)
    (root / PATH).chmod(mode)
    append_once(str(root), PATH, FIX_TEXT)
    facts = (root / PATH).stat()
    assert (stat.S_IMODE(facts.st_mode), facts.st_uid, facts.st_gid) == (mode, *owner)


def test_no_link_is_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / PATH).write_text("theirs")
    (root / PATH).symlink_to(outside / PATH)
    (root / "plans").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "new")
    for path in (PATH, "plans/PROGRESS.txt", "dangling"):
        for use in (lambda path: append_once(str(root), path, FIX_TEXT), lambda path: read_text(str(root), path)):
            with pytest.raises(UsageError, match="symbolic link"):
                use(path)
    assert names(outside) == [PATH]
    assert (outside / PATH).read_text() == "theirs"


def test_the_root_may_be_named_by_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    (root / "plans").mkdir()
    assert append_once(str(tmp_path / "link"), "plans/PROGRESS.txt", FIX_TEXT)
    assert read_text(str(root), "plans/PROGRESS.txt") == FIX_TEXT


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", ".git/x", "a/.GIT/x", "", "a//b", "x/"])
def test_no_path_leads_out(root: Path, path: str) -> None:
    with pytest.raises(UsageError):
        append_once(str(root), path, FIX_TEXT)
    with pytest.raises(UsageError):
        read_text(str(root), path)
    assert names(root) == [".git"]


def test_a_missing_folder_is_not_created(root: Path) -> None:
    assert read_text(str(root), "plans/PROGRESS.txt") == ""
    with pytest.raises(UsageError, match="there is no folder 'plans'"):
        append_once(str(root), "plans/PROGRESS.txt", FIX_TEXT)
    assert names(root) == [".git"]


def test_what_is_no_file_is_refused_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        for path in ("pipe", "folder", "socket", "pipe/x"):
            with pytest.raises(UsageError):
                append_once(str(root), path, FIX_TEXT)
            with pytest.raises(UsageError):
                read_text(str(root), path)


def test_size_is_bounded(root: Path) -> None:
    (root / PATH).write_bytes(b"x" * (MAX_FILE_BYTES - 10))
    assert len(read_text(str(root), PATH)) == MAX_FILE_BYTES - 10
    with pytest.raises(UsageError, match="larger than 8 MB"):
        append_once(str(root), PATH, FIX_TEXT)
    assert (root / PATH).stat().st_size == MAX_FILE_BYTES - 10
    (root / PATH).write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(UsageError, match="larger than 8 MB"):
        read_text(str(root), PATH)


_WRITER = """\
import sys
from reknit.adapters.files.working_tree import append_once
root, name, template = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    assert append_once(root, "PROGRESS.txt", template.replace("SEC-001", f"{name}-{number}"))
"""


@pytest.mark.parametrize("is_worktree", [False, True])
def test_writers_wait_for_each_other(root: Path, is_worktree: bool) -> None:
    if is_worktree:
        (root / ".git").rmdir()
        (root / ".git").write_text("gitdir: elsewhere\n")
    (root / PATH).write_text("# Ours\n")
    command = [sys.executable, "-c", _WRITER, str(root)]
    writers = [
        subprocess.Popen([*command, name, FIX_TEXT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for name in "ABCD"
    ]
    for writer in writers:
        assert writer.stdout and writer.stdout.readline() == b"ready\n"
    with ThreadPoolExecutor(len(writers)) as pool:
        list(pool.map(lambda writer: writer.communicate(b"\n"), writers))
    assert [writer.returncode for writer in writers] == [0] * 4
    parsed = parse_entries(read_text(str(root), PATH))
    assert not parsed.problems
    found = [found.entry.findings[0] for found in parsed.entries]
    assert sorted(map(str, found)) == sorted(f"{name}-{number}" for name in "ABCD" for number in range(25))
    assert read_text(str(root), PATH).startswith("# Ours\n\n[Review Fix]")
    assert names(root) == [".git", PATH]


@pytest.mark.parametrize("is_worktree", [False, True])
def test_a_killed_writer_leaves_all_or_nothing(root: Path, is_worktree: bool) -> None:
    if is_worktree:
        (root / ".git").rmdir()
        (root / ".git").write_text("gitdir: elsewhere\n")
    (root / PATH).write_text(REVIEW_TEXT)
    command = [sys.executable, "-m", "tests.tools.killed_append", str(root), FIX_TEXT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    states = [json.loads(line) for line in done.stdout.splitlines()]
    new = f"{REVIEW_TEXT}\n{FIX_TEXT}"
    assert len(states) > 50
    assert {left[0] for left, _ in states} == {REVIEW_TEXT, new}
    assert all(after == [new, [".git", PATH]] for _, after in states)
    beside = {name for left, _ in states for name in left[1]} - {".git", PATH}
    assert beside == ({".PROGRESS.txt.reknit-new"} if is_worktree else set())


def test_what_cannot_be_appended_to_is_refused_before_and_nothing_is_made(root: Path) -> None:
    refuse_unwritable(str(root), PATH)
    assert names(root) == [".git"]
    (root / PATH).symlink_to(root / "other")
    with pytest.raises(UsageError, match="symbolic link"):
        refuse_unwritable(str(root), PATH)
    with pytest.raises(UsageError, match="there is no folder 'plans'"):
        refuse_unwritable(str(root), "plans/PROGRESS.txt")
    assert names(root) == [".git", PATH]


def test_a_file_is_rewritten_once_and_its_folders_are_made(tmp_path: Path) -> None:
    def once_more(text: str) -> str:
        return text if text.endswith("end\n") else f"{text}end\n"

    assert rewrite(str(tmp_path), ".reknit/plans/a.md", once_more)
    assert not rewrite(str(tmp_path), ".reknit/plans/a.md", once_more)
    assert (tmp_path / ".reknit/plans/a.md").read_text() == "end\n"
    assert os.listdir(tmp_path / ".reknit/plans") == ["a.md"]


@pytest.mark.parametrize("linked", [".reknit", ".reknit/plans", ".reknit/plans/a.md"])
def test_nothing_is_rewritten_through_a_link(tmp_path: Path, linked: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    link = root / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "a.md" if linked.endswith(".md") else outside)
    with pytest.raises(UsageError, match="symbolic link"):
        rewrite(str(root), ".reknit/plans/a.md", lambda _: "text")
    assert not [*outside.iterdir()]


@pytest.mark.parametrize("path", ["../a.md", "/a.md", ".git/hooks/a", ".reknit//a.md"])
def test_nothing_is_rewritten_outside_or_in_git(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError):
        rewrite(str(tmp_path), path, lambda _: "text")
    assert not [*tmp_path.iterdir()]


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "index.md"
    file.write_bytes(b"caf\xe9\n")
    assert not rewrite(str(tmp_path), "index.md", lambda text: text)
    assert rewrite(str(tmp_path), "index.md", lambda text: f"{text}- a\n")
    assert file.read_bytes() == b"caf\xe9\n- a\n"
