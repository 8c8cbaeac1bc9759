"""The bubblewrap box: the repository's own path, what it shows, and what it must not."""

import asyncio
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.profile import MAX_OVERLAYS
from reknit.adapters.box.process.supervisor import NOT_STARTED
from reknit.core.box import BoxView, Command
from reknit.core.errors import ToolMissingError
from tests.adapters.box.in_box import in_box, said, write

PRICE = "import sys; sys.path.insert(0, '{at}/src'); import shop, shop.version; print(shop.price, shop.version.text)"


def test_absolute_paths_and_carried_entries_see_the_attempt(view: BoxView) -> None:
    write({"src/shop/__init__.py": "price = 1\n", "src/shop/version.py": "text = 'generated'\n"}, view.repository)
    write({"src/shop/__init__.py": "price = 2\n"}, view.tree)
    view = replace(view, carry=("src/shop/version.py",), programs=("/usr/bin/python3",))
    assert said(view, "/usr/bin/python3", "-c", PRICE.format(at=view.repository)) == "2 generated\n"
    assert not list(Path(view.tree).rglob("*.pyc")), "bytecode of one run would hide the next edit"


EVERYTHING = """
env; id -un; hostname; ls -A / ~ /tmp {outbox}; cat /etc/passwd /etc/group /etc/hosts
cat /proc/*/cmdline | tr '\\0' ' '
"""


def test_nothing_in_a_box_has_a_name_of_ours_or_one_that_is_always_the_same(view: BoxView, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    command = Command(("sh", "-c", EVERYTHING), outbox=str(tmp_path / "out"), env={"OUT": "{outbox}"})
    first, second = (asyncio.run(Bubblewrap().run(view, command)) for _ in range(2))
    for ended in (first, second):
        assert (ended.exit_code, ended.stderr) == (0, b"")
        shown = ended.stdout.decode().replace(view.repository, "")
        assert not re.search(r"reknit|\bagent\b|outbox|(?<!-)\bbox\b", shown), shown
        assert f"HOME={ended.home}\n" in shown
    assert first.home != second.home


@pytest.mark.parametrize("carry", [(), ("folder",)], ids=["plain", "with-an-overlay"])
def test_process_1_shows_nothing_of_the_hosts_environment(view: BoxView, carry: tuple[str, ...]) -> None:
    Path(view.repository, "folder").mkdir()
    assert said(replace(view, carry=carry), "cat", "/proc/1/environ") == ""


def test_the_tests_of_a_run_have_the_same_names_and_agents_have_others(view: BoxView, tmp_path: Path) -> None:
    def names(gitdir: str, *, lasting: bool = False) -> str:
        command = Command(("sh", "-c", "echo $HOME $(hostname)"), lasting_names=lasting)
        return asyncio.run(Bubblewrap().run(replace(view, gitdir=gitdir), command)).stdout.decode()

    for name in ("one", "two"):
        (tmp_path / name / "objects").mkdir(parents=True)
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert names(one) == names(one) != names(two)
    assert names(one, lasting=True) == names(two, lasting=True) != names(one)


def test_a_tree_that_is_only_looked_at_cannot_be_written(view: BoxView) -> None:
    write({"gen/version.py": "generated"}, view.repository)
    write({"src/shop.py": "shop"}, view.tree)
    view = replace(view, read_only=True, carry=("gen",))
    assert said(view, "cat", "src/shop.py", "gen/version.py") == "shopgenerated"
    ended = in_box(
        view, "sh", "-c", "echo x > src/shop.py; mkdir new; rm -r src gen; chmod 777 .; echo x > ~/mine && cat ~/mine"
    )
    assert (ended.exit_code, ended.stdout) == (0, b"x\n")
    assert Path(view.tree, "src/shop.py").read_text() == "shop"
    assert not Path(view.tree, "new").exists()
    assert said(replace(view, read_only=False), "sh", "-c", "mkdir new && ls -d new") == "new\n"


def test_a_carried_venv_comes_first_and_its_scripts_run(view: BoxView) -> None:
    write({".venv/bin/tool": f"#!{view.repository}/.venv/bin/shell\necho of the venv\n"}, view.repository)
    Path(view.repository, ".venv/bin/shell").symlink_to("/bin/sh")
    Path(view.repository, ".venv/bin/tool").chmod(0o755)
    assert said(replace(view, carry=(".venv",)), "tool") == "of the venv\n"


def test_a_carried_folder_is_written_privately_by_each_command(view: BoxView) -> None:
    write({"node_modules/leaf/index.js": "1\n", "logs/old": ""}, view.repository)
    view = replace(view, carry=("node_modules", "logs"))
    script = "mkdir node_modules/.vite && echo 2 > node_modules/leaf/index.js && rm logs/old && find * -type f"
    for _ in range(2):  # the second box sees nothing of the first
        assert said(view, "sh", "-c", script) == "node_modules/leaf/index.js\n"
    assert os.listdir(Path(view.repository, "node_modules")) == ["leaf"]
    assert Path(view.repository, "node_modules/leaf/index.js").read_text() == "1\n"
    assert os.listdir(Path(view.repository, "logs")) == ["old"]
    assert os.listdir(Path(view.tree, "node_modules")) == [], "only its mount point is left in the tree"


def test_a_copied_entry_belongs_to_the_tree(view: BoxView) -> None:
    write({"test.db": "of the user"}, view.repository)
    write({"test.db": "copied"}, view.tree)
    view = replace(view, carry=("test.db",), copied=("test.db",))
    assert said(view, "sh", "-c", "cat test.db; echo new > .db && mv .db test.db") == "copied"
    assert said(view, "cat", "test.db") == "new\n", "a setup command writes it for the command that follows"
    assert Path(view.repository, "test.db").read_text() == "of the user"


def test_a_carried_file_that_was_not_copied_is_read_only(view: BoxView) -> None:
    write({"large.bin": "x"}, view.repository)
    ended = in_box(replace(view, carry=("large.bin",)), "sh", "-c", "echo y > large.bin")
    assert b"Read-only file system" in ended.stderr
    assert Path(view.repository, "large.bin").read_text() == "x"


def test_carried_folders_beyond_the_limit_are_read_only(view: BoxView) -> None:
    names = [f"package-{number:03}" for number in range(MAX_OVERLAYS + 1)]
    write({f"{name}/x": "" for name in names}, view.repository)
    script = "for name in package-*; do touch $name/new 2>/dev/null || echo $name; done"
    assert said(replace(view, carry=tuple(names)), "sh", "-c", script).split() == names[-1:]


@pytest.mark.parametrize(
    "name", ["with space", "quo'te\"s", "new\nline", "colon:comma,back\\slash", "ünïcode", "-dash"]
)
def test_paths_with_strange_characters_work(tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    write({"repository/.venv/x": "carried", "tree/file": "tree", "show/y": "shown"}, str(home))
    view = BoxView(str(home / "repository"), str(home / "tree"), carry=(".venv",), show=(str(home / "show"),))
    assert said(view, "cat", "file", ".venv/x", f"{home}/show/y") == "treecarriedshown"


@pytest.mark.parametrize("name", ["with space", "new\nline", "colon:comma,back\\slash", "-dash", "$(touch x)"])
def test_a_carried_folder_with_a_strange_name_is_written(view: BoxView, name: str) -> None:
    write({f"{name}/old": "old"}, view.repository)
    script = 'echo new > "./$0/new" && cat "./$0/old" "./$0/new"'
    assert said(replace(view, carry=(name,)), "sh", "-c", script, name) == "oldnew\n"


def test_shown_paths_are_read_only_at_their_own_place(view: BoxView, tmp_path: Path) -> None:
    write({"data/a": "a", "tool/b": "b", "hidden/c": "c"}, str(tmp_path))
    shown = replace(view, show=(str(tmp_path / "data"), str(tmp_path / "not-there")))
    script = f"cat {tmp_path}/data/a {tmp_path}/tool/b; ls {tmp_path}; touch {tmp_path}/data/x || true"
    assert said(shown, "sh", "-c", script, show=(str(tmp_path / "tool"),)) == "abdata\nrepository\ntool\n"
    assert not (tmp_path / "data" / "x").exists()


def test_without_a_gateway_there_is_no_door(view: BoxView) -> None:
    fetch = "import socket; socket.create_connection(('127.0.0.1', 47100), 1)"
    assert b"ConnectionRefusedError" in in_box(view, "/usr/bin/python3", "-c", fetch).stderr


def test_a_box_that_cannot_be_built_says_why(view: BoxView) -> None:
    ended = in_box(replace(view, tree=view.tree + "-gone"), "true")
    assert ended.exit_code == NOT_STARTED
    assert b"Can't find source path" in ended.stderr


def test_an_unknown_program_is_no_success(view: BoxView) -> None:
    ended = in_box(view, "no-such-program")
    assert ended.exit_code == 127
    assert b"no-such-program" in ended.stderr


def test_no_bwrap_means_no_box(view: BoxView, tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="bwrap was not found") as caught:
        in_box(view, "true", box=Bubblewrap(path=str(tmp_path)))
    assert "apt install bubblewrap" in caught.value.help
