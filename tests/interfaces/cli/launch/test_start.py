"""What a person reads when a run starts or is queued, and how soon."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.interfaces.cli.launch.start import leave_to_worker
from reknit.store.runs.reader import RunReader
from tests.tools.background_workers import workers
from tests.tools.command_line import CommandLine
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_queued_run_is_recorded_and_says_who_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    installation = make_place(tmp_path)
    assert leave_to_worker(installation, spec("r-1"), form) == 0
    out = capsys.readouterr().out
    if form == "json":
        assert json.loads(out) == {"schema": 1, "event": "queued", "run": "r-1"}
    else:
        assert out == "r-1 is queued: `reknit worker` takes it, `reknit watch r-1` follows it\n"
    assert RunReader(open_ledger(installation).engine).run("r-1").state == "queued"


WITNESS = """
import sys
class Witness:
    def __init__(self, stream):
        self.stream, self.said = stream, []
    def write(self, text):
        self.said.append("dbos" in sys.modules)
        return self.stream.write(text)
    def __getattr__(self, name):
        return getattr(self.stream, name)
sys.stderr = Witness(sys.stderr)
from reknit.interfaces.cli.main import run
code = run(sys.argv[2:])
print()
print(code, *sys.stderr.said[:1], *sorted(set(sys.argv[1].split(",")) & set(sys.modules)))
"""
ENGINE = ("dbos", "sqlalchemy", "alembic", "psycopg")
NOT_NEEDED = (
    "msgspec",
    "reknit.adapters.git.submodules",
    "reknit.adapters.git.trusted_repository",
    "reknit.adapters.spawner",
    "reknit.core.gateway.policy",
    "reknit.core.gateway.prices",
    "reknit.core.issues.model",
)
"""Each takes long to load for the little that queueing a run does."""


def witnessed(reknit: CommandLine, shop: Path, *arguments: str) -> list[str]:
    """Exit code, whether the engine was loaded when the first line was printed, and what was loaded in the end."""
    argv = [sys.executable, "-c", WITNESS, ",".join((*ENGINE, *NOT_NEEDED)), *arguments]
    ran = subprocess.run(argv, cwd=shop, env=reknit.environment, check=True, capture_output=True, text=True, timeout=90)
    return ran.stdout.splitlines()[-1].split()


def test_the_first_line_does_not_wait_for_the_engine(reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story(
        {"replace": {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}}
    )
    assert witnessed(reknit, shop, "fix", "tests")[:3] == ["0", "False", "alembic"]


def test_queueing_loads_neither_the_engine_nor_what_only_others_need(reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    assert witnessed(reknit, shop, "fix", "tests", "--queue")[:3] == ["0", "False", "alembic"]
    assert witnessed(reknit, shop, "fix", "tests", "--queue") == ["0", "False"], "the tables are there now"


MEND = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


def test_a_detached_run_has_a_worker_of_its_own_that_ends_with_it(reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": MEND})
    (shop / "reknit").mkdir()
    (shop / "reknit" / "__init__.py").write_text("raise SystemExit('the repository chose the modules')\n")
    started = reknit.run("fix", "tests", "--detach", cwd=shop)
    run = started.out.split()[0]
    assert started.out == f"{run} runs in the background: `reknit watch {run}` follows it\n"
    [worker] = workers(reknit)
    watched = reknit.run("watch", run, "--format", "json", cwd=shop)
    assert (watched.exit_code, watched.ending["ending"]) == (0, "FIXED")
    assert select.select([worker], [], [], 60)[0], "it goes on although nothing is left to do"
    os.close(worker)


def test_a_box_that_does_not_work_is_told_before_anything_is_queued(reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    broken = reknit.folder / "bin" / "bwrap"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    path = f"{broken.parent}:{reknit.environment['PATH']}"
    told = CommandLine(reknit.folder, {"PATH": path}).run("fix", "tests", "--detach", "--format", "json", cwd=shop)
    assert (told.exit_code, told.ending["event"]) == (3, "error"), told
    assert (reknit.run("runs", "--format", "json", cwd=shop).ending["runs"], workers(reknit)) == ([], [])


@pytest.mark.parametrize("options", [("--queue", "--detach"), ("--detach", "--queue")], ids=" ".join)
@pytest.mark.parametrize("command", ["fix tests", "fix pr", "fix issues", "review"])
def test_a_run_has_one_worker(reknit: CommandLine, tmp_path: Path, command: str, options: tuple[str, str]) -> None:
    told = reknit.run(*command.split(), *options, cwd=tmp_path)
    assert (told.exit_code, told.out) == (2, "")
    assert "choose one" in told.err
