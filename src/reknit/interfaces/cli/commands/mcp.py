"""`reknit mcp`: the report tools for the user's own agent, on stdin and stdout."""

import sys
from pathlib import Path

import click

from reknit.core.agent_reports.document import sentence
from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import Role
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.mcp import report_file
from reknit.interfaces.mcp.stdio import serve


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
        report_file.check(out)
    if sys.stdin.isatty():
        echo("waiting for an MCP client on stdin; usually an agent starts this command", err=True)
    session = serve(
        ReportSession(role),
        sys.stdin.buffer,
        sys.stdout.buffer,
        lambda now: report_file.write(out, now) if out else None,
    )
    echo(sentence(session), err=True)
    return 0
