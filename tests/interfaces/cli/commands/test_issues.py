"""The ledger of issues from the command line: real reports of ruff in a real repository on a real database."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.app.installation import find_installation
from reknit.core.agents.call import AgentSettings
from reknit.core.issues.model import ChangeNote
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.command_line import CommandLine
from tests.tools.issue_list import Here, listed, names
from tests.tools.plot import ruff
from tests.tools.sample_tasks import FIX_ISSUES


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
    installation = find_installation(reknit.environment)
    store = open_store(installation.database)
    tests, agent = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
    SqlRunLedger(store).create(RunSpec("r-7f3a0001", str(full), "b" * 40, FIX_ISSUES, tests, (agent,)))
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
