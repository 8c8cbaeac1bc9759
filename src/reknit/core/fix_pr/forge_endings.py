"""How a run on a pull request ends if the forge does not let it continue."""

from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits


def blocked_ending(snapshot: PullSnapshot, commits: tuple[str, ...] = ()) -> Ending | None:
    """The ending if the pull request cannot even be checked; None otherwise. `commits`: what the run has pushed."""
    if snapshot.barred is None or snapshot.barred.read_only:
        return None
    return Ending("BLOCKED", snapshot.barred.sentence, snapshot.barred.cause, commits)


def failure_ending(failure: ForgeFailure, waits: int, limits: Limits, commits: tuple[str, ...] = ()) -> Ending | None:
    """The ending if a failure of the forge ends the run; None: wait and retry. `waits`: how often in a row it did."""
    if failure.kind == "login":
        return Ending("BLOCKED", f"the forge rejected the login: {failure.detail}", LOGIN, commits)
    if failure.kind in ("forbidden", "missing"):
        return Ending("BLOCKED", f"the forge refused: {failure.detail}", failure.kind, commits)
    if waits >= limits.waits:
        return Ending(
            "UNVERIFIED", f"the forge did not answer {waits} times in a row: {failure.detail}", "forge", commits
        )
    return None
