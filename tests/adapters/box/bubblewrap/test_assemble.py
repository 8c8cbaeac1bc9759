"""One box from its plan to its end: nothing of it is seen from outside, or left behind."""

import asyncio
import os
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.assemble import BoxAssembly
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.prefixes import Host
from reknit.adapters.spawner import get_spawner
from reknit.core.box import BoxView, Command
from reknit.core.box_names import make_box_names
from tests.adapters.box.in_box import in_box, said


def test_a_box_whose_reknit_died_while_it_was_built_never_runs_its_command(view: BoxView) -> None:
    host = Host(path=os.environ["PATH"], home=str(Path.home()), repository=view.repository)
    program = process.run(["sh", "-c", "command -v bwrap"], env={"PATH": os.environ["PATH"]}).stdout.decode().strip()
    building = BoxAssembly(program, host, view, Command(argv=("touch", "ran")), None, names=make_box_names("any"))
    start = building.start()
    child = get_spawner().start(start.argv, env=start.env, cwd=start.cwd, pass_fds=start.pass_fds)
    for fd in start.pass_fds:
        os.close(fd)
    child.communicate()  # nobody answers the handshake: stdin just ends
    building.close()
    assert child.returncode == 125
    assert not Path(view.tree, "ran").exists()


def test_tokens_do_not_show_in_the_list_of_processes(view: BoxView) -> None:
    command = Command(argv=("cat", "/proc/1/cmdline"), env={"KEY": "run-token"})
    ended = asyncio.run(Bubblewrap().run(view, command))
    assert b"bwrap" in ended.stdout
    assert b"run-token" not in ended.stdout
    assert view.tree.encode() not in ended.stdout


def test_words_of_any_bytes_reach_the_command(view: BoxView) -> None:
    word = os.fsdecode(bytes(range(1, 256))) + "'$(x)`y`\\\n"
    assert in_box(view, "printf", "%s", word).stdout == os.fsencode(word)


def test_a_core_is_not_dumped_and_a_file_has_its_limit(view: BoxView) -> None:
    core, size = said(view, "sh", "-c", "ulimit -c; ulimit -f").split()
    assert (core, size != "unlimited") == ("0", True)
