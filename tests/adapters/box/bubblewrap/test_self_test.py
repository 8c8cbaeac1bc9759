"""The self-test holds on a sound box, and notices a box that is not."""

import asyncio
import os
import secrets
import shutil
import socket
import time
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.self_test import check_box_user, read_machine
from reknit.core.box_advice import Machine
from reknit.core.errors import ToolMissingError


def test_every_wall_holds() -> None:
    started = time.monotonic()
    probes = Bubblewrap().self_test()
    assert [probe for probe in probes if not probe.has_passed] == []
    assert len(probes) >= 55
    assert time.monotonic() - started < 60


def bwrap_that(folder: Path, script: str) -> Bubblewrap:
    (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bwrap").chmod(0o755)
    return Bubblewrap(path=f"{folder}:/usr/local/bin:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("hole", "noticed"),
    [
        pytest.param("--share-net", "the host's loopback cannot be reached", id="a-shared-network"),
        pytest.param("--setenv TOKEN x", "the environment is ours alone", id="a-leaking-environment"),
        pytest.param("--ro-bind /etc /etc", "no sockets or accounts of the host", id="a-host-folder-in-sight"),
        pytest.param("--cap-add CAP_NET_RAW", "there are no capabilities", id="a-capability"),
        pytest.param("--ro-bind /proc /proc", "processes of the host", id="the-processes-of-the-host"),
        pytest.param("--size 9999999999 --tmpfs /dev/shm", "/dev/shm is bounded", id="a-folder-without-bound"),
        pytest.param("--dev /dev", "/dev is not writable", id="a-writable-dev"),
        pytest.param("--dev /dev", "every writable folder in memory is bounded", id="a-dev-of-half-the-memory"),
        pytest.param("--tmpfs /etc/ssl --dir /etc/ssl/private", "no private keys", id="a-folder-of-keys"),
        pytest.param("--proc /proc", "/proc/bus cannot be written", id="a-loose-proc-bus"),
        pytest.param("--proc /proc", "/proc/irq cannot be written", id="a-loose-proc-irq"),
        pytest.param("--proc /proc", "/proc/fs cannot be written", id="a-loose-proc-fs"),
        pytest.param("--proc /proc", "/proc/sys cannot be written", id="a-loose-proc-sys"),
        pytest.param("--proc /proc", "nothing else in /proc", id="a-loose-rest-of-proc"),
        pytest.param("--proc /proc", "keys, timers and hardware", id="a-kernel-in-sight"),
    ],
)
def test_a_hole_is_noticed(tmp_path: Path, hole: str, noticed: str) -> None:
    real = shutil.which("bwrap")
    box = bwrap_that(tmp_path, f'a=$1; n=$2; shift 2; exec {real} "$a" "$n" {hole} "$@"')
    failed = [probe.name for probe in box.self_test() if not probe.has_passed]
    assert any(name.startswith(noticed) for name in failed), failed


def test_who_is_root_is_noticed() -> None:
    """The kernel says who connected; here it is this very process."""
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(f"\0reknit-test-{secrets.token_hex(8)}")
        listener.listen()
        assert check_box_user(listener).detail == "it never connected"
        client.connect(listener.getsockname())
        probe = check_box_user(listener)
    assert (probe.has_passed, probe.detail) == (os.geteuid() != 0, f"uid {os.geteuid()}, gid {os.getegid()}")


def test_forbidden_user_namespaces_are_a_missing_tool(tmp_path: Path) -> None:
    box = bwrap_that(tmp_path, "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1")
    with pytest.raises(ToolMissingError, match="No permissions to create a new namespace"):
        box.self_test()


def test_no_bwrap_is_a_missing_tool(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="bwrap was not found"):
        Bubblewrap(path=str(tmp_path)).self_test()


def test_it_can_be_asked_for_inside_an_event_loop() -> None:
    async def ask() -> bool:
        return all(probe.has_passed for probe in Bubblewrap().self_test())

    assert asyncio.run(ask())


def test_what_the_kernel_says(tmp_path: Path) -> None:
    assert read_machine(tmp_path) == Machine()
    for name, text in {
        "kernel/osrelease": "6.8.0-45-generic",
        "kernel/apparmor_restrict_unprivileged_userns": "1",
        "kernel/unprivileged_userns_clone": "0",
        "user/max_user_namespaces": "0",
    }.items():
        (tmp_path / "proc/sys" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "proc/sys" / name).write_text(f"{text}\n")
    (tmp_path / ".dockerenv").touch()
    expected = Machine(
        "6.8.0-45-generic",
        is_container=True,
        is_restricted_by_apparmor=True,
        allows_namespaces=False,
        most_namespaces=0,
    )
    assert read_machine(tmp_path) == expected
    (tmp_path / "proc/sys/user/max_user_namespaces").write_text("many\n")
    assert read_machine(tmp_path).most_namespaces == 1


def test_this_machine_has_a_kernel() -> None:
    assert read_machine().kernel
