"""The bubblewrap box: the repository's own path, what it shows, and what it must not."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.process.supervisor import NOT_STARTED
from reknit.core.box import BoxView
from reknit.core.errors import ToolMissing
from tests.adapters.box.in_box import in_box, said, write

PRICE = "import sys; sys.path.insert(0, '{at}/src'); import shop, shop.version; print(shop.price, shop.version.text)"


def test_absolute_paths_and_carried_entries_see_the_attempt(room: BoxView) -> None:
    write({"src/shop/__init__.py": "price = 1\n", "src/shop/version.py": "text = 'generated'\n"}, room.repository)
    write({"src/shop/__init__.py": "price = 2\n"}, room.tree)
    room = replace(room, carry=("src/shop/version.py",), programs=("/usr/bin/python3",))
    assert said(room, "/usr/bin/python3", "-c", PRICE.format(at=room.repository)) == "2 generated\n"
    assert not list(Path(room.tree).rglob("*.pyc")), "bytecode of one run would hide the next edit"


def test_a_tree_that_is_only_looked_at_cannot_be_written(room: BoxView) -> None:
    write({"gen/version.py": "generated"}, room.repository)
    write({"src/shop.py": "shop"}, room.tree)
    room = replace(room, read_only=True, carry=("gen",))
    assert said(room, "cat", "src/shop.py", "gen/version.py") == "shopgenerated"
    ended = in_box(
        room, "sh", "-c", "echo x > src/shop.py; mkdir new; rm -r src gen; chmod 777 .; echo x > ~/mine && cat ~/mine"
    )
    assert (ended.exit_code, ended.stdout) == (0, b"x\n")
    assert Path(room.tree, "src/shop.py").read_text() == "shop"
    assert not Path(room.tree, "new").exists()
    assert said(replace(room, read_only=False), "sh", "-c", "mkdir new && ls -d new") == "new\n"


def test_a_carried_venv_comes_first_and_its_scripts_run(room: BoxView) -> None:
    write({".venv/bin/tool": f"#!{room.repository}/.venv/bin/shell\necho of the venv\n"}, room.repository)
    Path(room.repository, ".venv/bin/shell").symlink_to("/bin/sh")
    Path(room.repository, ".venv/bin/tool").chmod(0o755)
    assert said(replace(room, carry=(".venv",)), "tool") == "of the venv\n"


def test_a_carried_folder_cannot_be_written_and_the_original_stays(room: BoxView) -> None:
    write({"node_modules/leaf/index.js": "1\n"}, room.repository)
    ended = in_box(replace(room, carry=("node_modules",)), "touch", "node_modules/leaf/new")
    assert b"Read-only file system" in ended.stderr
    assert os.listdir(Path(room.repository, "node_modules/leaf")) == ["index.js"]


@pytest.mark.parametrize(
    "name", ["with space", "quo'te\"s", "new\nline", "colon:comma,back\\slash", "ünïcode", "-dash"]
)
def test_paths_with_strange_characters_work(tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    write({"repository/.venv/x": "carried", "tree/file": "tree", "show/y": "shown"}, str(home))
    room = BoxView(str(home / "repository"), str(home / "tree"), carry=(".venv",), show=(str(home / "show"),))
    assert said(room, "cat", "file", ".venv/x", f"{home}/show/y") == "treecarriedshown"


def test_shown_paths_are_read_only_at_their_own_place(room: BoxView, tmp_path: Path) -> None:
    write({"data/a": "a", "tool/b": "b", "hidden/c": "c"}, str(tmp_path))
    shown = replace(room, show=(str(tmp_path / "data"), str(tmp_path / "not-there")))
    script = f"cat {tmp_path}/data/a {tmp_path}/tool/b; ls {tmp_path}; touch {tmp_path}/data/x || true"
    assert said(shown, "sh", "-c", script, show=(str(tmp_path / "tool"),)) == "abdata\nrepository\ntool\n"
    assert not (tmp_path / "data" / "x").exists()


def test_without_a_gateway_there_is_no_door(room: BoxView) -> None:
    fetch = "import socket; socket.create_connection(('127.0.0.1', 47100), 1)"
    assert b"ConnectionRefusedError" in in_box(room, "/usr/bin/python3", "-c", fetch).stderr


def test_a_box_that_cannot_be_built_says_why(room: BoxView) -> None:
    ended = in_box(replace(room, tree=room.tree + "-gone"), "true")
    assert ended.exit_code == NOT_STARTED
    assert b"Can't find source path" in ended.stderr


def test_an_unknown_program_is_no_success(room: BoxView) -> None:
    ended = in_box(room, "no-such-program")
    assert ended.exit_code == 127
    assert b"no-such-program" in ended.stderr


def test_no_bwrap_means_no_box(room: BoxView, tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="bwrap was not found") as caught:
        in_box(room, "true", box=Bubblewrap(path=str(tmp_path)))
    assert "apt install bubblewrap" in caught.value.help
