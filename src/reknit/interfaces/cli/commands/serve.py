"""Commands that serve until they are stopped: `reknit serve` for webhooks, `worker` for runs, `mcp` for reports."""

import contextlib
import os
import sys
from pathlib import Path

import click

from reknit.core.agent_reports.document import format_sentence
from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import Role
from reknit.core.errors import ToolMissingError, UsageError
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.mcp import check_report_file, serve_reports, write_report


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="the address to listen on")
@click.option("--port", type=click.IntRange(0, 65535), default=8412, show_default=True, help="0: any free port")
@click.option("--dashboard", is_flag=True, help="also show pages about runs, to you on this machine")
@click.option("--metrics", is_flag=True, help="also answer Prometheus at /metrics: sums over all runs, no names")
def serve(host: str, port: int, *, dashboard: bool, metrics: bool) -> int:
    """Receive GitHub's webhooks at /webhooks/github, wake the runs they concern, and record merged issues.

    The secret of the webhook must be in REKNIT_WEBHOOK_SECRET; with `--dashboard` or `--metrics` it may be missing. The
    server is optional: runs poll every 30 s, and `reknit issues sync` records what was merged.
    """
    secret = os.environ.get("REKNIT_WEBHOOK_SECRET", "")
    if not secret and not dashboard and not metrics:
        message = "REKNIT_WEBHOOK_SECRET is not set, so no webhook could be verified"
        raise UsageError("webhook-secret", message, help="set it to the secret of the webhook")
    try:
        from reknit.interfaces.web.start import start_server
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        message = f"the server needs `{package}`, which is not installed"
        raise ToolMissingError("serve-packages", message, help="pip install 'reknit[serve]'") from None
    from reknit.app.installation import find_installation

    def say(line: str) -> None:
        echo(line, err=True)

    with contextlib.suppress(KeyboardInterrupt):
        start_server(find_installation(os.environ), host, port, secret, say, dashboard=dashboard, metrics=metrics)
    return 0


@click.command()
@click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True, help="runs at once in this worker")
@click.option("--until-idle", is_flag=True, help="exit when nothing is queued or running")
@click.option("--adopt", is_flag=True, hidden=True, help="only recover the runs of one dead worker, then exit")
@click.option(
    "--lease", type=click.FloatRange(1), help="Postgres: seconds until a silent worker counts as dead  [default: 60]"
)
def worker(concurrency: int, lease: float | None, *, until_idle: bool, adopt: bool) -> int:
    """Take queued runs until SIGTERM, and continue those of workers that died."""
    from reknit.app.engine.worker import adopt_slot, serve_runs
    from reknit.app.installation import find_installation

    installation = find_installation(os.environ)
    lease_s = installation.lease_s if lease is None else lease
    if adopt:
        return adopt_slot(installation, lease_s)
    return serve_runs(installation, concurrency, lease_s, until_idle=until_idle, say=lambda line: echo(line, err=True))


@click.command()
@click.option(
    "--role",
    type=click.Choice(("fix", "review")),
    default="review",
    show_default=True,
    help="what the agent reports on",
)
@click.option("--out", type=click.Path(path_type=Path), help="write the report to this file, as JSON, after every call")
def mcp(role: Role, out: Path | None) -> int:
    """Serve the report tools to your own agent: an MCP server on stdin and stdout, started by the agent.

    For example: claude mcp add reknit -- reknit mcp --role review --out review.json
    """
    if out:
        check_report_file(out)
    if sys.stdin.isatty():
        echo("waiting for an MCP client on stdin; usually an agent starts this command", err=True)
    session = serve_reports(
        ReportSession(role),
        sys.stdin.buffer,
        sys.stdout.buffer,
        lambda state: write_report(out, state) if out else None,
    )
    echo(format_sentence(session), err=True)
    return 0
