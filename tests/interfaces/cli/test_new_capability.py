"""A capability is added by its own code and its registration alone: no shared module is changed for it."""

import subprocess
import sys
from pathlib import Path

import pytest
import tomlkit

from tests.tools.command_line import Answer, CommandLine, until

SCRIPT = Path(__file__).parents[2] / "tools" / "observe_capability.py"


class Extended(CommandLine):
    """reknit with the command `observe`."""

    def start(self, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), *arguments], cwd=cwd, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip


@pytest.fixture
def extended(tmp_path: Path) -> Extended:
    return Extended(tmp_path)


def listed(answer: Answer) -> list[tuple[str, str, str | None]]:
    return [(run["run"], run["kind"], run["ending"]) for run in answer.lines[0]["runs"]]


def test_it_runs_and_is_listed_and_shown(extended: Extended, shop: Path) -> None:
    answer = extended.run("observe", cwd=shop)
    assert answer.exit_code == 1, answer.err
    run = answer.err.split()[0]
    assert answer.err.startswith(f"{run}  no agent, at most $5.00\n")
    assert answer.out.splitlines()[0].startswith("BLOCKED   ")
    assert answer.out.splitlines()[1:] == ["  why     1 red test(s)", f"  next    reknit show {run} --why"]
    assert listed(extended.run("runs", "--format", "json")) == [(run, "observe", "BLOCKED")]
    assert "observe" in extended.run("runs").out
    shown = extended.run("show", run).out.splitlines()
    assert shown[0] == f"{run}  observe  BLOCKED  1 red test(s)"
    assert [line for line in shown if line.startswith("  red     ")] != []
    assert extended.run("undo", run).out == f"{run}  changed nothing\n"
    assert extended.run("resume", run).err.splitlines()[1] == "  help: `reknit observe` starts a new run"


def test_it_is_resumed_after_kill_9(extended: Extended, shop: Path) -> None:
    go = extended.folder / "shown" / "go"
    go.parent.mkdir()
    extended.configure(workspace={"show": [str(go.parent)]})
    wait = f"while [ ! -e {go} ]; do sleep 0.05; done; exec python3 run_tests.py"
    (shop / "reknit.toml").write_text(tomlkit.dumps({"checks": {"tests": {"run": f'sh -c "{wait}"'}}}))
    child = extended.start("observe", "--format", "json", cwd=shop)
    run = until(child, "started")["run"]
    child.kill()
    child.communicate()
    assert listed(extended.run("runs", "--format", "json")) == [(run, "observe", None)]
    assert f"(runs the tests): `reknit resume {run}`" in extended.run("runs").out
    go.touch()
    answer = extended.run("resume", run, "--format", "json")
    assert (answer.exit_code, answer.ending["ending"], answer.ending["run"]) == (1, "BLOCKED", run)
    assert len(answer.events("observed")) == 1
