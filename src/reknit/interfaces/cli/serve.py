"""`reknit serve`: takes webhooks, so that a run that waits for CI goes on when CI is done."""

import os
import threading
from collections.abc import Mapping

import click


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="the address to listen on")
@click.option("--port", type=click.IntRange(0, 65535), default=8412, show_default=True, help="0: any that is free")
def serve(host: str, port: int) -> int:
    """Take GitHub's webhooks at /webhooks/github and wake the runs they concern.

    The secret you gave the webhook must be in REKNIT_WEBHOOK_SECRET. Runs do without it: they look every 30 s.
    """
    from reknit.app.hints import take_delivery
    from reknit.app.installation import installation
    from reknit.core.errors import UsageProblem
    from reknit.interfaces.web.webhooks import PATH, server

    secret = os.environ.get("REKNIT_WEBHOOK_SECRET", "")
    if not secret:
        what = "REKNIT_WEBHOOK_SECRET is not set, so no webhook could be believed"
        raise UsageProblem("webhook-secret", what, help="set it to the secret of the webhook")
    place = installation(os.environ)
    one_at_a_time = threading.Lock()

    def take(headers: Mapping[str, str], body: bytes) -> tuple[str, ...] | None:
        with one_at_a_time:
            return take_delivery(place, headers, body, secret)

    try:
        listening = server(host, port, take, lambda line: click.echo(line, err=True))
    except OSError as problem:
        what = f"cannot listen on {host}:{port}: {problem.strerror}"
        raise UsageProblem("address", what, help="name another with --host and --port") from None
    try:
        click.echo(f"takes webhooks at http://{host}:{listening.server_port}{PATH}; ctrl-c ends it", err=True)
        listening.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        listening.server_close()
    return 0
