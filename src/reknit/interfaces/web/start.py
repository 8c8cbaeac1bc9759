"""Puts the parts of `reknit serve` together, and serves until it is stopped."""

import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route

from reknit.adapters.github.login import GitHubLogin
from reknit.app.config.load import load
from reknit.app.dashboard import Dashboard, find_repository_key
from reknit.app.installation import Installation
from reknit.app.telemetry import read_metrics
from reknit.app.webhook_receiver import WebhookReceiver
from reknit.core.errors import UsageError
from reknit.interfaces.web.access import LocalAccess
from reknit.interfaces.web.forge_access import ForgeAccess
from reknit.interfaces.web.limits import RequestLimits, Say
from reknit.interfaces.web.pages import make_pages
from reknit.interfaces.web.server import WebServer, bind
from reknit.interfaces.web.webhooks import PATH, make_webhook_routes
from reknit.store.database import open_store

_VARIABLE = "REKNIT_SERVE_CLIENT_SECRET"
METRICS_TYPE = "text/plain; version=0.0.4"
"""The text format of Prometheus."""


def start_server(
    installation: Installation, host: str, port: int, secret: str, say: Say, *, dashboard: bool, metrics: bool = False
) -> None:
    """Serve webhooks if there is a secret, and pages and metrics if they are asked for."""
    access = _make_forge_access(installation.environment) if dashboard else None
    if dashboard and access is None and not _is_loopback(host):
        message = f"{host} is not an address of this machine only, and the dashboard has no login there"
        raise UsageError("address", message, help="leave out --host, or set `serve.public_url`")
    listener = _bind(host, port)
    port = listener.getsockname()[1]
    routes: list[BaseRoute] = []
    lines: list[str] = []
    if secret:
        routes += make_webhook_routes(WebhookReceiver(installation, secret, say), say)
        lines.append(f"listening for webhooks at http://{host}:{port}{PATH}; ctrl-c stops it")
    if access:
        routes += make_pages(Dashboard(installation), access)
        lines.append(f"the dashboard of {min(access.origins)} is at http://{host}:{port}; ctrl-c stops it")
    elif dashboard:
        local = LocalAccess(port)
        routes += make_pages(Dashboard(installation), local)
        lines.append(f"the dashboard is at http://{host}:{port}/enter?token={local.token} (works once)")
    if metrics:
        routes.append(_make_metrics_route(installation))
        lines.append(f"metrics for Prometheus are at http://{host}:{port}/metrics, for everybody who reaches it")
    server = WebServer(listener, routes, say, RequestLimits())
    server.serve_until_stopped(lines)


def _make_metrics_route(installation: Installation) -> Route:
    engine = open_store(installation.database)

    async def answer(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(await to_thread.run_sync(read_metrics, engine), media_type=METRICS_TYPE)

    return Route("/metrics", answer, methods=["GET"])


def _make_forge_access(environment: Mapping[str, str]) -> ForgeAccess | None:
    """Return the login with the forge, if the operator set the address of the server."""
    config = load(None, {}, environment)
    if not config.serve.public_url:
        return None
    address, secret = urlsplit(config.serve.public_url), environment.get(_VARIABLE, "")
    if address.scheme != "https" and not _is_loopback(address.hostname or ""):
        raise UsageError("config", "`serve.public_url` is no https address", help="put a proxy with TLS before it")
    if not (config.serve.client_id and secret):
        message = f"people log in with the forge, which needs `serve.client_id` and {_VARIABLE}"
        raise UsageError("config", message, help="register a GitHub App or an OAuth app")
    login = GitHubLogin(config.forge.api or "https://api.github.com", config.serve.client_id, secret)
    return ForgeAccess(config.serve.public_url, login, find_repository_key)


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
