"""An attempt's changes, read from the run's private refs."""

from collections.abc import Callable
from pathlib import Path

from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
RIGHT = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


def test_an_attempt_whose_work_is_on_another_machine_says_so(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": RIGHT})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    (reknit.folder / "state" / "runs").rename(reknit.folder / "elsewhere")
    answer = here("show", run, "--attempt", "1", cwd=shop)
    assert (answer.exit_code, answer.err.partition(":")[0]) == (2, "error[no-attempt]")
