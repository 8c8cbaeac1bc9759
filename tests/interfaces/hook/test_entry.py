"""The Stop hook's entry: at the cost of a bare Python if nothing is armed, and silent whatever is broken."""

import os
import subprocess
from pathlib import Path

import pytest

from reknit.app.installation import find_installation
from reknit.interfaces.hook import entry
from tests.tools.stop_hook import ENTRY, StopHook, allowed, event, event_bytes


@pytest.mark.parametrize("hooks", [None, "hooks"], ids=["no folder of markers", "an empty one"])
def test_with_nothing_armed_the_event_is_not_even_read(hook: StopHook, hooks: str | None) -> None:
    if hooks:
        (hook.state / hooks).mkdir(parents=True)
    argv = [str(hook.python), "-I", "-S", str(ENTRY), "stop"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, env={"REKNIT_STATE": str(hook.state)}) as child:
        assert child.wait(timeout=60) == 0  # nothing was written, and the pipe is still open


def test_broken_folders_of_markers_allow(hook: StopHook) -> None:
    shop = hook.repository()
    hook.state.mkdir()
    (hook.state / "hooks").write_text("no folder")
    assert allowed(hook.stop(event(shop)))
    (hook.state / "hooks").unlink()
    (hook.state / "hooks").mkdir()
    hook.key(shop).write_text("no folder")
    assert allowed(hook.stop(event(shop)))


@pytest.mark.parametrize(
    ("environment", "cwd"),
    [
        pytest.param({"REKNIT_STATE": "/a/b"}, "/", id="named"),
        pytest.param({"REKNIT_STATE": "a/b"}, "/usr", id="named, below the working folder"),
        pytest.param({"REKNIT_STATE": "", "HOME": "/home/ann"}, "/", id="named as nothing"),
        pytest.param({"XDG_STATE_HOME": "/var/ann", "HOME": "/home/ann"}, "/", id="the user's states"),
        pytest.param({"XDG_STATE_HOME": "states", "HOME": "/home/ann/"}, "/", id="states that are not absolute"),
        pytest.param({"XDG_STATE_HOME": "", "HOME": "/home/Größe"}, "/", id="the home"),
        pytest.param({"HOME": "/"}, "/", id="the home is the root"),
        pytest.param({"HOME": "home"}, "/", id="a home that is not absolute"),
        pytest.param({"HOME": ""}, "/", id="a home without a name"),
        pytest.param({}, "/", id="no home"),
    ],
)
def test_the_state_is_where_the_installation_keeps_it(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], cwd: str
) -> None:
    for name in ("REKNIT_STATE", "XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(cwd)
    assert Path(os.fsdecode(entry.find_state_folder(dict(os.environb)))) == find_installation(os.environ).state


def test_it_imports_no_package(hook: StopHook) -> None:
    shop = hook.repository()
    hook.arm(shop, "other")
    timed = [str(hook.python), "-X", "importtime", "-I", "-S"]
    data = event_bytes(shop, 10)
    bare = imported(hook.start([*timed, "-c", "pass"], b""))
    assert imported(hook.start([*timed, str(ENTRY), "stop"], data)) - bare == {"window", "itertools", "_json"}
    hook.arm(shop, "other").unlink()
    hook.key(shop).rmdir()
    assert imported(hook.start([*timed, str(ENTRY), "stop"], data)) - bare == set()


def imported(done: "subprocess.CompletedProcess[bytes]") -> set[str]:
    assert done.returncode == 0
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
