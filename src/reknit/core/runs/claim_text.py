"""Describes the error for a run that needs what another run has claimed."""

from reknit.core.errors import UsageError
from reknit.core.runs.view import RunView, get_pull, has_pull


class TakenByRunError(UsageError):
    """The run `run` has the pull request or the issues; the help depends on its state."""

    def __init__(self, run: RunView) -> None:
        self.run = run
        on = {
            "queued": f"`reknit worker` takes it, `reknit watch {run.id}` follows it",
            "interrupted": f"`reknit resume {run.id}` continues it",
            "left": f"`reknit resume {run.id}` continues it",
        }.get(run.state, f"`reknit watch {run.id}` follows it")
        on_what = f"#{get_pull(run)['number']}" if has_pull(run) else "the issues of this repository"
        what = f"{run.id} is open on {on_what} ({run.state})"
        super().__init__("taken", what, help=f"{on}, `reknit cancel {run.id}` ends it")
