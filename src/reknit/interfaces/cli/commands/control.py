"""`reknit watch`, `resume`, `cancel` and `undo`: what a person does with a run that exists."""

import os

import click

from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.run import run_argument
from reknit.interfaces.cli.output.echo import echo

RUN = click.argument("run")


@click.command()
@run_argument(("queued", "running", "waiting"))
@FORMAT
def watch(run: str, form: str) -> int:
    """Follow a run until it ends, by default the last one here that is under way.

    Ctrl-C stops watching; the run continues.
    """
    from reknit.app.engine.exit_signals import leaving_on_signals
    from reknit.app.installation import installation
    from reknit.app.runs.follow import RunListener, follow
    from reknit.app.runs.liveness import mark_orphaned
    from reknit.core.errors import UsageProblem
    from reknit.core.run_text import headline
    from reknit.interfaces.cli.launch.run import run_and_report
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    place = installation(os.environ)
    reader = RunReader(open_store(place.database))
    (view,) = mark_orphaned(place, reader, [reader.run(run)])
    run_id = view.id
    if view.state in ("interrupted", "left"):
        raise UsageProblem(
            "not-running", f"{run_id} is not running: {headline(view)}", help=f"`reknit resume {run_id}`"
        )
    try:
        with leaving_on_signals() as pause:
            return run_and_report(
                place,
                form,
                lambda output: follow(reader, run_id, RunListener(output.tell, output.tick), place=place, pause=pause),
                run_id,
                view.kind,
                leave="the run continues",
            )
    except KeyboardInterrupt:
        echo(f"\n{run_id} continues: `reknit watch {run_id}` follows it again", err=True)
        return INTERRUPTED_EXIT_CODE


@click.command()
@run_argument(("queued", "running", "waiting"))
def park(run: str) -> int:
    """Stop the work on a run, by default the last one here that is under way; `resume` continues at the same step."""
    from reknit.app.installation import installation
    from reknit.app.runs.park import park_run
    from reknit.core.errors import UsageProblem

    view = park_run(installation(os.environ), run)
    if view.ending:
        raise UsageProblem("ended", f"{view.id} has already ended {view.ending}")
    echo(f"{view.id}  is parked: `reknit resume {view.id}` continues it")
    return 0


@click.command()
@run_argument(("interrupted", "left"))
@FORMAT
def resume(run: str, form: str) -> int:
    """Continue a run at the step it was in, after Ctrl-C or a crash; by default the last one here that stopped."""
    from reknit.app.installation import installation
    from reknit.app.runs import resume as resuming
    from reknit.interfaces.cli.launch.run import run_and_report

    place = installation(os.environ)
    found = resuming.find(place, run)
    return run_and_report(
        place,
        form,
        lambda output: resuming.resume(place, found, output.tell, output.tick),
        found.id,
        found.kind,
    )


@click.command()
@click.argument("run", required=False, metavar="[RUN]")
def apply(run: str | None) -> int:
    """Bring the fix of RUN, or of the last run that landed one here, into your working tree as a patch.

    Files with other changes in the same lines are not overwritten: then nothing is applied. Nothing is committed.
    """
    from pathlib import Path

    from reknit.app.installation import installation
    from reknit.app.runs.apply import apply_run

    applied = apply_run(installation(os.environ), Path.cwd(), run)
    echo(f"{applied.run}  changed {', '.join(applied.files)}; `git diff` shows it")
    return 0


@click.command()
@RUN
def cancel(run: str) -> int:
    """End a run permanently. The changes of its finished attempts are kept: `reknit show RUN --attempt N`."""
    from reknit.app.installation import installation
    from reknit.app.runs.stop import cancel_run

    view = cancel_run(installation(os.environ), run)
    echo(f"{view.id}  {view.ending}  {view.reason}")
    return 0


@click.command()
@RUN
def undo(run: str) -> int:
    """Remove the branch a run landed on. Nothing else in your repository changes.

    Issues that it resolved become OPEN again, unless another branch contains its commit.

    What `fix pr` pushed is not reverted: others may have built on it. The `git revert` command for it is printed.
    """
    from reknit.app.installation import installation
    from reknit.app.runs.stop import undo_run
    from reknit.core.capabilities import capability_of
    from reknit.core.text.format import one_line

    done = undo_run(installation(os.environ), run)
    view, capability = done.run, capability_of(done.run.kind)
    none = {
        "branch": f"has no branch reknit/{view.id}", "pull request": "pushed nothing", "nothing": "changed nothing",
    }[capability.lands]  # fmt: skip
    nothing = "was already undone" if view.undone_at else none
    what = f"removed reknit/{view.id}" if done.removed else nothing
    kept = f"; its commit is in {one_line(done.kept_in)}{capability.if_kept}" if done.kept_in else ""
    echo(f"{view.id}  {what}{kept}")
    return 0
