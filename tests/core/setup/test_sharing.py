"""No commit uses what a commit outside its own line of work and the default branch has made."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from reknit.core.setup.sharing import LayerUser, new_name, origins_of, remote_id, usable_names

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
        origins = origins_of("key", kept)
        behind = [each for each in origins if int(each) in history[commit]]
        at_fork = [each for each in origins if user.fork and int(each) in history[int(user.fork)]]
        names = usable_names("key", user, behind, at_fork)
        used = next((name for name in names if name in kept), "")
        if not used:
            used = new_name("key", user)
            assert used in names, "it would not find what it has made"
            kept[used] = (commit, user.is_on_default_branch)
        maker, was_on_default_branch = kept[used]
        assert maker in history[commit], "also of the default branch: a fork at the same path has another one"
        assert was_on_default_branch or not user.is_on_default_branch
        assert was_on_default_branch or maker == commit or str(maker) not in at_fork


def test_the_names() -> None:
    assert new_name("key", LayerUser("b", "b")) == "key-b"
    assert new_name("key", LayerUser("b", "a")) == "key.b"
    assert new_name("key", LayerUser("b")) == "key.b"
    assert origins_of("key", ["key", "key.b", "other.c", "keys.d", "key-a", "key-b"]) == ("a", "b")


def test_the_order() -> None:
    """What a run has made itself is found again, even if the default branch has one meanwhile."""
    of_default = ("key-d", "key-a", "key-c")
    assert usable_names("key", LayerUser("d", "b"), ["a", "c", "d"], ["a"]) == ("key.d", "key.c", *of_default)
    assert usable_names("key", LayerUser("b", "b"), ["a"], ["a"]) == ("key-b", "key-a")
    assert usable_names("key", LayerUser("tree"), ["a"], []) == ("key.tree", "key.a", "key-tree", "key-a")


def test_remotes_are_told_apart_by_their_address_without_its_login() -> None:
    official = "https://forge.example/official/shop"
    assert remote_id({"origin": official}) == remote_id({"origin": official.replace("//", "//me:word@"), "mine": "/x"})
    others: tuple[dict[str, str], ...] = (
        {"origin": f"{official}2"},
        {"origin": official, "upstream": official},
        {"upstream": "git@h:shop"},
        {},
    )
    assert len({remote_id(remotes) for remotes in ({"origin": official}, *others)}) == 5
    assert remote_id({"mine": official}) == ""
