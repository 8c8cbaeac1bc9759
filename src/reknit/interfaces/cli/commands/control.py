"""`reknit watch`, `resume`, `cancel` and `undo`: what a person does with a run that exists."""

import os

import click

from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.output.echo import echo

RUN = click.argument("run")


@click.command()
@RUN
@FORMAT
def watch(run: str, form: str) -> int:
    """Follow a run until it ends. Ctrl-C stops watching; the run continues."""
    from reknit.app.engine.exit_signals import leaving_on_signals
    from reknit.app.installation import installation
    from reknit.app.runs.follow import follow
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
                lambda voice: follow(reader, run_id, voice.tell, voice.tick, place=place, pause=pause),
                pull_run=run_id if view.kind == "fix pr" else "",
                leave="the run continues",
            )
    except KeyboardInterrupt:
        echo(f"\n{run_id} continues: `reknit watch {run_id}` follows it again", err=True)
        return INTERRUPTED_EXIT_CODE


@click.command()
@RUN
@FORMAT
def resume(run: str, form: str) -> int:
    """Continue a run at the step it was in, after Ctrl-C or a crash."""
    from reknit.app.installation import installation
    from reknit.app.runs import resume as resuming
    from reknit.interfaces.cli.launch.run import run_and_report

    place = installation(os.environ)
    found = resuming.find(place, run)
    return run_and_report(
        place,
        form,
        lambda voice: resuming.resume(place, found, voice.tell, voice.tick),
        pull_run=found.id if found.kind == "fix pr" else "",
    )


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
    from reknit.core.text.format import one_line

    done = undo_run(installation(os.environ), run)
    view = done.run
    kinds = {"fix pr": "pushed nothing", "vote": "changed nothing"}
    none = kinds.get(view.kind, f"has no branch reknit/{view.id}")
    nothing = "was already undone" if view.undone_at else none
    what = f"removed reknit/{view.id}" if done.removed else nothing
    stays = ", so its issues stay RESOLVED" if view.kind == "fix issues" else ""
    echo(f"{view.id}  {what}" + (f"; its commit is in {one_line(done.kept_in)}{stays}" if done.kept_in else ""))
    return 0
