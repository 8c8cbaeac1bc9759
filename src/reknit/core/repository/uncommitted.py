"""Uncommitted changes: a run works on a commit and ignores them, so it warns and names them."""

from collections.abc import Sequence

from reknit.core.text.format import counted, one_line

KEPT = 50
"""Names kept in a run's record; the count covers all of them."""
SHOWN = 5
LONGEST = 120


def kept_names(paths: Sequence[str]) -> tuple[str, ...]:
    """The repository chooses its file names: each is cut to one plain line of limited length."""
    return tuple(one_line(path)[:LONGEST] for path in paths[:KEPT])


def not_looked_at(names: Sequence[str], count: int, *, on_forge: bool = False) -> str:
    """Empty: there are none. `count` includes those that are not named.

    `on_forge`: the run works on what is pushed, not on the local commit.
    """
    if not count:
        return ""
    some = [one_line(name)[:LONGEST] for name in names[:SHOWN]]
    more = f" and {count - len(some)} more" if count > len(some) else ""
    files = counted(count, "file")
    how = "commit and push them, then run it again" if on_forge else "commit them, or use `reknit fix tests --dirty`"
    return f"ignored: uncommitted changes in {files}: {', '.join(some)}{more}; {how}"
