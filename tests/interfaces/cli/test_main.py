"""The command line itself: quick where it must be, one shape of errors, one exit code for each kind of end."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit import __version__
from reknit.interfaces.cli.main import COMMANDS, GROUPS, RENAMED
from reknit.store.database import open_store
from tests.tools.command_line import Answer, CommandLine
from tests.tools.work import costs_at_most, cpu_s

Here = Callable[..., Answer]
HEAVY = ("dbos", "sqlalchemy", "mcp", "pydantic", "alembic")
LOADED = """
import sys
from reknit.interfaces.cli.main import run
code = run(sys.argv[1:])
print("loaded:", *sorted(name for name in sys.modules if "." not in name))
sys.exit(code)
"""


def loaded(reknit: CommandLine, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        env=reknit.environment,
        cwd=reknit.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return set(done.stdout.rpartition("loaded:")[2].split())


@pytest.mark.parametrize("argument", ["--help", "--version", "mcp"])
def test_help_version_and_the_report_server_import_nothing_heavy(reknit: CommandLine, argument: str) -> None:
    modules = loaded(reknit, argument)
    assert "click" in modules
    assert modules.isdisjoint(HEAVY)


@pytest.mark.parametrize("arguments", [("runs",), ("show", "r-x"), ("watch", "r-x")], ids=lambda words: words[0])
def test_looking_at_runs_does_not_import_the_engine(reknit: CommandLine, arguments: tuple[str, ...]) -> None:
    modules = loaded(reknit, *arguments)
    assert "sqlalchemy" in modules
    assert "dbos" not in modules


def test_the_version_costs_at_most_eight_bare_interpreters() -> None:
    bare = partial(cpu_s, [sys.executable, "-c", "pass"])
    assert costs_at_most(8, partial(cpu_s, [sys.executable, "-m", "reknit", "--version"]), bare)


def test_no_garbage_is_looked_for_while_modules_load_and_when_the_process_ends() -> None:
    code = """
import atexit, gc
from reknit.interfaces.cli.main import main
atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 1_000))
main(["--version"])
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["50000 True"]


def test_version_and_help_answer_on_stdout(here: Here, tmp_path: Path) -> None:
    assert here("--version", cwd=tmp_path) == Answer(0, f"reknit, version {__version__}\n", "")
    helped = here("-h", cwd=tmp_path)
    assert helped.exit_code == 0
    assert all(re.search(rf"^  {name} ", helped.out, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_listed_command_is_there_and_helps(here: Here, tmp_path: Path, name: str) -> None:
    assert here(name, "--help", cwd=tmp_path).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "name", "code"),
    [
        pytest.param(("fix", "tests"), "no-repository", 2, id="outside a repository"),
        pytest.param(("frobnicate",), "usage", 2, id="a command that is not there"),
        pytest.param(("fix", "tests", "--attempts", "99"), "usage", 2, id="a value out of bounds"),
        pytest.param(("runs", "--limitt", "3"), "usage", 2, id="an option that is not there"),
        pytest.param(("show", "r-none"), "no-run", 2, id="a run that is not there"),
        pytest.param(("resume", "r-none"), "no-run", 2, id="resuming a run that is not there"),
        pytest.param(("stop", "r-none", "--for-good"), "no-run", 2, id="cancelling a run that is not there"),
        pytest.param(("undo", "r-none"), "no-run", 2, id="undoing a run that is not there"),
        pytest.param(("watch", "r-none"), "no-run", 2, id="watching a run that is not there"),
    ],
)
def test_an_error_has_one_shape(here: Here, tmp_path: Path, arguments: tuple[str, ...], name: str, code: int) -> None:
    answer = here(*arguments, cwd=tmp_path)
    assert (answer.exit_code, answer.out) == (code, "")
    first, *rest = answer.err.splitlines()
    assert first.startswith(f"error[{name}]: ")
    assert rest[-1].startswith("  help: ")
    assert all(line.startswith(("  --> ", "  help: ")) for line in rest)


def test_a_mistake_in_a_file_names_file_and_line(here: Here, shop: Path) -> None:
    (shop / "reknit.toml").write_text('fixer = "scripted"\n[loop]\nattemts = 2\n')
    assert here("fix", "tests", cwd=shop) == Answer(
        2, "", "error[config]: unknown setting `loop.attemts`\n  --> reknit.toml:3\n  help: did you mean `attempts`?\n"
    )


def test_an_operators_setting_in_a_repository_is_refused(here: Here, shop: Path) -> None:
    (shop / "reknit.toml").write_text('box = "host"\n')
    answer = here("fix", "tests", cwd=shop)
    assert answer.exit_code == 2
    assert answer.err.startswith("error[config]: `box` may not be set by a repository\n  --> reknit.toml:1\n")


@pytest.mark.parametrize("form", [("--format", "json"), ("--format=json",)], ids=["two words", "one word"])
def test_an_error_is_a_document_for_programs(here: Here, tmp_path: Path, form: tuple[str, ...]) -> None:
    answer = here("show", "r-none", *form, cwd=tmp_path)
    assert (answer.exit_code, answer.err) == (2, "")
    assert json.loads(answer.out) == {
        "schema": 1,
        "event": "error",
        "error": "no-run",
        "what": "no run 'r-none'",
        "where": "",
        "help": "`reknit runs` lists them",
        "exit_code": 2,
    }


def test_a_bug_of_ours_leaves_a_log_and_says_where(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    """A table that is not there is none of the errors we name."""
    database = open_store(f"sqlite:///{tmp_path}/state/reknit.sqlite")
    with database.begin() as db:
        db.execute(sa.text("DROP TABLE runs"))
    database.dispose()
    answer = here("runs", cwd=tmp_path)
    assert answer.exit_code == 70
    assert answer.err.startswith("error[internal]: reknit failed, not your code: OperationalError")
    log = tmp_path / "state" / "reknit.log"
    assert answer.err.endswith(f"  help: the details are in {log}\n")
    assert "Traceback" in log.read_text()


def test_a_reader_that_leaves_early_is_no_error(reknit: CommandLine) -> None:
    command = f"{sys.executable} -m reknit --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], env=reknit.environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_agent_and_a_missing_key_have_their_own_exit_codes(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    (shop / "reknit.toml").write_text('[checks.tests]\nrun = "python3 run_tests.py"\n')
    reknit.configure(fixer="claude", agents={"claude": {"binary": str(tmp_path / "nowhere")}})
    missing = here("fix", "tests", cwd=shop)
    assert (missing.exit_code, missing.err.partition(":")[0]) == (3, "error[tool-missing]")
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho 1.0.0\n")
    program.chmod(0o755)
    reknit.configure(fixer="claude", agents={"claude": {"binary": str(program), "key_env": "NO_SUCH_KEY"}})
    no_key = here("fix", "tests", cwd=shop)
    assert (no_key.exit_code, no_key.err.partition(":")[0]) == (4, "error[login]")


@pytest.mark.parametrize("former", RENAMED)
def test_a_former_name_tells_the_present_one(reknit: CommandLine, former: str) -> None:
    answer = reknit.run(former, "r-1")
    assert (answer.exit_code, f"it is `{RENAMED[former]}` now" in answer.err) == (2, True)


def test_the_help_has_every_command_in_one_group() -> None:
    assert sorted(COMMANDS) == sorted(name for group in GROUPS.values() for name in group)
    assert sum(len(group) for heading, group in GROUPS.items() if heading != "For other programs") <= 20
