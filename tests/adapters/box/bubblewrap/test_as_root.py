"""The mount namespace that root makes for a box: private to one thread, and of no use to anybody else."""

import contextlib
import errno
import os
import pwd
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import reknit
from reknit.adapters.box.bubblewrap.as_root import (
    MS_BIND,
    PLACE,
    RootMounts,
    _find_missing_capabilities,
    _read_delegated_ids,
    _read_mapped_ids,
    bind_with_owner,
    change_owner,
    find_box_uid,
    mount,
)
from reknit.core.box import BoxView
from reknit.core.errors import ToolMissingError
from tests.adapters.box.in_box import said, write

IS_ROOT = os.geteuid() == 0
NOBODY = 60_999
# The first box of a process, with a layer: whatever thread it starts must not stay in the namespace.
FIRST_BOX = """\
import asyncio, os, sys
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.core.box import BoxView, Command
at = sys.argv[1]
box = Bubblewrap(path=at + "/home/bin:" + os.environ["PATH"], home=at + "/home")
room = BoxView(repository=at + "/repository", tree=at + "/tree", programs=("mvn",))
ended = asyncio.run(box.run(room, Command(argv=("sh", "-c", "touch ~/.m2/repository/new"))))
print(ended.exit_code, len({os.readlink(f"/proc/self/task/{task}/ns/mnt") for task in os.listdir("/proc/self/task")}))
"""


def listed(root: RootMounts, script: str) -> str:
    argv = root.stage(["/bin/sh", "-c", script], lambda: None)
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    root.close()
    root.close()
    return done.stdout + done.stderr


def test_paths_that_only_root_can_reach_are_reached(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    write({"closed/folder/file": "in a folder", "closed/alone": "alone"}, str(tmp_path))
    root = RootMounts(NOBODY)
    places = [root.place(str(tmp_path / "closed" / name)) for name in ("folder", "alone", "not-there")]
    script = f"id -u; id -G; cat {places[0]}/file {places[1]}; ls {PLACE}; cat {tmp_path}/closed/alone"
    if not IS_ROOT:
        with pytest.raises(ToolMissingError, match="cannot create a mount namespace"):
            listed(root, script)
        return
    mine = os.readlink("/proc/self/ns/mnt")
    answer = listed(root, script)
    assert answer.startswith(f"{NOBODY}\n{NOBODY}\nin a folderalone0\n1\nbwrap\n"), answer
    assert "cat: " in answer, "control: by its own path it cannot be reached"
    assert os.readlink("/proc/self/ns/mnt") == mine
    assert (tmp_path / "closed" / "alone").read_text() == "alone"


def test_no_thread_stays_in_the_namespace(view: BoxView, tmp_path: Path) -> None:
    write({"home/.m2/repository/lib.jar": "jar", "home/bin/mvn": "#!/bin/sh\n"}, str(tmp_path))
    (tmp_path / "home/bin/mvn").chmod(0o755)
    env = {**os.environ, "PYTHONPATH": str(Path(reknit.__file__).parents[1])}
    argv = [sys.executable, "-c", FIRST_BOX, str(tmp_path)]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "0 1\n", done.stderr


def test_a_file_for_root_alone_is_not_read_in_a_box(view: BoxView, tmp_path: Path) -> None:
    """An ordinary user's box reads what that user can; root's reads what everybody can."""
    write({"shown/open": "open", "shown/closed": "closed"}, str(tmp_path))
    (tmp_path / "shown/closed").chmod(0o600)
    shown = replace(view, show=(str(tmp_path / "shown"),))
    answer = said(shown, "sh", "-c", f"cd {tmp_path}/shown; cat open; cat closed 2>&1 || true")
    assert answer == ("opencat: closed: Permission denied\n" if IS_ROOT else "openclosed")


def test_a_carried_file_for_root_alone_belongs_to_the_boxs_user(view: BoxView) -> None:
    """SECURITY.md says so: tests may change what is carried, whoever starts reknit."""
    write({"carried/closed": "closed"}, view.repository)
    Path(view.repository, "carried/closed").chmod(0o600)
    assert said(replace(view, carry=("carried",)), "cat", "carried/closed") == "closed"


def test_the_pipes_of_a_box_can_be_opened_again_by_name(view: BoxView) -> None:
    assert said(view, "sh", "-c", "echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin") == "out\n"


def test_a_mount_that_is_refused_names_its_call(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="mount: ") as refused:
        mount("none", str(tmp_path / "not-there"), MS_BIND)
    assert refused.value.errno in (errno.ENOENT, errno.EPERM)


def test_a_tree_that_is_not_there_cannot_be_bound(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="open_tree: ") as refused:
        bind_with_owner(str(tmp_path / "not-there"), str(tmp_path), -1)
    assert refused.value.errno in (errno.ENOENT, errno.EPERM)
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may open a tree")
def test_a_tree_is_closed_again_if_its_owner_cannot_be_set(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with (tmp_path / "no-namespace").open("w") as file, pytest.raises(OSError, match="mount_setattr: "):
        bind_with_owner(str(tmp_path), str(tmp_path), file.fileno())
    assert set(os.listdir("/proc/self/fd")) == before


ASK = "from reknit.adapters.box.bubblewrap.as_root import find_box_uid; print(find_box_uid())"


def asked_by(*command: str) -> str:
    """The answer or the error of a process that another program starts."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(reknit.__file__).parents[1])}
    done = subprocess.run([*command, sys.executable, "-c", ASK], env=env, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


def test_an_ordinary_user_runs_the_box_and_root_never_does() -> None:
    uid = find_box_uid()
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
    assert _find_missing_capabilities("Name:\tx\nCapEff:\t000001ffffffffff\n") == []
    assert _find_missing_capabilities("CapEff:\t00000000a80425fb\n") == ["CAP_SYS_ADMIN"]  # what docker gives


def test_ids_that_are_not_mapped_or_that_belong_to_users_are_known(tmp_path: Path) -> None:
    (tmp_path / "uid_map").write_text("         0     100000      65536\n     70000          5          1\n")
    assert list(_read_mapped_ids(tmp_path / "uid_map")) == [range(65536), range(70000, 70001)]
    (tmp_path / "subuid").write_text("# comment\nann:60500:100\nbroken\n\nbob:x:y\n")
    assert list(_read_delegated_ids(tmp_path / "subuid")) == [range(60500, 60600)]
    assert list(_read_delegated_ids(tmp_path / "not-there")) == []


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
    for uid in (find_box_uid() or os.geteuid(), os.geteuid()):
        change_owner([str(hostile), str(tmp_path / "not-there")], uid)
        assert owners(hostile) == {uid}
    assert (tmp_path / "victim").stat().st_ctime_ns == before.st_ctime_ns, "it was touched through a link"


def test_what_comes_back_is_not_setuid(tmp_path: Path) -> None:
    program = tmp_path / "tree" / "program"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o6755)
    assert program.stat().st_mode & 0o6000 == 0o6000, "control"
    change_owner([str(program.parent)], os.geteuid())
    assert program.stat().st_mode & 0o7777 == 0o755


def test_a_folder_that_cannot_be_handed_over_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="cannot hand the box's folders over") as caught:
        change_owner([str(tmp_path)], 2**32 - 1)
    assert "ordinary user" in caught.value.help


def test_no_folder_is_nothing_to_do() -> None:
    change_owner([], 0)
