"""`reknit watch`, `stop`, `resume`, `apply` and `undo`: act on a run that exists."""

import os

import click

from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE
from reknit.interfaces.cli.options.settings import FORMAT, run_argument
from reknit.interfaces.cli.output.echo import echo


@click.command()
@run_argument(("queued", "running", "waiting"))
@FORMAT
def watch(run: str, form: str) -> int:
    """Follow a run until it ends, by default the last one here that is under way.

    Ctrl-C stops watching; the run continues.
    """
    from reknit.app.engine.exit_signals import catch_exit_signals
    from reknit.app.installation import find_installation
    from reknit.app.runs.follow import RunListener, follow
    from reknit.app.runs.liveness import mark_orphaned
    from reknit.core.errors import UsageError
    from reknit.core.run_text import render_headline
    from reknit.interfaces.cli.launch.run import run_and_report
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    installation = find_installation(os.environ)
    reader = RunReader(open_store(installation.database))
    (view,) = mark_orphaned(installation, reader, [reader.run(run)])
    run_id = view.id
    if view.state in ("interrupted", "left"):
        raise UsageError(
            "not-running", f"{run_id} is not running: {render_headline(view)}", help=f"`reknit resume {run_id}`"
        )
    try:
        with catch_exit_signals() as pause:
            return run_and_report(
                installation,
                form,
                lambda output: follow(
                    reader, run_id, RunListener(output.tell, output.tick), installation=installation, pause=pause
                ),
                run_id,
                view.kind,
                leave="the run continues",
            )
    except KeyboardInterrupt:
        echo(f"\n{run_id} continues: `reknit watch {run_id}` follows it again", err=True)
        return INTERRUPTED_EXIT_CODE


@click.command()
@click.argument("run", required=False)
@click.option("--for-good", is_flag=True, help="end RUN: nobody can resume it; its finished attempts are kept")
def stop(run: str | None, *, for_good: bool) -> int:
    """Stop the work on RUN, by default the last one here that is under way; `resume` continues at the same step."""
    from pathlib import Path

    from reknit.app.installation import find_installation
    from reknit.app.runs.liveness import find_last_run
    from reknit.app.runs.stop import cancel_run, park_run
    from reknit.core.errors import UsageError

    installation = find_installation(os.environ)
    if for_good:
        if run is None:
            raise click.UsageError("--for-good needs the name of the RUN")
        view = cancel_run(installation, run)
        echo(f"{view.id}  {view.ending}  {view.reason}")
        return 0
    view = park_run(installation, run or find_last_run(installation, Path.cwd(), ("queued", "running", "waiting")))
    if view.ending:
        raise UsageError("ended", f"{view.id} has already ended {view.ending}")
    echo(f"{view.id}  is stopped: `reknit resume {view.id}` continues it")
    return 0


@click.command()
@run_argument(("interrupted", "left"))
@click.option("--detach", is_flag=True, help="continue in the background and return at once")
@FORMAT
def resume(run: str, form: str, *, detach: bool) -> int:
    """Continue a run at the step it was in, after Ctrl-C or a crash; by default the last one here that stopped."""
    from reknit.app.installation import find_installation
    from reknit.app.runs import foreground
    from reknit.interfaces.cli.launch.run import run_and_report

    installation = find_installation(os.environ)
    stopped_run = foreground.find_open_run(installation, run)
    if detach:
        from reknit.app.runs.stop import queue_again
        from reknit.interfaces.cli.launch.start import start_background_worker

        queue_again(installation, stopped_run.id)
        return start_background_worker(installation, stopped_run.id, form)
    return run_and_report(
        installation,
        form,
        lambda output: foreground.resume(installation, stopped_run, output.tell, output.tick),
        stopped_run.id,
        stopped_run.kind,
    )


@click.command()
@click.argument("run", required=False, metavar="[RUN]")
def apply(run: str | None) -> int:
    """Bring the fix of RUN, or of the last run that landed one here, into your working tree as a patch.

    Files with other changes in the same lines are not overwritten: then nothing is applied. Nothing is committed.
    """
    from pathlib import Path

    from reknit.app.installation import find_installation
    from reknit.app.runs.apply import apply_run

    applied = apply_run(find_installation(os.environ), Path.cwd(), run)
    echo(f"{applied.run}  changed {', '.join(applied.files)}; `git diff` shows it")
    return 0


@click.command()
@click.argument("run", required=False, metavar="[RUN]")
def undo(run: str | None) -> int:
    """Remove the branch of RUN, or of the last run that landed a fix here. Nothing else in your repository changes.

    Issues that it resolved become OPEN again, unless another branch contains its commit.

    What `fix pr` pushed is not reverted: others may have built on it. The `git revert` command for it is printed.
    """
    from reknit.app.installation import find_installation
    from reknit.app.runs.stop import undo_run
    from reknit.core.capabilities import find_capability
    from reknit.core.text.format import to_one_line

    undo_result = undo_run(find_installation(os.environ), run)
    view, capability = undo_result.run, find_capability(undo_result.run.kind)
    none = {
        "branch": f"has no branch reknit/{view.id}", "pull request": "pushed nothing", "nothing": "changed nothing",
    }[capability.lands]  # fmt: skip
    nothing = "was already undone" if view.undone_at else none
    change = f"removed reknit/{view.id}" if undo_result.removed else nothing
    remainder = (
        f"; its commit is in {to_one_line(undo_result.kept_in)}{capability.if_kept}" if undo_result.kept_in else ""
    )
    echo(f"{view.id}  {change}{remainder}")
    return 0
