"""System calls that Python lacks: whoever may not make one is told which it was."""

import errno
import os
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.as_root import mount_calls


def test_a_mount_that_is_refused_names_its_call(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="mount: ") as refused:
        mount_calls.mount("none", str(tmp_path / "not-there"), mount_calls.MS_BIND)
    assert refused.value.errno in (errno.ENOENT, errno.EPERM)


def test_a_tree_that_is_not_there_cannot_be_bound(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="open_tree: ") as refused:
        mount_calls.bind_with_owner(str(tmp_path / "not-there"), str(tmp_path), -1)
    assert refused.value.errno in (errno.ENOENT, errno.EPERM)
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may open a tree")
def test_a_tree_is_closed_again_if_its_owner_cannot_be_set(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with (tmp_path / "no-namespace").open("w") as file, pytest.raises(OSError, match="mount_setattr: "):
        mount_calls.bind_with_owner(str(tmp_path), str(tmp_path), file.fileno())
    assert set(os.listdir("/proc/self/fd")) == before
