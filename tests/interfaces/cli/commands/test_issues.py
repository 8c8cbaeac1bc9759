"""The ledger of issues from the command line: real reports of ruff in a real repository on a real database."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reknit.app.installation import installation
from reknit.core.agents.call import AgentSettings
from reknit.core.issues.model import ChangeNote
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.command_line import Answer, CommandLine
from tests.tools.plot import git, make_plot, ruff

Here = Callable[..., Answer]


@pytest.fixture
def plot(tmp_path: Path) -> Path:
    return make_plot(tmp_path)


@pytest.fixture
def full(here: Here, plot: Path) -> Path:
    """The same with its report taken in: I-1 to I-4."""
    assert here("issues", "import", str(ruff(plot)), cwd=plot).exit_code == 0
    return plot


def listed(here: Here, root: Path, *options: str) -> list[dict[str, Any]]:
    answer = here("issues", "list", "--format", "json", *options, cwd=root)
    assert answer.exit_code == 0
    found: list[dict[str, Any]] = json.loads(answer.out)
    return found


def names(found: Sequence[dict[str, Any]]) -> list[str]:
    return [issue["issue"] for issue in found]


def test_an_import_is_told_with_the_next_command(here: Here, plot: Path) -> None:
    report = ruff(plot)
    answer = here("issues", "import", str(report), cwd=plot)
    assert answer == Answer(
        0, f"{report}: 4 results from ruff: 4 new, 0 known\n  next      reknit issues list    (4 OPEN)\n", ""
    )
    again = here("issues", "import", str(report), cwd=plot)
    assert again.out.splitlines()[0] == f"{report}: 4 results from ruff: 0 new, 4 known"


def test_a_list_is_a_table_the_newest_first(here: Here, full: Path) -> None:
    lines = here("issues", "list", cwd=full).out.splitlines()
    assert [line.split()[0] for line in lines] == ["I-4", "I-3", "I-2", "I-1"]
    assert lines[0] == "I-4  OPEN  important  src/größe 2.py:1  ruff F401  `json` imported but unused"
    assert lines[3] == "I-1  OPEN  important  src/area.py:1     ruff F401  `os` imported but unused"


def test_a_long_list_has_pages(here: Here, full: Path) -> None:
    first = here("issues", "list", "--limit", "3", cwd=full)
    assert len(first.out.splitlines()) == 3
    assert first.err == "there are more: add `--after I-2` for the next ones, or `--limit N`\n"
    last = here("issues", "list", "--limit", "3", "--after", "I-2", cwd=full)
    assert [line.split()[0] for line in last.out.splitlines()] == ["I-1"]
    assert last.err == ""
    assert names(listed(here, full, "--after", "3")) == ["I-2", "I-1"]
    assert names(listed(here, full, "--limit", "1")) == ["I-4"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(("--rule", "F841"), ["I-3"], id="rule"),
        pytest.param(("--rule", "F841", "--rule", "F401"), ["I-4", "I-3", "I-2", "I-1"], id="two rules"),
        pytest.param(("--tool", "mypy"), [], id="another tool"),
        pytest.param(("--path", "src/area.py"), ["I-3", "I-2", "I-1"], id="file"),
        pytest.param(("--path", "src"), ["I-4", "I-3", "I-2", "I-1"], id="folder"),
        pytest.param(("--path", "src/gr*"), ["I-4"], id="pattern"),
        pytest.param(("--path", "area.py"), [], id="no such path from the root"),
        pytest.param(("--weight", "minor"), [], id="weight"),
        pytest.param(("--kind", "backend"), ["I-4", "I-3", "I-2", "I-1"], id="backend"),
        pytest.param(("--kind", "frontend"), [], id="frontend"),
        pytest.param(("--baseline", "new"), ["I-4", "I-3", "I-2", "I-1"], id="baseline"),
        pytest.param(("--baseline", "absent"), [], id="absent"),
        pytest.param(("--rule", "f841"), ["I-3"], id="rule as people type it"),
        pytest.param(("--status", "failed"), [], id="status"),
        pytest.param(("--status", "all"), ["I-4", "I-3", "I-2", "I-1"], id="every status"),
    ],
)
def test_filters_choose(here: Here, full: Path, options: tuple[str, ...], expected: list[str]) -> None:
    assert names(listed(here, full, *options)) == expected


def test_paths_are_from_here_where_they_are_here(here: Here, full: Path) -> None:
    answer = here("issues", "list", "--path", "area.py", "--format", "json", cwd=full / "src")
    assert names(json.loads(answer.out)) == ["I-3", "I-2", "I-1"]
    absolute = here(
        "issues", "list", "--path", str(full / "src" / "area.py"), "--format", "json", cwd=full.parent / "plot"
    )
    assert names(json.loads(absolute.out)) == ["I-3", "I-2", "I-1"]
    here_all = here("issues", "list", "--path", ".", "--format", "json", cwd=full / "src")
    assert len(json.loads(here_all.out)) == 4


def test_an_extension_of_the_repositorys_own_is_frontend(here: Here, full: Path) -> None:
    (full / "reknit.toml").write_text('[issues]\nfrontend = [".py"]\n')
    assert len(listed(here, full, "--kind", "frontend")) == 4


def test_an_empty_list_says_why(here: Here, plot: Path) -> None:
    answer = here("issues", "list", cwd=plot)
    assert (answer.exit_code, answer.out) == (0, "")
    assert "reknit issues import FILE…" in answer.err
    assert listed(here, plot) == []
    here("issues", "import", str(ruff(plot)), cwd=plot)
    none = here("issues", "list", "--rule", "X1", "--path", "a b", "--limit", "3", cwd=plot).err
    again = "`reknit issues list --rule X1 --path 'a b' --status all` searches every status"
    assert none == f"no issue matches; there are 4 OPEN: {again}\n"
    every = here("issues", "list", "--rule", "X1", "--status", "all", cwd=plot).err
    assert every == "no issue matches; there are 4 OPEN: `reknit issues list --status all` lists them all\n"


def test_a_run_has_all_its_issues_whatever_became_of_them(here: Here, reknit: CommandLine, full: Path) -> None:
    place = installation(reknit.environment)
    store = open_store(place.database)
    tests, agent = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
    SqlRunLedger(store).create(RunSpec("r-7f3a0001", "fix issues", str(full), "b" * 40, tests, (), agent))
    note, ledger = ChangeNote("reknit", "works", 1.0, "r-7f3a0001", "c" * 40), SqlIssueLedger(store)
    ledger.take("r-7f3a0001", [1, 2, 3], note)
    ledger.settle("r-7f3a0001", [1, 2], "RESOLVED", note)
    ledger.settle("r-7f3a0001", [3], "FAILED", note)
    store.dispose()
    assert names(listed(here, full, "--run", "7f3a")) == ["I-3", "I-2", "I-1"]
    assert names(listed(here, full, "--run", "r-7f3a0001", "--status", "failed")) == ["I-3"]
    exported = here("issues", "export", "--format", "json", "--run", "7f3a", cwd=full)
    assert (names(json.loads(exported.out)), exported.err) == (["I-1", "I-2", "I-3"], "stdout: 3 issues\n")
    for command in ("list", "export"):
        missing = here("issues", command, "--run", "r-none", cwd=full)
        assert (missing.exit_code, missing.out) == (2, "")
        assert missing.err == "error[no-run]: no run 'r-none'\n  help: `reknit runs` lists them\n"


def test_an_issue_in_tests_does_not_lead_into_a_run_that_refuses_it(here: Here, full: Path) -> None:
    (full / "tests").mkdir()
    (full / "tests" / "test_area.py").write_text("import os\n")
    (full / "red.xml").write_text(
        '<testsuites><testsuite name="pytest"><testcase classname="tests.test_area" name="test_a" '
        'file="tests/test_area.py" line="0"><failure message="no">at once</failure></testcase></testsuite></testsuites>'
    )
    assert here("issues", "import", "red.xml", str(ruff(full)), cwd=full).exit_code == 0
    found = listed(here, full, "--path", "tests")
    for issue in found:
        text = here("issues", "show", issue["issue"], cwd=full).out
        is_red = issue["sources"][0]["tool"] == "pytest"
        assert ("  next     reknit fix tests tests/test_area.py::test_a\n" in text) is is_red
        assert ("  no fix   in a file that is not at HEAD\n" in text) is not is_red
        assert "reknit fix issues" not in text
    assert len(found) == 2


def test_show_has_all_that_is_known(here: Here, full: Path) -> None:
    text = here("issues", "show", "I-3", cwd=full).out
    assert text.startswith("I-3  OPEN  important  src/area.py:6:5\n  ruff F841   Local variable `unused` is assigned")
    assert "\n  > 6      unused = 1\n" in text
    assert ": ruff found it" in text
    document = json.loads(here("issues", "show", "3", "--format", "json", cwd=full).out)
    assert (document["issue"], document["path"], document["line"]) == ("I-3", "src/area.py", 6)
    assert [change["to"] for change in document["history"]] == ["OPEN"]
    assert {"line": 6, "text": "    unused = 1"} in document["excerpt"]


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


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        pytest.param(("ignore", "I-99", "--why", "x"), "no-issue", "there is no issue I-99", id="not there"),
        pytest.param(("show", "I-99"), "no-issue", "there is no issue I-99", id="nothing to show"),
        pytest.param(("show", "r-7f3a"), "usage", "'r-7f3a' is not an issue", id="no id"),
        pytest.param(("reopen", "I-1"), "status", "I-1 is OPEN already", id="it is open"),
        pytest.param(("import",), "usage", "nothing to import", id="nothing named"),
        pytest.param(("import", "nowhere.json"), "report", "'nowhere.json' cannot be read", id="no such report"),
        pytest.param(("list", "--format", "sarif", "--limit", "1"), "usage", "always complete", id="cut sarif"),
        pytest.param(("export", "-o", "no/such/folder.sarif"), "output", "cannot be written", id="no such folder"),
    ],
)
def test_what_cannot_be_done_is_told(here: Here, full: Path, arguments: tuple[str, ...], error: str, told: str) -> None:
    answer = here("issues", *arguments, cwd=full)
    if told.endswith("already"):
        assert (answer.exit_code, answer.out) == (0, f"{told}\n")
        return
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith(f"error[{error}]: ")
    assert told in answer.err


def test_one_wrong_issue_changes_none(here: Here, full: Path) -> None:
    assert here("issues", "ignore", "I-1", "I-99", "--why", "x", cwd=full).exit_code == 2
    assert names(listed(here, full)) == ["I-4", "I-3", "I-2", "I-1"]


def test_issues_of_another_repository_are_left_alone(here: Here, full: Path, shop: Path) -> None:
    answer = here("issues", "ignore", "I-1", "--why", "x", cwd=shop)
    assert (answer.exit_code, answer.err.splitlines()[0]) == (
        2, f"error[no-issue]: I-1 belongs to {full}, but this is {shop}",
    )  # fmt: skip
    assert listed(here, shop) == []


def test_two_clones_of_one_repository_share_their_issues(here: Here, full: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(full, "clone", "-q", ".", str(other))
    git(full, "remote", "add", "origin", "git@github.com:Acme/Plot.git")
    git(other, "remote", "set-url", "origin", "https://github.com/acme/plot")
    assert listed(here, full) == []
    here("issues", "import", str(ruff(full)), cwd=full)
    assert {issue["repository"] for issue in listed(here, other)} == {"github.com/acme/plot"}


def test_reknit_alone_counts_them(here: Here, reknit: CommandLine, plot: Path) -> None:
    reknit.tell_story({})
    assert "  findings  none imported    reknit issues import FILE…" in here(cwd=plot).out.splitlines()
    assert not (reknit.folder / "state").exists()
    here("issues", "import", str(ruff(plot)), cwd=plot)
    assert "  findings  4 open    reknit issues list" in here(cwd=plot).out.splitlines()
    source = plot / "src" / "area.py"
    source.write_text(source.read_text().replace("import os\n", ""))
    here("issues", "import", str(ruff(plot)), cwd=plot)
    assert "  findings  4 open (1 of them absent)    reknit issues list" in here(cwd=plot).out.splitlines()


def test_issues_are_read_without_the_engine(reknit: CommandLine, full: Path) -> None:
    code = (
        "import sys\nfrom reknit.interfaces.cli.main import run\nrun(['issues', 'list'])\nprint('dbos' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=reknit.environment, cwd=full, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"
