"""Uncommitted changes beside the commit that a run looks at: no run looks at them, so it says so and names them."""

from collections.abc import Sequence

from reknit.core.run import RunSpec
from reknit.core.run_view import RunView
from reknit.core.wording import one_line

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


def beside(spec: RunSpec) -> str:
    return not_looked_at(spec.uncommitted, spec.uncommitted_count)


def beside_clean(run: RunView) -> str:
    """Of a run that ended CLEAN; empty: there were none, or the run ended otherwise."""
    names, count = run.spec.get("uncommitted"), run.spec.get("uncommitted_count")
    if run.ending != "CLEAN" or not isinstance(names, list | tuple) or not isinstance(count, int):
        return ""
    return not_looked_at([str(name) for name in names], count, on_forge=run.kind == "fix pr")
