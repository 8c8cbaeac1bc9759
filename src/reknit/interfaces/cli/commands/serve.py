"""`reknit serve`: receives webhooks, so that runs waiting for CI continue and merged issues are recorded."""

import os

import click

from reknit.interfaces.cli.output.echo import echo


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="the address to listen on")
@click.option("--port", type=click.IntRange(0, 65535), default=8412, show_default=True, help="0: any free port")
def serve(host: str, port: int) -> int:
    """Receive GitHub's webhooks at /webhooks/github, wake the runs they concern, and record merged issues.

    The secret of the webhook must be in REKNIT_WEBHOOK_SECRET. The server is optional: runs poll every 30 s, and
    `reknit issues sync` records what was merged.
    """
    from reknit.app.installation import installation
    from reknit.app.webhook_receiver import WebhookReceiver
    from reknit.core.errors import UsageProblem
    from reknit.interfaces.web.webhooks import PATH, server

    secret = os.environ.get("REKNIT_WEBHOOK_SECRET", "")
    if not secret:
        what = "REKNIT_WEBHOOK_SECRET is not set, so no webhook could be verified"
        raise UsageProblem("webhook-secret", what, help="set it to the secret of the webhook")

    def say(line: str) -> None:
        echo(line, err=True)

    receiver = WebhookReceiver(installation(os.environ), secret, say)
    try:
        listening = server(host, port, receiver, say)
    except OSError as problem:
        what = f"cannot listen on {host}:{port}: {problem.strerror}"
        raise UsageProblem("address", what, help="name another with --host and --port") from None
    try:
        say(f"listening for webhooks at http://{host}:{listening.server_port}{PATH}; ctrl-c stops it")
        listening.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        listening.server_close()
    return 0
