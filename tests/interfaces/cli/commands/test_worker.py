"""Queued runs and the worker that takes them."""

from collections.abc import Callable
from pathlib import Path

from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
MEND = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


def test_a_queued_run_waits_for_a_worker_who_ends_when_nothing_is_left(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    reknit.tell_story({"replace": MEND})
    queued = here("fix", "tests", "--queue", cwd=shop)
    run = queued.out.split()[0]
    assert queued.out == f"{run} is queued: `reknit worker` takes it, `reknit watch {run}` follows it\n"
    assert here("show", run, "--format", "json", cwd=shop).ending["state"] == "queued"
    worker = reknit.run("worker", "--until-idle")
    assert worker.exit_code == 0
    assert "accepts up to 4 runs at once" in worker.err
    watched = here("watch", run, "--format", "json", cwd=shop)
    assert (watched.exit_code, watched.ending["ending"]) == (0, "FIXED")
