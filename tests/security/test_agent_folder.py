"""An agent that leaves every kind of trap in its folder: nothing of it lands, runs on the host, or stays behind."""

import os
import subprocess
import textwrap
from pathlib import Path

import pytest

from reknit.core.repository.change import Change
from tests.adapters.git import users_git
from tests.adapters.git.test_agent_tree import Attempt
from tests.tools.command_line import CommandLine
from tests.tools.repository_print import fingerprint

pytestmark = pytest.mark.security

DEPTH = 3_000

AGENT = """\
import os, signal, socket, time
text = open("calc.py").read().replace("a - b", "a + b")
open("calc.py", "w").write(text)
names = [b"new\\nline.py", b"\\xff\\xfe.py", b"-rf", b"--help", b".GIT", b".Git/config", b".git.", b".git ", b"git~1",
         "caf\\u00e9.py".encode(), "cafe\\u0301.py".encode(), b"CALC.PY", b"a\\tb.py", b"con",
         "\\u202eyp.evil".encode(), b"x:y", b"back\\\\slash.py", b".git\\\\config", b"\\x1b]0;title\\x07.py"]
for name in names:
    os.makedirs(os.path.dirname(name) or b".", exist_ok=True)
    open(name, "w").write("x = 1\\n")
os.symlink("/etc/passwd", "link"); os.symlink("{mark}", "link2"); os.symlink("..", "up")
os.link("calc.py", "hard.py")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("sock")
open("suid", "w").write("#!/bin/sh\\n"); os.chmod("suid", 0o4755)
with open("sparse", "wb") as file:
    file.truncate(2_000_000_000)
os.mkdir("deep"); here = os.open("deep", os.O_RDONLY)
for _ in range({depth}):
    os.mkdir("d", dir_fd=here); inner = os.open("d", os.O_RDONLY, dir_fd=here); os.close(here); here = inner
os.mkdir("closed"); open("closed/x", "w").write("x"); os.chmod("closed", 0)
os.makedirs("bare/objects"); os.makedirs("bare/refs"); open("bare/HEAD", "w").write("ref: refs/heads/main\\n")
open("bare/config", "w").write("[core]\\nfsmonitor=touch {mark}\\n")
os.makedirs("nested/.git/objects"); open("nested/.git/HEAD", "w").write("ref: refs/heads/main\\n")
open(".gitattributes", "w").write("* filter=evil\\n")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except OSError:
                pass
        while True:
            open("calc.py", "w").write(f"def add(a, b):\\n    return 5  # {marker} {{time.time()}}\\n")
            time.sleep(0.001)
    os._exit(0)
"""
TESTS = """\
import unittest
from calc import add
class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "tests").mkdir(parents=True)
    (folder / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "tests" / "__init__.py").touch()
    (folder / "tests" / "test_calc.py").write_text(TESTS)
    (folder / "reknit.toml").write_text('[checks.tests]\nrun = "python3 -m unittest -q"\n')
    who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "base"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def test_nothing_of_a_hostile_folder_lands_runs_or_stays(reknit: CommandLine, repository: Path, tmp_path: Path) -> None:
    mark, marker = tmp_path / "mark", f"left-by-{tmp_path.name}"
    script = AGENT.format(mark=mark, depth=DEPTH, marker=marker)
    agent = {"kind": "any_command", "command": ["/usr/bin/python3", "-c", script]}
    reknit.configure(fixer="mine", agents={"mine": agent})
    (tmp_path / "tmp").mkdir()
    before = fingerprint(repository)
    reknit = CommandLine(reknit.folder, {"TMPDIR": str(tmp_path / "tmp")})
    answer = reknit.run("fix", "tests", "--attempts", "1", cwd=repository)
    assert (answer.exit_code, "Traceback" in answer.err) == (1, False), answer.err
    assert "DEFERRED" in answer.out + answer.err
    assert fingerprint(repository) == before
    assert not mark.exists()
    assert marker not in _processes()
    assert list((tmp_path / "tmp").iterdir()) == []
    left = subprocess.run(["find", tmp_path / "state", "-name", "deep"], capture_output=True, text=True, check=False)
    assert left.stdout == ""


def _processes() -> str:
    found = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return b"\n".join(found).decode(errors="replace")


def test_control_the_traps_are_laid(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "calc.py").write_text("a - b")
    script = AGENT.format(mark=tmp_path / "mark", depth=5, marker="control").split("if os.fork()")[0]
    subprocess.run(["/usr/bin/python3", "-c", textwrap.dedent(script)], cwd=folder, check=True)
    laid = {path.name for path in folder.iterdir()}
    assert {"link", "fifo", "sock", "suid", "sparse", "deep", "closed", "bare", "nested", "hard.py", "-rf"} <= laid
    (folder / "closed").chmod(0o700)


@pytest.mark.parametrize("name", [".", "lib", "app.py"])
@pytest.mark.parametrize("mode", [0o000, 0o100, 0o200, 0o300, 0o500])
def test_what_is_locked_is_no_error_and_can_be_replaced(tmp_path: Path, name: str, mode: int) -> None:
    attempt = Attempt(tmp_path, users_git.repository(tmp_path / "user", {"app.py": "one\n", "lib/x.py": "x\n"}))
    (attempt.tree / name).chmod(mode)
    change = attempt.look()
    if os.geteuid() and not mode & 0o400:
        assert change == Change((), ((name, "cannot be read: Permission denied"),))
    else:
        assert change.unsafe == ()
    attempt.trusted.write_tree_to(attempt.base, str(attempt.tree))
    assert attempt.look() == Change(())
