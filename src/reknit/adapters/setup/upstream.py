"""Sends requests to the user's registries like the user's own clients: with their proxy and certificates."""

import contextlib
import os
import ssl
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection

from reknit.adapters.setup.user_files import read_registry
from reknit.core.setup.registries import Origin, Registry

ANSWER_S = 60.0
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE")


class Upstreams:
    """Connects to registries, through the user's own proxy if there is one."""

    def __init__(self, environment: Mapping[str, str], certificates: Sequence[str] = ()) -> None:
        """`certificates`: files of further authorities that the user's clients trust."""
        self._environment = environment
        self._context = ssl.create_default_context()
        files = (environment.get(name, "") for name in _CERTIFICATES)
        for path in filter(os.path.isfile, (*certificates, *files)):
            with contextlib.suppress(ssl.SSLError):  # the client itself reports what is wrong with it
                self._context.load_verify_locations(path)

    @contextlib.contextmanager
    def answer(self, method: str, origin: Origin, path: str, headers: Mapping[str, str]) -> Iterator[HTTPResponse]:
        """Send a request. Redirects are not followed: the box gets them, and may only go to a registry."""
        proxy = self._find_proxy(origin)
        own = {**headers, "Host": str(origin), "Accept-Encoding": "identity"}
        with contextlib.closing(self._open_connection(origin, proxy)) as connection:
            if proxy and origin.scheme == "http":
                path, own = f"{origin.url}{path}", own | _proxy_login(proxy)
            connection.request(method, path, headers=own)
            with connection.getresponse() as answer:
                yield answer

    def proxy_login(self, origin: Origin) -> str:
        proxy = self._find_proxy(origin)
        return proxy.login if proxy else ""

    def _open_connection(self, origin: Origin, proxy: Registry | None) -> HTTPConnection:
        first = proxy.origin if proxy else origin
        if origin.scheme == "http":
            return HTTPConnection(first.host, first.port, timeout=ANSWER_S)
        connection = HTTPSConnection(first.host, first.port, timeout=ANSWER_S, context=self._context)
        if proxy:
            connection.set_tunnel(origin.host, origin.port, headers=_proxy_login(proxy))
        return connection

    def _find_proxy(self, origin: Origin) -> Registry | None:
        name, env = f"{origin.scheme}_proxy", self._environment
        excluded = env.get("no_proxy") or env.get("NO_PROXY") or ""
        if any(_is_excluded(origin, word.strip()) for word in excluded.split(",")):
            return None
        return read_registry(env.get(name) or env.get(name.upper()) or "")


def _is_excluded(origin: Origin, word: str) -> bool:
    """Return True if NO_PROXY lists the host: by name, by a domain above it, or by `*`."""
    name = word.removeprefix("*").removeprefix(".").lower()
    host = f"{origin.host}:{origin.port}" if ":" in name else origin.host
    return word == "*" or (bool(name) and f".{host}".endswith(f".{name}"))


def _proxy_login(proxy: Registry) -> dict[str, str]:
    return {"Proxy-Authorization": proxy.login} if proxy.login else {}
