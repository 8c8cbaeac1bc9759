"""Attacks that want to make the whole program wait: hostile files for the gate, pipes, deep and locked folders."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.core.box import BoxView
from tests.adapters.bounded.test_calls import NESTED_TESTS, children
from tests.adapters.box.in_box import said, write
from tests.tools.patience import scale

pytestmark = pytest.mark.security

FIVE_MB = 5_000_000
ANSWER_S = 10.0
"""1.5 s on a quiet machine, of which the engine sleeps 1 s; without a child process it would be `gate_s`."""
LAUNCH = """\
import sys
import reknit.workflows.shared.gate_check as judging
from reknit.core.text.untrusted_input import WorkLimits
judging.GATE_LIMITS = WorkLimits(float(sys.argv.pop(1)), 2 << 30)
from reknit.interfaces.cli.main import main
sys.exit(main())
"""


class Attack:
    """A repository with a red test, and an agent that writes what it was given."""

    def __init__(self, folder: Path, content: str) -> None:
        self.repository = folder / "repository"
        write({"src/lib.rs": "fn a() {}\n", "check.sh": "grep -q fixed src/lib.rs\n"}, str(self.repository))
        write({"reknit.toml": '[checks.tests]\nrun = "sh check.sh"\n'}, str(self.repository))
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "base")
        program = f"open('src/lib.rs', 'w').write('// fixed\\\\n' + {content})"
        settings = {"kind": "any_command", "command": ["python3", "-c", program]}
        toml = "\n".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
        write({"config.toml": f"[agents.evil]\n{toml}\n"}, str(folder))
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "REKNIT_STATE": str(folder / "state"),
            "REKNIT_CONFIG": str(folder / "config.toml"),
        }

    def start(self, gate_s: float) -> subprocess.Popen[str]:
        words = ["fix", "tests", "--agent", "evil", "--attempts", "1"]
        return subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(gate_s), *words],
            cwd=self.repository,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.repository, check=True, capture_output=True)


def test_the_gate_ends_at_its_limit_and_refuses(tmp_path: Path) -> None:
    attack = Attack(tmp_path, f"({NESTED_TESTS.decode()!r} * 200000)[:{FIVE_MB - 100}]")
    with attack.start(gate_s=3.0) as run:
        output, _ = run.communicate(timeout=scale(120))
    assert run.returncode == 1, output
    assert "the gate could not finish: reading the change took longer than 3 s" in output
    assert "our bug" not in output
    assert "FIXED" not in output


def test_ctrl_c_is_answered_while_the_gate_works(tmp_path: Path) -> None:
    attack = Attack(tmp_path, f"({NESTED_TESTS.decode()!r} * 200000)[:{FIVE_MB - 100}]")
    with attack.start(gate_s=300.0) as run:
        gate = _gate_of(run.pid)
        time.sleep(1.0)  # it is in the middle of it, not in its first line
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=60)
        answered_s = time.monotonic() - start
    print(f"answered after {answered_s:.2f} s")
    assert run.returncode == 130, output
    assert answered_s < ANSWER_S, output
    assert not Path(f"/proc/{gate}").exists()


def test_control_such_a_file_holds_the_gate_for_long() -> None:
    code = "from tests.adapters.bounded.test_calls import *\njudge(SLOW, SCOPE)"
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", code], timeout=5, check=False, cwd=Path(__file__).parents[2])


def test_a_line_of_spaces_is_read_quickly(tmp_path: Path) -> None:
    attack = Attack(tmp_path, "' ' * 60000 + 'x'")
    with attack.start(gate_s=5.0) as run:
        output, _ = run.communicate(timeout=scale(120))
    assert "could not finish" not in output
    assert re.search(r"gate", output), output


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", ".", "socket"])
def test_import_of_what_is_no_file_is_refused_at_once(tmp_path: Path, name: str) -> None:
    attack = Attack(tmp_path, "''")
    os.mkfifo(attack.repository / "pipe")
    os.mknod(attack.repository / "socket", 0o140644)
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "reknit", "issues", "import", name],
        cwd=attack.repository,
        env=attack._env,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert repr(name) in done.stderr
    print(f"{name}: {time.monotonic() - start:.2f} s")


def test_control_a_plain_open_of_a_pipe_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", f"open({str(tmp_path / 'pipe')!r})"], timeout=1, check=False)


DEEP_AND_LOCKED = """\
import os
os.chdir(os.path.expanduser("~/.m2/repository"))
top = os.getcwd()
os.makedirs("locked/inner")
for _ in range(3000):
    os.mkdir("d" * 50)
    os.chdir("d" * 50)
os.chmod(top + "/locked", 0)
print("made")
"""


def test_a_cache_that_is_deep_and_locked_leaves_nothing(
    view: BoxView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, layers = tmp_path / "home", tmp_path / "layers"
    layers.mkdir(mode=0o755)
    monkeypatch.setattr("tempfile.tempdir", str(layers))
    write({".m2/repository/lib.jar": "jar", "bin/mvn": "#!/bin/sh\n"}, str(home))
    (home / "bin/mvn").chmod(0o755)
    box = Bubblewrap(path=f"{home}/bin:{os.environ['PATH']}", home=str(home))
    view = replace(view, programs=(f"{home}/bin/mvn", "/usr/bin/python3"))
    assert said(view, "/usr/bin/python3", "-c", DEEP_AND_LOCKED, box=box).split() == ["made"]
    assert os.listdir(layers) == []
    assert os.listdir(home / ".m2/repository") == ["lib.jar"]


def test_a_cache_is_bounded_in_size(view: BoxView, tmp_path: Path) -> None:
    home = tmp_path / "home"
    write({".m2/repository/lib.jar": "jar", "bin/mvn": "#!/bin/sh\n"}, str(home))
    (home / "bin/mvn").chmod(0o755)
    box = Bubblewrap(path=f"{home}/bin:{os.environ['PATH']}", home=str(home))
    view = replace(view, programs=(f"{home}/bin/mvn",))
    told = said(view, "sh", "-c", "df -Pk ~/.m2/repository | tail -n 1", box=box)
    assert int(told.split()[1]) <= 2 << 20


def _gate_of(pid: int) -> int:
    """The process in which the gate of that run works, once there is one."""
    for _ in range(6000):
        if found := children(pid):
            return found[0]
        time.sleep(0.01)
    raise AssertionError("the gate was never asked")
