from collections.abc import Callable
from pathlib import Path

from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]


def test_without_a_name_the_last_run_is_shown(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    for command in ("show", "explain"):
        assert here(command, cwd=shop).out == here(command, run, cwd=shop).out
    assert here("resume", cwd=shop).err.startswith("error[no-run]: no run in this repository is interrupted or left")
    assert here("watch", cwd=shop).err.startswith("error[no-run]: no run in this repository is queued")
