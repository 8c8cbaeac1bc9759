"""Uncommitted changes beside the commit that a run looks at: no run looks at them, so it says so and names them."""

from collections.abc import Sequence

from reknit.core.text.format import one_line

KEPT = 50
"""Names in a run's record; the count is of all."""
SHOWN = 5
LONGEST = 120


def kept_names(paths: Sequence[str]) -> tuple[str, ...]:
    """A name is the repository's word: one plain line, and not without end."""
    return tuple(one_line(path)[:LONGEST] for path in paths[:KEPT])


def not_looked_at(names: Sequence[str], count: int, *, on_forge: bool = False) -> str:
    """Empty: there are none. `count`: of all of them, also of those that are not named.

    `on_forge`: what is pushed is looked at, not what is here.
    """
    if not count:
        return ""
    some = [one_line(name)[:LONGEST] for name in names[:SHOWN]]
    more = f" and {count - len(some)} more" if count > len(some) else ""
    files = f"{count} file{'' if count == 1 else 's'}"
    how = "commit and push them" if on_forge else "commit them"
    return f"not looked at: uncommitted changes in {files}: {', '.join(some)}{more}; {how}, then run it again"
