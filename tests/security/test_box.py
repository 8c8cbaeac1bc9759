"""A hostile agent against the walls of the box, as root and as an ordinary user.

Each test has a control: the same attempt in a box without the defence, made by the same user, must have its effect.
"""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.prefixes import MANAGERS
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult

pytestmark = pytest.mark.security

IS_ROOT = os.geteuid() == 0
PYTHON = "/usr/bin/python3"
INSIDE = Path(__file__).with_name("walls_inside.py")
LIMITS = CommandLimits(wall_s=60, idle_s=60)
# Own namespaces and no capabilities, but the uid of whoever starts it, a plain /proc and /dev, and no filter.
LOOSE = (
    *("bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
    *("--disable-userns", "--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--die-with-parent"),
    *("--ro-bind", "/usr", "/usr", "--ro-bind", "/bin", "/bin", "--ro-bind", "/lib", "/lib"),
    *("--ro-bind-try", "/lib64", "/lib64", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev"),
)


@pytest.fixture
def view(tmp_path: Path) -> Iterator[BoxView]:
    for name in ("repository", "tree", "outbox"):
        (tmp_path / name).mkdir()
    yield BoxView(repository=str(tmp_path / "repository"), tree=str(tmp_path / "tree"), programs=(PYTHON,))
    for program in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):  # pytest itself cannot remove folders this deep
        subprocess.run([*program, str(tmp_path / "tree")], check=True)


def command(view: BoxView, kind: str, *arguments: str) -> Command:
    return Command(
        argv=(PYTHON, "-I", "<box-home>/walls.py", kind, *arguments),
        files={"walls.py": INSIDE.read_bytes()},
        outbox=str(Path(view.tree).parent / "outbox"),
        env={"PLACE": "{outbox}"},
        limits=LIMITS,
    )


def read(ended: CommandResult) -> dict[str, Any]:
    assert ended.exit_code == 0, ended.stderr.decode()
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def in_box(view: BoxView, kind: str, *arguments: str) -> dict[str, Any]:
    return read(asyncio.run(Bubblewrap().run(view, command(view, kind, *arguments))))


def in_loose_box(kind: str, *options: str) -> dict[str, Any]:
    argv = [*LOOSE, *options, PYTHON, "-I", "-c", INSIDE.read_text(), kind]
    done = subprocess.run(argv, capture_output=True, check=True, cwd="/")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_nothing_in_proc_but_its_own_processes_can_be_opened_for_writing(view: BoxView) -> None:
    found = in_box(view, "proc")
    assert found["seen"] > 500, "control: it did look"
    assert found["own"], "control: what is its own can be written"
    assert (found["opened"], found["loose"]) == ([], [])


def test_control_a_plain_proc_is_open_to_the_uid_of_root(view: BoxView) -> None:
    found = in_loose_box("proc")
    assert "/proc/sys" in found["loose"]
    assert ("/proc/sys/kernel/core_pattern" in found["opened"]) == IS_ROOT


def test_what_the_kernel_keeps_to_itself_is_hidden(view: BoxView) -> None:
    assert in_box(view, "proc")["read"] == []
    control = in_loose_box("proc")
    assert "/proc/keys" in control["hidden"]
    assert "/proc/keys" in control["read"]


def test_dev_is_no_place_to_fill_the_memory(view: BoxView) -> None:
    assert in_box(view, "memory") == {"written": 0, "why": "Read-only file system"}
    assert in_loose_box("memory") == {"written": 1_000_000}


def test_no_private_key_of_the_host_is_in_sight(view: BoxView) -> None:
    assert in_box(view, "keys") == {"seen": []}
    control = in_loose_box("keys", "--tmpfs", "/etc/ssl", "--dir", "/etc/ssl/private")
    assert control == {"seen": ["/etc/ssl/private"]}


def test_system_calls_that_lead_out_are_refused_by_the_filter(view: BoxView) -> None:
    assert set(in_box(view, "calls").values()) == {"EPERM"}
    loose = in_loose_box("calls")
    reached = {name for name, answer in loose.items() if answer != "EPERM"}
    assert {"ptrace", "personality", "unshare", "setns", "process_vm_readv", "keyctl"} <= reached


def test_only_four_families_of_sockets_exist(view: BoxView) -> None:
    assert in_box(view, "sockets")["made"] == [1, 2, 10, 16]
    assert set(in_loose_box("sockets")["made"]) > {1, 2, 10, 16}


def owner_while_it_runs(view: BoxView) -> tuple[int, dict[str, Any]]:
    """Who owns, on the host, what the box writes; and what the box found."""
    outbox = Path(view.tree).parent / "outbox"
    os.mkfifo(outbox / "go")

    def look() -> int:
        with (outbox / "go").open("w"):  # opens when the box has come to read it
            return (outbox / "mine").stat().st_uid

    async def run() -> tuple[int, CommandResult]:
        task = asyncio.create_task(Bubblewrap().run(view, command(view, "wait")))
        owner = await asyncio.to_thread(look)
        return owner, await task

    owner, ended = asyncio.run(run())
    assert (outbox / "mine").stat().st_uid == os.geteuid(), "it is taken back"
    return owner, read(ended)


def test_the_box_is_nobody_on_the_host(view: BoxView, tmp_path: Path) -> None:
    owner, found = owner_while_it_runs(view)
    assert owner != 0
    assert (owner != os.geteuid()) == IS_ROOT
    assert found["groups"] == [] or not IS_ROOT, "root's groups came along"
    (tmp_path / "loose").mkdir()
    in_loose_box("memory", "--bind", str(tmp_path / "loose"), "/dev")
    assert (tmp_path / "loose" / "flood").stat().st_uid == os.geteuid(), "control: it was whoever started it"


def found_below(folder: Path, *test: str) -> list[str]:
    """By find, which can go deeper than a path is long and sees a link as what it is."""
    return subprocess.run(["find", folder, *test], capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_hostile_tree_is_taken_back_whole(view: BoxView, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("victim")
    Path(view.tree, "tracked.py").write_text("x = 1\n")
    before = victim.stat()
    found = in_box(view, "games", str(victim))
    assert found == {"mode": 0o6755, "daemon": True}, "control: inside it was setuid"
    if not IS_ROOT:
        Path(view.tree, "noread").chmod(0o700)
    for folder in (Path(view.tree), tmp_path / "outbox"):
        assert found_below(folder, "!", "-uid", str(os.geteuid())) == []
        if IS_ROOT:
            assert found_below(folder, "-type", "f", "-perm", "/6000") == [], "a setuid file of root"
    assert len(found_below(Path(view.tree, "deep"), "-name", "down")) == 1100
    assert victim.stat().st_ctime_ns == before.st_ctime_ns, "it was touched through a link"
    again = (Path(view.tree, "again").stat().st_mtime_ns, (tmp_path / "outbox" / "again").stat().st_mtime_ns)
    assert in_box(view, "keys") == {"seen": []}, "the same tree serves a second box"
    assert again == (Path(view.tree, "again").stat().st_mtime_ns, (tmp_path / "outbox" / "again").stat().st_mtime_ns)


def test_a_box_with_every_version_manager_reads_no_login_beside_or_in_the_versions(
    view: BoxView, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for number, manager in enumerate(MANAGERS):
        root = home / manager
        logins = ("login", ".npmrc", "config.toml", "credentials/credentials.toml", "sibling/login")
        for name in logins:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("CANARY")
        for name in ("versions/1/pip.conf", "installs/node/20/etc/npmrc"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("CANARY")
        version, shim = root / "versions/1/bin" / f"tool-{number}", root / "shims" / f"tool-{number}"
        for program, text in ((version, f"echo {manager}"), (shim, f"exec {version}")):
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
    path = ":".join(f"{home}/{manager}/shims" for manager in MANAGERS)
    names = tuple(f"tool-{number}" for number in range(len(MANAGERS)))
    script = f"grep -rl CANARY {home}; for tool in {' '.join(names)}; do $tool; done"
    box = Bubblewrap(path=f"{path}:/usr/bin:/bin", home=str(home), variables={})
    argv = Command(("sh", "-c", script), limits=LIMITS)
    ended = asyncio.run(box.run(replace(view, programs=names), argv))
    assert (ended.stdout.decode().split(), ended.stderr) == ([*MANAGERS], b"")
    whole = asyncio.run(box.run(replace(view, programs=names, show=(f"{home}/.pyenv",)), argv))
    assert whole.stdout.count(b"/.pyenv/") == len(logins) + 2, "control"
