"""What only the box that is no sandbox does; the rest is in tests/contracts/test_boxes.py."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.host import HostBox
from reknit.core.box import BoxView, Command, CommandResult
from reknit.core.errors import ToolMissingError
from tests.adapters.box.in_box import write


def run(view: BoxView, command: Command) -> CommandResult:
    return asyncio.run(HostBox().run(view, command))


def test_a_carried_venv_is_on_path(view: BoxView) -> None:
    write({".venv/bin/tool": "#!/bin/sh\necho of the venv\n"}, view.repository)
    Path(view.repository, ".venv/bin/tool").chmod(0o755)
    argv = ("sh", "-c", "tool")
    assert run(replace(view, carry=(".venv",)), Command(argv=argv)).stdout == b"of the venv\n"
    assert run(view, Command(argv=argv)).exit_code == 127


def test_what_is_too_large_for_a_copy_is_there_while_the_command_runs(view: BoxView) -> None:
    write({"node_modules/a/index.js": "of the original\n", "web/node_modules/b": "nested\n"}, view.repository)
    Path(view.tree, "web").mkdir()
    carried = replace(view, carry=("node_modules", "web/node_modules", "gone/node_modules"))
    argv = ("cat", "node_modules/a/index.js", "web/node_modules/b")
    assert run(carried, Command(argv=argv)).stdout == b"of the original\nnested\n"
    assert not os.path.lexists(Path(view.tree, "node_modules"))
    assert not os.path.lexists(Path(view.tree, "web/node_modules"))


def test_a_carried_entry_in_the_tree_stays_as_it_is(view: BoxView) -> None:
    write({"data/a": "of the original\n"}, view.repository)
    write({"data/a": "of the tree\n"}, view.tree)
    carried = replace(view, carry=("data",))
    assert run(carried, Command(argv=("cat", "data/a"))).stdout == b"of the tree\n"
    assert Path(view.tree, "data/a").read_text() == "of the tree\n"


def test_no_link_is_made_through_a_link_that_leaves_the_tree(view: BoxView, tmp_path: Path) -> None:
    write({"web/node_modules/b": "nested\n"}, view.repository)
    (tmp_path / "elsewhere").mkdir()
    Path(view.tree, "web").symlink_to(tmp_path / "elsewhere")
    argv = ("ls", str(tmp_path / "elsewhere"))
    assert run(replace(view, carry=("web/node_modules",)), Command(argv=argv)).stdout == b""


def test_home_is_fresh_and_gone_afterwards(view: BoxView) -> None:
    home = run(view, Command(argv=("sh", "-c", "echo $HOME; touch $HOME/x"))).stdout.decode().strip()
    assert Path(home) != Path.home()
    assert not Path(home).exists()


@pytest.mark.parametrize(
    ("word", "becomes"),
    [
        pytest.param("{{outbox}}", "{}", id="alone"),
        pytest.param("--junitxml={{outbox}}/r.xml", "--junitxml={}/r.xml", id="in-an-option"),
        pytest.param("a {{outbox}}/b", "a {}/b", id="in-a-script"),
        pytest.param("/outbox", "/outbox", id="a-folder-of-that-name"),
    ],
)
def test_the_name_of_the_outbox_is_replaced(view: BoxView, tmp_path: Path, word: str, becomes: str) -> None:
    outbox = str(tmp_path / "outbox")
    word = word.format()
    command = Command(argv=("sh", "-c", 'echo "$0|$W"', word), env={"W": word}, outbox=outbox)
    assert run(view, command).stdout.decode().strip() == "|".join([becomes.format(outbox)] * 2)


def test_a_missing_program_is_a_missing_tool(view: BoxView) -> None:
    with pytest.raises(ToolMissingError, match="no-such-program"):
        run(view, Command(argv=("no-such-program",)))


def test_it_claims_no_walls() -> None:
    assert (HostBox().name, HostBox().self_test()) == ("host", ())
