"""`reknit issues import`, `ignore`, `duplicate`, `reopen` and `sync` as a person calls them."""

import json
from pathlib import Path

from reknit.app.installation import find_installation
from reknit.app.issues.ledger import open_backlog
from reknit.core.issues.model import ChangeNote
from tests.tools.command_line import Answer, CommandLine
from tests.tools.issue_list import Here, listed, names
from tests.tools.plot import git, ruff


def test_an_import_is_one_document_for_programs(here: Here, plot: Path) -> None:
    report = ruff(plot)
    document = here("issues", "import", str(report), "--format", "json", cwd=plot).ending
    assert (document["schema"], document["import"], document["repository"]) == (1, 1, str(plot))
    assert (document["new"], document["known"], document["left_out"]) == (4, 0, [])
    assert document["reports"] == [{"name": str(report), "tools": ["ruff"], "results": 4}]


def test_the_format_can_be_named(here: Here, plot: Path) -> None:
    report = ruff(plot)
    assert here("issues", "import", "--as", "ruff", str(report), cwd=plot).exit_code == 0
    recognised = here("issues", "import", "--as", "sarif", str(report), cwd=plot)
    assert recognised.exit_code == 0
    unclear = plot.parent / "unclear.json"
    unclear.write_text('{"a": 1}')
    wrong = here("issues", "import", "--as", "sarif", str(unclear), cwd=plot)
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
        open_backlog(find_installation(reknit.environment), plot),
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
            "OPEN when its commit was undone, it is reported in a tree with that commit "
            "or after its branch is gone, or a person reopens it",
        ],
    )
    assert here("issues", "reopen", "I-1", cwd=plot) == Answer(0, "I-1 is OPEN\n", "")


def test_sync_is_a_document_for_programs(here: Here, plot: Path) -> None:
    git(plot, "remote", "add", "origin", "https://github.com/acme/plot")
    document = here("issues", "sync", "--format", "json", cwd=plot).ending
    assert document == {"schema": 1, "merged": [], "waiting_commits": [], "unseen": [], "not_asked": 0}


def test_an_import_is_told_with_the_next_command(here: Here, plot: Path) -> None:
    report = ruff(plot)
    answer = here("issues", "import", str(report), cwd=plot)
    assert answer == Answer(
        0, f"{report}: 4 results from ruff: 4 new, 0 known\n  next      reknit issues list    (4 OPEN)\n", ""
    )
    again = here("issues", "import", str(report), cwd=plot)
    assert again.out.splitlines()[0] == f"{report}: 4 results from ruff: 0 new, 4 known"


def test_ignoring_needs_a_reason_and_can_be_taken_back(here: Here, full: Path) -> None:
    assert here("issues", "ignore", "I-1", cwd=full).exit_code == 2
    assert here("issues", "ignore", "I-1", "--why", "  ", cwd=full).exit_code == 2
    assert here("issues", "ignore", "I-1", "2", "--why", "generated", cwd=full).out == "I-1, I-2 are IGNORED\n"
    assert names(listed(here, full)) == ["I-4", "I-3"]
    assert here("issues", "ignore", "I-1", "--why", "again", cwd=full).out == "I-1 is IGNORED already\n"
    assert ": generated" in here("issues", "show", "I-1", cwd=full).out
    here("issues", "import", str(ruff(full)), cwd=full)
    assert names(listed(here, full, "--status", "ignored")) == ["I-2", "I-1"]
    assert here("issues", "reopen", "I-1", cwd=full).out == "I-1 is OPEN\n"
    assert "taken back" in here("issues", "show", "I-1", cwd=full).out


def test_a_duplicate_names_its_original(here: Here, full: Path) -> None:
    assert here("issues", "duplicate", "I-2", "I-1", cwd=full).out == "I-2 is a DUPLICATE of I-1\n"
    again = here("issues", "duplicate", "I-2", "I-1", cwd=full)
    assert again.out == "I-2 is already a DUPLICATE of I-1: `reknit issues reopen I-2` reverses that\n"
    other = here("issues", "duplicate", "I-2", "I-4", cwd=full)
    assert (other.exit_code, other.err.splitlines()[1]) == (2, "  help: `reknit issues reopen I-2`")
    assert "  same as  I-1\n" in here("issues", "show", "I-2", cwd=full).out
    chain = here("issues", "duplicate", "I-3", "I-2", cwd=full)
    assert (chain.exit_code, chain.err.splitlines()[1]) == (2, "  help: `reknit issues duplicate I-3 I-1`")
    assert here("issues", "duplicate", "I-3", "I-3", cwd=full).exit_code == 2
    here("issues", "ignore", "I-4", "--why", "false", cwd=full)
    hidden = here("issues", "duplicate", "I-3", "I-4", cwd=full).out.splitlines()
    assert hidden[1] == "I-4 is IGNORED, so both are hidden: `reknit issues reopen I-4`"
    told = here("issues", "duplicate", "I-3", "I-4", "--format", "json", cwd=full).ending
    assert (told["already"], told["duplicate_of"], told["original_status"]) == (["I-3"], "I-4", "IGNORED")
    document = here("issues", "reopen", "2", "--format", "json", cwd=full).ending
    assert document == {"schema": 1, "status": "OPEN", "changed": ["I-2"], "already": []}


def test_one_wrong_issue_changes_none(here: Here, full: Path) -> None:
    assert here("issues", "ignore", "I-1", "I-99", "--why", "x", cwd=full).exit_code == 2
    assert names(listed(here, full)) == ["I-4", "I-3", "I-2", "I-1"]
