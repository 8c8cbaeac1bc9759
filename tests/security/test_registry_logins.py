"""A hostile set-up and the logins of package registries: for every setting of the user's clients that may have one.

The control in each test: the registry gets the login where the setting says so, and its raw answer repeats it.
"""

import base64
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from reknit.adapters.setup.client_settings import make_box_settings
from reknit.adapters.setup.proxy import SetupAuthority, SetupProxy
from reknit.adapters.setup.upstream import Upstreams

pytestmark = pytest.mark.security

PASSWORD = "pw-Canary-0123/45"
AT = f"http://me:{quote(PASSWORD, safe='')}@{{host}}"
NPM_AUTH = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
NPM_PASSWORD = base64.b64encode(PASSWORD.encode()).decode()
HERE = "//{host}/"
# id -> (set-up, variables, .npmrc, .netrc, a path that the login is for, a neighbour that it is not for)
SETTINGS = {
    "pip": ("pip install x", {"PIP_INDEX_URL": f"{AT}/own/simple"}, "", "", "/own/files/x", "/other/x"),
    "pip, at the top": ("pip install x", {"PIP_INDEX_URL": f"{AT}/simple"}, "", "", "/simple/x/", "/api/v4/user"),
    "pip, another index": ("pip install x", {"PIP_EXTRA_INDEX_URL": f"{AT}/own/+simple/"}, "", "", "/own/+f/x", "/x"),
    "pip, links": ("pip install x", {"PIP_FIND_LINKS": f"{AT}/own/wheels/"}, "", "", "/own/wheels/x", "/own/x"),
    "pip, a page of links": ("pip install x", {"PIP_FIND_LINKS": f"{AT}/own/a.html"}, "", "", "/own/x", "/x"),
    "pip, a page at the top": ("pip install x", {"PIP_FIND_LINKS": f"{AT}/a.html"}, "", "", "/a.html", "/x"),
    "netrc": ("pip install x", {"PIP_INDEX_URL": "http://{host}/own/simple"}, "", "netrc", "/own/x", "/other/x"),
    "uv": ("uv sync", {"UV_DEFAULT_INDEX": f"{AT}/own/simple"}, "", "", "/own/x", "/other/x"),
    "poetry": ("poetry install", {"UV_INDEX_URL": f"{AT}/own/simple"}, "", "", "/own/x", "/other/x"),
    "go": ("go mod download", {"GOPROXY": f"{AT}/own,direct"}, "", "", "/own/x", "/other/x"),
    "npm, address": ("npm ci", {}, f"registry={AT}/own/", "", "/own/x", "/other/x"),
    "npm, token": ("npm ci", {}, f"registry=http:{HERE}own/\n{HERE}:_authToken={PASSWORD}", "", "/own/x", "/x"),
    "npm, auth": ("npm ci", {}, f"@a:registry=http:{HERE}own/\n{HERE}own/:_auth={NPM_AUTH}", "", "/own/x", "/x"),
    "npm, password": (
        "npm ci", {}, f"registry=http:{HERE}own\n{HERE}:username=me\n{HERE}:_password={NPM_PASSWORD}", "",
        "/own/x", "/x",
    ),
    "yarn": ("yarn install", {"npm_config_registry": f"{AT}/own/"}, "", "", "/own/x", "/other/x"),
}  # fmt: skip
WAYS_UP = (
    "..", "%2e%2e", ".%2e", "%252e%252e", "..;a", "..%5c", ".%09.", ".%00.", "%EF%BC%8E%EF%BC%8E", "..%c0%af",
    "..%u2215", "...", "..%20",
)  # fmt: skip


@dataclass
class Echo:
    """A registry that repeats the login it gets, in its headers and its page."""

    host: str = ""
    logins: list[str] = field(default_factory=list)


@contextmanager
def echoing() -> Iterator[Echo]:
    echo = Echo()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            login = self.headers.get("Authorization", "")
            echo.logins.append(login)
            body = "\n".join(spellings(login)).encode()
            self.send_response(200)
            for name in ("Location", "ETag", "Cache-Control", "X-Other"):
                self.send_header(name, " ".join(spellings(login)))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    echo.host = f"127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield echo
    finally:
        server.shutdown()
        server.server_close()


def spellings(login: str) -> list[str]:
    if not login:
        return []
    word = login.split()[1]
    texts = [login, word, PASSWORD, f"me:{PASSWORD}", base64.b64encode(f"me:{PASSWORD}".encode()).decode()]
    texts += [base64.b64encode(f"{'a' * length}{PASSWORD}".encode()).decode() for length in range(3)]
    escaped = [quote(text, safe="") for text in texts] + [json.dumps(text)[1:-1].replace("/", "\\/") for text in texts]
    both = texts + escaped
    return [*both, *(text.upper() for text in both), *(text.lower() for text in both), PASSWORD.encode().hex()]


def ask(port: int, url: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as box:
        box.sendall(f"GET {url} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        return box.makefile("rb").read()


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_login_goes_below_its_own_path_only_and_never_comes_back(setting: str, tmp_path: Path) -> None:
    command, variables, npmrc, netrc, own, neighbour = SETTINGS[setting]
    with echoing() as echo:
        (tmp_path / ".npmrc").write_text(npmrc.replace("{host}", echo.host))
        if netrc:
            (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login me password {PASSWORD}\n")
            (tmp_path / ".netrc").chmod(0o600)
        env = {name: value.replace("{host}", echo.host) for name, value in variables.items()}
        authority = SetupAuthority()
        settings = make_box_settings(command, {"HOME": str(tmp_path), **env}, authority.pem)
        assert PASSWORD not in str((settings.env, settings.files))
        proxy = SetupProxy(settings.registries, Upstreams({}), authority)
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        with closing(proxy):
            proxy.serve(listener)
            answer = ask(port, f"http://{echo.host}{own}")
            assert echo.logins[0], "the control: the setting's login is used"
            raw = http.client.HTTPConnection(echo.host)
            raw.request("GET", "/", headers={"Authorization": echo.logins[0]})
            assert PASSWORD.encode() in raw.getresponse().read(), "the control: the registry repeats it"
            raw.close()
            assert answer.startswith(b"HTTP/1.1 200 ")
            leaked = [text for text in spellings(echo.logins[0]) if text.rstrip("=")[:-1].encode() in answer]
            assert leaked == []
            echo.logins.clear()
            folder = own.rpartition("/")[0]
            for path in (neighbour, "/api/v4/user", *(f"{folder}/{way}/b" for way in WAYS_UP)):
                ask(port, f"http://{echo.host}{path}")
            assert echo.logins == [""] * (len(WAYS_UP) + 2)
