"""Says what is about to run and what it may cost, then runs it here or leaves it to a worker."""

import json

from reknit.app.installation import Installation
from reknit.app.start import readiness
from reknit.app.start.queue import queue_run, start_worker
from reknit.app.start.run_plan import RunPlan
from reknit.core.capabilities import capability_of
from reknit.core.runs.spec import RunSpec
from reknit.interfaces.cli.output.echo import echo


def start_run(place: Installation, plan: RunPlan, form: str, *, queue: bool = False, detach: bool = False) -> int:
    spec = plan.spec
    readiness.check_agents(place, spec)
    for line in capability_of(spec.kind).heading(spec):
        echo(line, err=True)
    for note in plan.notes:
        echo(f"  note  {note}", err=True)
    if detach:
        return detached(place, spec, form)
    return queued(place, spec, form) if queue else _run_here(place, spec, form)


def _run_here(place: Installation, spec: RunSpec, form: str) -> int:
    from reknit.app.runs import foreground  # late: the engine takes longer to load than to say what will run
    from reknit.interfaces.cli.launch.run import run_and_report

    readiness.check_box(spec)
    return run_and_report(
        place, form, lambda output: foreground.start(place, spec, output.tell, output.tick), spec.run_id, spec.kind
    )


def queued(place: Installation, spec: RunSpec, form: str) -> int:
    """The box is tested by the worker, whose machine it is."""
    queue_run(place, spec)
    run_id = spec.run_id
    if form == "json":
        echo(json.dumps({"schema": 1, "event": "queued", "run": run_id}))
    else:
        echo(f"{run_id} is queued: `reknit worker` takes it, `reknit watch {run_id}` follows it")
    return 0


def detached(place: Installation, spec: RunSpec, form: str) -> int:
    """Its worker has no terminal and is on this machine, so the box is tested while somebody reads."""
    readiness.check_box(spec)
    queue_run(place, spec)
    start_worker(place)
    run_id = spec.run_id
    if form == "json":
        echo(json.dumps({"schema": 1, "event": "detached", "run": run_id}))
    else:
        echo(f"{run_id} runs in the background: `reknit watch {run_id}` follows it")
    return 0
