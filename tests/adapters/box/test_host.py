"""What only the box that is no sandbox does; the rest is in tests/contracts/test_boxes.py."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.host import HostBox
from reknit.core.box import BoxView, Command, CommandResult
from reknit.core.errors import ToolMissing
from tests.adapters.box.in_box import write


def run(view: BoxView, command: Command) -> CommandResult:
    return asyncio.run(HostBox().run(view, command))


def test_a_carried_venv_is_on_path(view: BoxView) -> None:
    write({".venv/bin/tool": "#!/bin/sh\necho of the venv\n"}, view.repository)
    Path(view.repository, ".venv/bin/tool").chmod(0o755)
    argv = ("sh", "-c", "tool")
    assert run(replace(view, carry=(".venv",)), Command(argv=argv)).stdout == b"of the venv\n"
    assert run(view, Command(argv=argv)).exit_code == 127


def test_home_is_fresh_and_gone_afterwards(view: BoxView) -> None:
    home = run(view, Command(argv=("sh", "-c", "echo $HOME; touch $HOME/x"))).stdout.decode().strip()
    assert Path(home) != Path.home()
    assert not Path(home).exists()


@pytest.mark.parametrize(
    ("word", "becomes"),
    [
        pytest.param("/outbox", "{}", id="alone"),
        pytest.param("--junitxml=/outbox/r.xml", "--junitxml={}/r.xml", id="in-an-option"),
        pytest.param("a /outbox/b", "a {}/b", id="in-a-script"),
        pytest.param("/home/outbox", "/home/outbox", id="another-folder-of-that-name"),
        pytest.param("/outbox-old", "/outbox-old", id="a-longer-name"),
    ],
)
def test_the_name_of_the_outbox_is_replaced(view: BoxView, tmp_path: Path, word: str, becomes: str) -> None:
    outbox = str(tmp_path / "outbox")
    command = Command(argv=("sh", "-c", 'echo "$0|$W"', word), env={"W": word}, outbox=outbox)
    assert run(view, command).stdout.decode().strip() == "|".join([becomes.format(outbox)] * 2)


def test_a_missing_program_is_a_missing_tool(view: BoxView) -> None:
    with pytest.raises(ToolMissing, match="no-such-program"):
        run(view, Command(argv=("no-such-program",)))


def test_it_claims_no_walls() -> None:
    assert (HostBox().name, HostBox().self_test()) == ("host", ())
