"""What a box sees of the kernel, as arguments for bwrap."""

import os
from pathlib import Path

from reknit.adapters.box.bubblewrap.kernel_view import HIDDEN, show_kernel
from reknit.adapters.box.bubblewrap.mounts import Mounts


def arguments() -> list[str]:
    mounts = Mounts()
    show_kernel(mounts)
    return mounts.arguments()


def pairs(words: list[str], option: str) -> dict[str, str]:
    """Place -> source, of every mount of that kind."""
    return {words[at + 2]: words[at + 1] for at, word in enumerate(words) if word == option}


def test_whatever_this_kernel_has_of_the_hidden_is_covered() -> None:
    words = arguments()
    here = [f"/proc/{name}" for name in HIDDEN if os.path.lexists(f"/proc/{name}")]
    assert here, "control: this kernel has some"
    files = pairs(words, "--ro-bind-try")
    for path in here:
        covered = (
            files.get(path) == os.devnull if not Path(path).is_dir() else words[words.index(path) - 1] == "--tmpfs"
        )
        assert covered, path


def test_the_rest_that_could_be_written_is_shown_read_only() -> None:
    assert pairs(arguments(), "--ro-bind-try")["/proc/sys"] == "/proc/sys"


def test_processes_and_links_stay_as_the_box_has_them() -> None:
    places = [*pairs(arguments(), "--ro-bind-try")]
    assert [place for place in places if place.split("/")[2].isdigit() or place == "/proc/self"] == []


def test_shared_memory_is_bounded_and_dev_is_sealed() -> None:
    words = arguments()
    at = words.index("/dev/shm")
    assert words[at - 3 : at] == ["--size", str(256 << 20), "--tmpfs"]
    assert words[-2:] == ["--remount-ro", "/dev"]
    assert words.index("--proc") < words.index("/proc/sys")
