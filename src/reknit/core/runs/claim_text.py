"""The message for a run that asks for what another run has claimed."""

from reknit.core.errors import UsageProblem
from reknit.core.runs.view import RunView, pull_of


def taken(run: RunView) -> UsageProblem:
    """Of the run that has the pull request or the issues; the help is for the state it is in."""
    on = {
        "queued": f"`reknit worker` takes it, `reknit watch {run.id}` follows it",
        "interrupted": f"`reknit resume {run.id}` carries it on",
        "left": f"`reknit resume {run.id}` carries it on",
    }.get(run.state, f"`reknit watch {run.id}` follows it")
    on_what = f"#{pull_of(run)['number']}" if run.kind in ("fix pr", "vote") else "the issues of this repository"
    what = f"{run.id} is open on {on_what} ({run.state})"
    return UsageProblem("taken", what, help=f"{on}, `reknit cancel {run.id}` ends it")
