"""Reading what the agents of a run did, and its page."""

from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
WRONG = {"shop/pricing.py": ["return price - percent", "return price"]}
RIGHT = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


def test_the_logs_of_the_last_run_are_conversations(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    reknit.tell_story({"replace": WRONG, "say": "I try."}, {"replace": RIGHT, "say": "It is a share."})
    run = here("fix", "tests", cwd=shop).out.partition("reknit/")[2].split()[0]
    text = here("logs", cwd=shop).out
    assert text.startswith(f"{run}  fix tests  FIXED")
    assert "attempt 1\n  asked    tests/test_pricing.py" in text
    assert "  says     It is a share.\n  then     proven: " in text
    second = here("logs", run, "--attempt", "2", "--format", "json", cwd=shop).ending
    assert [(call["call"], call["turns"][0]["text"]) for call in second["calls"]] == [("attempt-2", "It is a share.")]
    missing = here("logs", "--attempt", "3", cwd=shop)
    assert (missing.exit_code, missing.out) == (2, "")
    assert f"{run} has 2 attempt(s)" in missing.err
    _page(here, reknit, shop, run)
    for folder in tmp_path.rglob(f"runs/{run}/attempt-*.log"):
        rmtree(folder)
    gone = here("logs", cwd=shop)
    assert (gone.exit_code, gone.out) == (0, "")
    assert f"the transcripts of {run} are not on this machine" in gone.err


def _page(here: Here, reknit: CommandLine, shop: Path, run: str) -> None:
    page = here("show", run, "--format", "html", cwd=shop).out
    assert page.startswith("<!doctype html>")
    for text in ("It passes now, and without this change it fails again.", "attempt 2", "It is a share."):
        assert text in page
    assert page.count('<span class="add">+    return price * (1 - percent / 100)</span>') == 2
    assert here("show", run, "--format", "html", "-o", "page.html", cwd=shop).out == ""
    assert (shop / "page.html").read_text() == page.rstrip("\n")
    opened = here("open", cwd=shop)
    assert opened.exit_code == 0
    assert Path(opened.out.strip()).read_text() == (shop / "page.html").read_text()
    assert "open this file in one" in opened.err
    (shop / "page.html").unlink()
    for wrong in (["--output", "x"], ["--attempt", "1", "--format", "html"]):
        assert here("show", run, *wrong, cwd=shop).exit_code == 2
