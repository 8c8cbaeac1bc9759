"""Puts the parts of `reknit serve` together, and serves until it is stopped."""

import ipaddress
import socket

from starlette.routing import BaseRoute

from reknit.app.dashboard import Dashboard
from reknit.app.installation import Installation
from reknit.app.webhook_receiver import WebhookReceiver
from reknit.core.errors import UsageError
from reknit.interfaces.web.access import LocalAccess
from reknit.interfaces.web.limits import RequestLimits, Say
from reknit.interfaces.web.pages import make_pages
from reknit.interfaces.web.server import WebServer, bind
from reknit.interfaces.web.webhooks import PATH, make_webhook_routes


def start_server(installation: Installation, host: str, port: int, secret: str, say: Say, *, dashboard: bool) -> None:
    """Serve webhooks if there is a secret, and pages if they are asked for."""
    if dashboard and not _is_loopback(host):
        message = f"{host} is not an address of this machine only, and the dashboard has no login there"
        raise UsageError("address", message, help="leave out --host")
    listener = _bind(host, port)
    port = listener.getsockname()[1]
    routes: list[BaseRoute] = []
    lines: list[str] = []
    if secret:
        routes += make_webhook_routes(WebhookReceiver(installation, secret, say), say)
        lines.append(f"listening for webhooks at http://{host}:{port}{PATH}; ctrl-c stops it")
    if dashboard:
        access = LocalAccess(port)
        routes += make_pages(Dashboard(installation), access)
        lines.append(f"the dashboard is at http://{host}:{port}/enter?token={access.token} (works once)")
    server = WebServer(listener, routes, say, RequestLimits())
    for line in lines:
        say(line)
    server.serve_until_stopped()


def _bind(host: str, port: int) -> socket.socket:
    try:
        return bind(host, port)
    except OSError as problem:
        message = f"cannot listen on {host}:{port}: {problem.strerror}"
        raise UsageError("address", message, help="name another with --host and --port") from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
