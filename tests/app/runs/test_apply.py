"""The working tree as it is can be repaired, and a fix comes back as a patch that overwrites nothing."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from tests.interfaces.cli.commands.test_control import MEND
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]


@pytest.fixture
def broken_in_the_working_tree(shop: Path) -> Path:
    """The last commit is green, and what is not committed is red."""
    source = shop / "shop" / "pricing.py"
    red = source.read_text()
    for path, (old, new) in MEND.items():
        (shop / path).write_text((shop / path).read_text().replace(old, new))
    commit_all(str(shop), "green")
    source.write_text(red)
    return shop


def status(repository: Path) -> str:
    argv = ["git", "status", "--porcelain"]
    return subprocess.run(argv, cwd=repository, capture_output=True, text=True, check=True).stdout


def test_a_red_working_tree_over_a_green_commit(
    here: Here, reknit: CommandLine, broken_in_the_working_tree: Path
) -> None:
    shop = broken_in_the_working_tree
    (shop / "notes.txt").write_text("mine")
    (shop / ".env").write_text("KEY=1")
    reknit.tell_story({"replace": MEND})
    green = here("fix", "tests", cwd=shop)
    assert "`reknit fix tests --dirty`" in " ".join(green.out.partition("CLEAN")[0].split()), "said before the ending"
    fixed = here("fix", "tests", "--dirty", cwd=shop)
    assert fixed.exit_code == 0, fixed.err
    assert "includes 2 uncommitted files" in fixed.err
    assert "looks like a secret: .env" in fixed.err
    assert "reknit apply r-" in fixed.out
    assert status(shop) == " M shop/pricing.py\n?? .env\n?? notes.txt\n", "nothing was touched"
    applied = here("apply", cwd=shop)
    assert applied.out.endswith("changed shop/pricing.py; `git diff` shows it\n")
    assert status(shop) == "?? .env\n?? notes.txt\n", "mended, it is as it was committed"
    again = here("apply", cwd=shop)
    assert (again.exit_code, again.err.partition(":")[0]) == (2, "error[already-applied]")


def test_a_fix_of_a_commit_is_applied_beside_other_changes(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": MEND})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    (shop / "other.py").write_text("x = 1\n")
    assert here("apply", run, cwd=shop).exit_code == 0
    assert status(shop) == " M shop/pricing.py\n?? other.py\n"


def test_what_cannot_be_applied_is_said(here: Here, reknit: CommandLine, shop: Path) -> None:
    none = here("apply", cwd=shop)
    assert (none.exit_code, none.err.partition(":")[0]) == (2, "error[nothing-landed]")
    reknit.tell_story({"replace": MEND})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    (shop / "shop" / "pricing.py").write_text("mine = 1\n")
    before = status(shop)
    refused = here("apply", run, cwd=shop)
    assert "patch does not apply" in refused.err
    assert ((shop / "shop" / "pricing.py").read_text(), status(shop)) == ("mine = 1\n", before)
    assert here("undo", run, cwd=shop).exit_code == 0
    assert here("apply", run, cwd=shop).err.startswith("error[nothing-landed]")


def test_with_nothing_uncommitted_the_last_commit_is_repaired(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": MEND})
    answer = here("fix", "tests", "--dirty", cwd=shop)
    assert "nothing is uncommitted, so this repairs the last commit" in answer.err
    assert "git merge" in answer.out
