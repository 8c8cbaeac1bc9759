"""Folders of the host that are written: the tool may, and the user's own stay as they were."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.overlays import Overlays
from reknit.core.box import BoxView
from tests.adapters.box.in_box import said, write


def test_a_cache_is_writable_and_private_to_one_box(view: BoxView, tmp_path: Path) -> None:
    home = tmp_path / "a home, with: strange\\ letters"
    write({".m2/repository/lib.jar": "jar", ".m2/settings.xml": "password", "bin/mvn": "#!/bin/sh\n"}, str(home))
    (home / "bin/mvn").chmod(0o755)
    box = Bubblewrap(path=f"{home}/bin:{os.environ['PATH']}", home=str(home))
    view = replace(view, programs=(f"{home}/bin/mvn",))
    script = "cd ~/.m2 && ls -A . repository && echo new > repository/new && rm repository/lib.jar && ls repository"
    first = said(view, "sh", "-c", script, box=box)
    assert first.split() == [".:", "repository", "repository:", "lib.jar", "new"]
    assert said(view, "sh", "-c", script, box=box) == first, "one box must not see what another wrote"
    assert os.listdir(home / ".m2/repository") == ["lib.jar"]


def test_where_an_overlay_is_refused_the_cache_is_read_only(view: BoxView, tmp_path: Path) -> None:
    home = tmp_path / "home"
    write({"bin/mvn": "#!/bin/sh\n"}, str(home))
    (home / "bin/mvn").chmod(0o755)
    (home / ".m2").mkdir()
    (home / ".m2/repository").symlink_to("/proc/tty")  # no file system for a layer
    box = Bubblewrap(path=f"{home}/bin:{os.environ['PATH']}", home=str(home))
    script = 'head -c 0 ~/.m2/repository/drivers && grep -c " $HOME/.m2/repository ro," /proc/self/mountinfo'
    assert said(replace(view, programs=("mvn",)), "sh", "-c", script, box=box) == "1\n"


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    layers = Overlays({"/home/agent/.m2/repository": str(tmp_path)})
    folder = Path(str(layers.folder))
    assert folder.is_dir()
    (folder / "0/work/work").mkdir(parents=True, mode=0o000)
    layers.close()
    layers.close()
    assert not folder.exists()


def test_without_caches_the_command_stays_as_it_is() -> None:
    layers = Overlays({})
    assert (layers.stage(["bwrap"]), layers.folder) == (["bwrap"], None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_root_lets_the_box_write_a_folder_of_another_user(view: BoxView) -> None:
    write({"node_modules/a/x": "a", "dist-of-root/x": "r"}, view.repository)
    process.run(["chown", "-R", "12345:12346", f"{view.repository}/node_modules"], env={"PATH": os.environ["PATH"]})
    view = replace(view, carry=("node_modules", "dist-of-root"))
    script = "for f in */x node_modules/a/x; do [ -e $f ] && echo new > $f && cat $f; done"
    assert said(view, "sh", "-c", script) == "new\nnew\n"
    assert Path(view.repository, "node_modules/a/x").read_text() == "a"
