"""The host user behind a box that root starts, and the folders handed over to it."""

import contextlib
import os
import pwd
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import reknit
from reknit.adapters.box.bubblewrap.as_root.box_user import _delegated, _mapped, _missing_capabilities, box_uid, give
from reknit.core.errors import ToolMissing

IS_ROOT = os.geteuid() == 0
ASK = "from reknit.adapters.box.bubblewrap.as_root.box_user import box_uid; print(box_uid())"


def asked_by(*command: str) -> str:
    """The answer or the error of a process that another program starts."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(reknit.__file__).parents[1])}
    done = subprocess.run([*command, sys.executable, "-c", ASK], env=env, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


def test_an_ordinary_user_runs_the_box_and_root_never_does() -> None:
    uid = box_uid()
    assert (uid is not None) == IS_ROOT
    if uid is not None:
        assert uid > 0
        with pytest.raises(KeyError):
            pwd.getpwuid(uid)


def test_root_of_a_namespace_without_other_users_refuses() -> None:
    said = asked_by("unshare", "-Ur")
    assert "every id from 60578 to 61183 is taken or not mapped here" in said


def test_root_without_its_rights_refuses_and_names_them() -> None:
    said = asked_by("unshare", "-Ur", "setpriv", "--bounding-set", "-sys_admin,-setuid")
    assert "root here lacks CAP_SETUID, CAP_SYS_ADMIN" in said


def test_missing_capabilities_are_read_from_the_status_of_a_process() -> None:
    assert _missing_capabilities("Name:\tx\nCapEff:\t000001ffffffffff\n") == []
    assert _missing_capabilities("CapEff:\t00000000a80425fb\n") == ["CAP_SYS_ADMIN"]  # what docker gives


def test_ids_that_are_not_mapped_or_that_belong_to_users_are_known(tmp_path: Path) -> None:
    (tmp_path / "uid_map").write_text("         0     100000      65536\n     70000          5          1\n")
    assert list(_mapped(tmp_path / "uid_map")) == [range(65536), range(70000, 70001)]
    (tmp_path / "subuid").write_text("# comment\nann:60500:100\nbroken\n\nbob:x:y\n")
    assert list(_delegated(tmp_path / "subuid")) == [range(60500, 60600)]
    assert list(_delegated(tmp_path / "not-there")) == []


def owners(folder: Path) -> set[int]:
    """By find, which can go deeper than a path is long."""
    done = subprocess.run(["find", folder, "-printf", "%U\n"], capture_output=True, text=True, check=True)
    return {int(line) for line in done.stdout.split()}


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Path]:
    """What an agent may leave in its tree, folders deeper than a path can be long among it."""
    (tmp_path / "victim").write_text("victim")
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "victim")
    (folder / "up").symlink_to("..")
    (folder / "suid").write_text("#!/bin/sh\n")
    (folder / "suid").chmod(0o6755)
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as bound, contextlib.chdir(folder):
        bound.bind("socket")
    (folder / "locked").mkdir()
    (folder / "locked/x").touch()
    if IS_ROOT:
        (folder / "locked").chmod(0)
    at = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("down", dir_fd=at)
        below = os.open("down", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)  # pytest itself cannot remove folders this deep


def test_all_is_handed_over_and_taken_back_without_following_a_link(hostile: Path, tmp_path: Path) -> None:
    before = (tmp_path / "victim").stat()
    for uid in (box_uid() or os.geteuid(), os.geteuid()):
        give([str(hostile), str(tmp_path / "not-there")], uid)
        assert owners(hostile) == {uid}
    assert (tmp_path / "victim").stat().st_ctime_ns == before.st_ctime_ns, "it was touched through a link"


def test_what_comes_back_is_not_setuid(tmp_path: Path) -> None:
    program = tmp_path / "tree" / "program"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o6755)
    assert program.stat().st_mode & 0o6000 == 0o6000, "control"
    give([str(program.parent)], os.geteuid())
    assert program.stat().st_mode & 0o7777 == 0o755


def test_a_folder_that_cannot_be_handed_over_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="cannot hand the box's folders over") as caught:
        give([str(tmp_path)], 2**32 - 1)
    assert "ordinary user" in caught.value.help


def test_no_folder_is_nothing_to_do() -> None:
    give([], 0)
