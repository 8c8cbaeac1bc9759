"""What of a set-up's result is kept."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.box import BoxView
from reknit.core.setup.layers import (
    Layer,
    LayerUser,
    hash_remotes,
    is_result,
    list_mount_points,
    list_origins,
    list_tracked_folders,
    list_uncovered,
    list_usable_names,
    merge_folders,
    name_new_layer,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("node_modules", True),
        ("packages/a/node_modules", True),
        (".venv", True),
        ("vendored/node_modules", False),
        (".cargo", False),
        ("src", False),
        ("dist", False),
    ],
)
def test_only_folders_of_package_managers_count(path: str, expected: bool) -> None:
    assert (
        is_result(
            path, list_tracked_folders(["vendored/node_modules/a/index.js", "src/x/y.py", "src/x/z.py", "top.py"])
        )
        is expected
    )


def test_the_folders_of_paths() -> None:
    assert list_tracked_folders(["a/b/c.py", "a/d.py", "e.py"]) == {"a", "a/b"}


def test_the_first_layer_keeps_its_place() -> None:
    one, two = Layer("1", ((".venv", "/1/0"),)), Layer("2", ((".venv", "/2/0"), ("web/node_modules", "/2/1")))
    assert dict(merge_folders([one, two])) == {".venv": "/1/0", "web/node_modules": "/2/1"}


def test_a_layer_replaces_what_the_user_has_installed() -> None:
    layers = ((".venv", "/1/0"), ("node_modules", "/1/1"))
    assert list_uncovered([".venv", "node_modules/.cache", "node_modules_old", "x.so"], layers) == (
        "node_modules_old",
        "x.so",
    )


def test_mount_points_of_a_tree() -> None:
    view = BoxView("/r", "/t", carry=("x.so",), layers=((".venv", "/1/0"), ("~/.cargo/registry", "/1/1")))
    assert list_mount_points(view) == ("x.so", ".venv")


COMMITS = 12


@st.composite
def histories(draw: st.DrawFn) -> list[set[int]]:
    """For each commit, those in its history and itself; a commit has up to two earlier ones as parents."""
    found = list[set[int]]()
    for number in range(COMMITS):
        parents = draw(st.lists(st.integers(0, number - 1), max_size=2)) if number else []
        found.append({number}.union(*(found[parent] for parent in parents)))
    return found


def fork_of(history: Sequence[set[int]], commit: int, tip: int) -> str:
    """Any newest common commit: a real history has one, or git picks one of several."""
    return str(max(history[commit] & history[tip], default=""))


@given(histories(), st.lists(st.tuples(st.integers(0, COMMITS - 1), st.integers(0, COMMITS - 1)), max_size=30))
def test_whatever_is_run_in_whatever_order(history: list[set[int]], runs: list[tuple[int, int]]) -> None:
    """Each run: a commit, and the tip of the default branch at that time."""
    kept = dict[str, tuple[int, bool]]()
    for commit, tip in runs:
        user = LayerUser(str(commit), fork_of(history, commit, tip))
        origins = list_origins("key", kept)
        behind = [each for each in origins if int(each) in history[commit]]
        at_fork = [each for each in origins if user.fork and int(each) in history[int(user.fork)]]
        names = list_usable_names("key", user, behind, at_fork)
        used = next((name for name in names if name in kept), "")
        if not used:
            used = name_new_layer("key", user)
            assert used in names, "it would not find what it has made"
            kept[used] = (commit, user.is_on_default_branch)
        maker, was_on_default_branch = kept[used]
        assert maker in history[commit], "also of the default branch: a fork at the same path has another one"
        assert was_on_default_branch or not user.is_on_default_branch
        assert was_on_default_branch or maker == commit or str(maker) not in at_fork


def test_the_names() -> None:
    assert name_new_layer("key", LayerUser("b", "b")) == "key-b"
    assert name_new_layer("key", LayerUser("b", "a")) == "key.b"
    assert name_new_layer("key", LayerUser("b")) == "key.b"
    assert list_origins("key", ["key", "key.b", "other.c", "keys.d", "key-a", "key-b"]) == ("a", "b")


def test_the_order() -> None:
    """What a run has made itself is found again, even if the default branch has one meanwhile."""
    of_default = ("key-d", "key-a", "key-c")
    assert list_usable_names("key", LayerUser("d", "b"), ["a", "c", "d"], ["a"]) == ("key.d", "key.c", *of_default)
    assert list_usable_names("key", LayerUser("b", "b"), ["a"], ["a"]) == ("key-b", "key-a")
    assert list_usable_names("key", LayerUser("tree"), ["a"], []) == ("key.tree", "key.a", "key-tree", "key-a")


def test_remotes_are_told_apart_by_their_address_without_its_login() -> None:
    official = "https://forge.example/official/shop"
    assert hash_remotes({"origin": official}) == hash_remotes(
        {"origin": official.replace("//", "//me:word@"), "mine": "/x"}
    )
    others: tuple[dict[str, str], ...] = (
        {"origin": f"{official}2"},
        {"origin": official, "upstream": official},
        {"upstream": "git@h:shop"},
        {},
    )
    assert len({hash_remotes(remotes) for remotes in ({"origin": official}, *others)}) == 5
    assert hash_remotes({"mine": official}) == ""
