"""`reknit issues import` and `sync` as a person calls them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.app.installation import installation
from reknit.app.issues.ledger import open_backlog
from reknit.core.issues.model import ChangeNote
from tests.tools.command_line import Answer, CommandLine
from tests.tools.plot import git, make_plot, ruff

Here = Callable[..., Answer]


@pytest.fixture
def plot(tmp_path: Path) -> Path:
    return make_plot(tmp_path)


def test_a_report_may_come_on_stdin(reknit: CommandLine, plot: Path) -> None:
    argv = [sys.executable, "-m", "reknit", "issues", "import", "-"]
    done = subprocess.run(
        argv, input=ruff(plot).read_text(), cwd=plot, env=reknit.environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "stdin: 4 results from ruff: 4 new, 0 known"


def test_a_report_may_come_through_a_pipe(reknit: CommandLine, plot: Path) -> None:
    command = f"{sys.executable} -m reknit issues import <(cat {ruff(plot)})"
    done = subprocess.run(
        ["bash", "-c", command], cwd=plot, env=reknit.environment, capture_output=True, text=True, check=True
    )
    assert ": 4 results from ruff: 4 new, 0 known\n" in done.stdout


def test_an_import_is_one_document_for_programs(here: Here, plot: Path) -> None:
    report = ruff(plot)
    document = here("issues", "import", str(report), "--format", "json", cwd=plot).ending
    assert (document["schema"], document["import"], document["repository"]) == (1, 1, str(plot))
    assert (document["new"], document["known"], document["left_out"]) == (4, 0, [])
    assert document["reports"] == [{"name": str(report), "tools": ["ruff"], "results": 4}]


def test_the_format_can_be_named(here: Here, plot: Path) -> None:
    report = ruff(plot)
    assert here("issues", "import", "--as", "ruff", str(report), cwd=plot).exit_code == 0
    wrong = here("issues", "import", "--as", "sarif", str(report), cwd=plot)
    assert (wrong.exit_code, wrong.err.partition(":")[0]) == (2, "error[report]")
    unknown = here("issues", "import", "--as", "rough", str(report), cwd=plot)
    assert unknown.exit_code == 2
    assert "ruff" in unknown.err


def test_what_is_no_report_is_an_error_with_its_place(here: Here, plot: Path) -> None:
    broken = plot.parent / "broken.json"
    broken.write_text('[{"code": ')
    answer = here("issues", "import", str(ruff(plot)), str(broken), cwd=plot)
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith("error[report]: ")
    assert f"  --> {broken}\n" in answer.err
    assert json.loads(here("issues", "list", "--format", "json", cwd=plot).out) == []


def test_outside_of_a_repository_nothing_can_be_imported(here: Here, plot: Path, tmp_path: Path) -> None:
    answer = here("issues", "import", str(ruff(plot)), cwd=tmp_path)
    assert (answer.exit_code, answer.err.partition(":")[0]) == (2, "error[no-repository]")


def test_sync_says_what_waits_for_a_merge(here: Here, reknit: CommandLine, plot: Path) -> None:
    here("issues", "import", str(ruff(plot)), cwd=plot)
    assert here("issues", "sync", cwd=plot) == Answer(0, "no RESOLVED issue is waiting for a merge\n", "")
    backlog, note = (
        open_backlog(installation(reknit.environment), plot),
        ChangeNote("reknit", "x", 1.0, "r-1", "c" * 40),
    )
    backlog.ledger.take("r-1", [1], note)
    backlog.ledger.settle("r-1", [1], "RESOLVED", note)
    alone = here("issues", "sync", cwd=plot)
    assert (alone.exit_code, alone.err) == (0, "")
    assert alone.out.splitlines() == [
        "1 issue(s) are RESOLVED; no remote of this repository is on a forge, and only a forge can confirm that an "
        "issue is MERGED",
        "  I-1: cccccccccccc is in no branch here; if it was abandoned: `reknit issues reopen I-1`",
    ]
    assert here("issues", "sync", "--format", "json", cwd=plot).ending["commits"][0]["issues"] == ["I-1"]
    refused = here("issues", "ignore", "I-1", "--why", "x", cwd=plot)
    assert (refused.exit_code, refused.err.splitlines()) == (
        2,
        [
            "error[status]: I-1 is RESOLVED and cannot be made IGNORED by hand",
            "  help: it becomes MERGED when the forge says that its pull request is merged; "
            "OPEN when its commit was undone, a tool reports it in a tree with that commit, "
            "or a person reopens it",
        ],
    )
    assert here("issues", "reopen", "I-1", cwd=plot) == Answer(0, "I-1 is OPEN\n", "")


def test_sync_is_a_document_for_programs(here: Here, plot: Path) -> None:
    git(plot, "remote", "add", "origin", "https://github.com/acme/plot")
    document = here("issues", "sync", "--format", "json", cwd=plot).ending
    assert document == {"schema": 1, "merged": [], "waiting_commits": [], "unseen": [], "not_asked": 0}
