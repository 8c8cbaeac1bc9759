"""The mount namespace that root makes for a box: private to one thread, and of no use to anybody else."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import reknit
from reknit.adapters.box.bubblewrap.as_root.mounts import PLACE, RootMounts
from reknit.core.box import BoxView
from reknit.core.errors import ToolMissing
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
        with pytest.raises(ToolMissing, match="cannot create a mount namespace"):
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
