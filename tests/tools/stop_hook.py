"""The Stop hook's entry as an agent starts it, with a stand-in for the program that it becomes."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import reknit

ENTRY = Path(reknit.__file__).parent / "interfaces/hook/entry.py"
BECAME = 2
_STAND_IN = """
import json, os, sys
stdin = os.readlink("/proc/self/fd/0")
seen = {"argv": sys.argv[1:], "stdin": stdin, "cwd": os.getcwd(), "state": os.getenv("REKNIT_STATE")}
print(json.dumps(seen))
sys.exit(2)
"""


def stand_in_python(folder: Path) -> Path:
    """An interpreter whose `reknit` only says how it was called, and blocks."""
    venv.create(folder, symlinks=True)
    package = next(folder.glob("lib/python3.*/site-packages")) / "reknit"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(_STAND_IN)
    return folder / "bin" / "python"


@dataclass(frozen=True)
class StopHook:
    folder: Path
    python: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def repository(self, name: str = "shop") -> Path:
        path = self.folder / name
        path.mkdir(parents=True)
        return path

    def arm(self, repository: Path, owner: str, line: str = "in_progress") -> Path:
        marker = self.key(repository) / owner
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(f"{line}\nwhat follows is not read\n")
        return marker

    def key(self, repository: Path) -> Path:
        status = repository.stat()
        return self.state / "hooks" / f"{status.st_dev}-{status.st_ino}"

    def stop(
        self, event: bytes | Mapping[str, object], *arguments: str, cwd: Path | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        argv = [str(self.python), "-I", "-S", str(ENTRY), "stop", *arguments]
        return self.start(argv, data, cwd=cwd)

    def start(self, argv: Sequence[str], data: bytes, cwd: Path | None = None) -> "subprocess.CompletedProcess[bytes]":
        given = {"HOME": str(self.folder), "REKNIT_STATE": str(self.state), **self.environment}
        return subprocess.run(
            argv, input=data, cwd=cwd or self.folder, env=given, capture_output=True, timeout=60, check=False
        )


def stop_window(
    environment: Mapping[str, str], cwd: Path, session: str, *, limit_s: int = 240, active: bool = False
) -> tuple[int, str]:
    """As Claude Code calls its Stop hook, with the program that it becomes: exit code and stderr."""
    stopped = event(cwd, session, transcript_path="/none", permission_mode="default", stop_hook_active=active)
    argv = [sys.executable, "-I", "-S", str(ENTRY), "stop", "--limit", str(limit_s)]
    done = subprocess.run(argv, input=json.dumps(stopped), env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def allowed(done: "subprocess.CompletedProcess[bytes]") -> bool:
    """Exit code 0 and not a word; anything but this and a call of the program is an error."""
    if (done.returncode, done.stdout, done.stderr) == (0, b"", b""):
        return True
    assert (done.returncode, done.stderr) == (BECAME, b""), done
    return False


def became(done: "subprocess.CompletedProcess[bytes]") -> dict[str, Any]:
    """How the program was called."""
    assert not allowed(done)
    call: dict[str, Any] = json.loads(done.stdout)
    return call


def event(cwd: Path | str, session: str = "mine", **more: object) -> dict[str, object]:
    return {"session_id": session, "cwd": str(cwd), "hook_event_name": "Stop", "stop_hook_active": False, **more}


def event_bytes(shop: Path, size: int) -> bytes:
    """`size`: of what the hook does not need."""
    return b'{"session_id":"mine","hook_event_name":"Stop","cwd":"%s","x":"%s"}' % (os.fsencode(shop), b"x" * size)
