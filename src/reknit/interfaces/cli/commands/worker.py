"""`reknit worker`: takes queued runs and continues those of dead workers."""

import os

import click

from reknit.interfaces.cli.output.echo import echo


@click.command()
@click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True, help="runs at once in this worker")
@click.option("--until-idle", is_flag=True, help="exit when nothing is queued or running")
@click.option("--adopt", is_flag=True, hidden=True, help="only recover the runs of one dead worker, then exit")
@click.option("--lease", type=click.FloatRange(1), help="Postgres: seconds until a silent one is dead  [default: 60]")
def worker(concurrency: int, lease: float | None, *, until_idle: bool, adopt: bool) -> int:
    """Take queued runs until SIGTERM, and continue those of workers that died."""
    from reknit.app.engine.worker import adopt_one, work
    from reknit.app.installation import installation

    place = installation(os.environ)
    lease_s = place.lease_s if lease is None else lease
    if adopt:
        return adopt_one(place, lease_s)
    return work(place, concurrency, lease_s, until_idle=until_idle, say=lambda line: echo(line, err=True))
