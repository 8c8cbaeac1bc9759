"""What a person reads when a run ends, or was left before its end."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE, Ending
from reknit.interfaces.cli.launch.run import run_and_report
from reknit.store.runs.reader import RunReader
from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("ending", "code"),
    [(Ending("CLEAN", "all pass"), 0), (Ending("BLOCKED", "no key"), 1), (None, INTERRUPTED_EXIT_CODE)],
)
def test_the_exit_code_is_that_of_the_ending(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, ending: Ending | None, code: int
) -> None:
    installation = make_place(tmp_path)
    ledger = open_ledger(installation)
    ledger.create(spec("r-1"))
    if ending:
        ledger.end("r-1", ending)
    else:
        ledger.set_interrupted("r-1", "the disk is full")
    reader = RunReader(ledger.engine)
    assert run_and_report(installation, form, lambda _output: reader.run("r-1"), "r-1", "fix tests") == code
    said = capsys.readouterr()
    if form == "json":
        assert json.loads(said.out)["event"] == ("ending" if ending else "interrupted")
    else:
        assert (ending.word if ending else "`reknit resume r-1`") in said.out + said.err


Here = Callable[..., Answer]


@pytest.fixture
def root(tmp_path: Path, reknit: CommandLine) -> Path:
    made = scene.make(tmp_path)
    scene.take_in(reknit, made)
    return made


def next_of(answer: Answer) -> str:
    return answer.out.splitlines()[-1].removeprefix("  next      ")


def test_its_next_command_has_the_same_choice(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [scene.mend("app/b2.py")], [scene.score(96)])
    narrow = ("--path", "app/b2.py", "--tool", "ruff", "--rule", "f401", "--limit", "2")
    dry = here("fix", "issues", "--dry-run", *narrow, cwd=root)
    assert next_of(dry) == "reknit fix issues --limit 2 --tool ruff --rule f401 --path app/b2.py"
    assert here(*shlex.split(next_of(dry))[1:], cwd=root).exit_code == 0
    assert scene.states(reknit, root) == {"app/b1.py": "OPEN", "app/b2.py": "RESOLVED", "web/f1.ts": "OPEN"}


def test_it_says_who_could_not_start(here: Here, reknit: CommandLine, root: Path) -> None:
    agents = {"mine": {"command": ["no-such-program"]}}
    reknit.configure(fixer="claude", agents=agents, challenger={"agent": "mine"}, **scene.TESTS)
    told = here("fix", "issues", "--dry-run", cwd=root).out
    assert "  who       claude fixes (not found on PATH), mine challenges" in told
    assert "at most 3 rounds) (not found)\n" in told
    document = json.loads(here("fix", "issues", "--dry-run", "--format", "json", cwd=root).out)
    assert (document["fixer"], document["challenger"]) == ("claude", "mine")
    assert document["unready"] == {"claude": "not found on PATH", "mine": "not found"}


def test_it_names_the_issues_and_tells_apart_what_is_left_out(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [scene.mend("app/b1.py")], [scene.score(96)])
    report = [
        {"filePath": str(root / "tests/test_b1.py"), "messages": [{"ruleId": "x", "severity": 2, "message": "m"}]}
    ]
    (root / "eslint.json").write_text(json.dumps(report))
    assert here("issues", "import", "eslint.json", cwd=root).exit_code == 0
    told = here("fix", "issues", "--dry-run", "--limit", "1", cwd=root).out.splitlines()
    assert "  B-1    backend     3 points  1 issue   I-1  app/b1.py" in told
    assert told[-4:-1] == [
        "  left out  1 absent: their tools no longer report them",
        "  allow     1 issue in files that only a person may allow to change: add "
        "`--allow protected-test:tests/test_b1.py`",
        "  others    1 more are open but not selected",
    ]
    document = json.loads(here("fix", "issues", "--dry-run", "--limit", "1", "--format", "json", cwd=root).out)
    assert (document["issues"], document["absent"], document["others"]) == (1, 1, 1)


def test_the_forecast_is_what_such_runs_cost(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [scene.mend("app/b1.py")], [scene.score(96)])
    first = here("fix", "issues", "--path", "app/b1.py", "--format", "json", cwd=root).ending
    document = json.loads(here("fix", "issues", "--dry-run", "--path", "app/b2.py", "--format", "json", cwd=root).out)
    assert first["spent_usd"] == pytest.approx(0.15)
    assert document["call_usd"] == {"fixer": 0.1, "challenger": 0.05}
    assert document["forecast_usd"] == pytest.approx(0.15)
