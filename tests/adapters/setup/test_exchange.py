"""Requests of a box: to a registry of the user with the user's login, and to nothing else."""

import http.client
import socket

import pytest

from reknit.adapters.setup.pip_and_npm import remove_login
from reknit.adapters.setup.user_files import read_registry
from reknit.core.setup.registries import Registry as Known
from tests.adapters.setup.conftest import MakeProxy
from tests.tools.package_registry import Registry


def ask(port: int, target: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    client.putrequest(method, target, skip_host=True)
    for name, value in headers.items():
        client.putheader(name.replace("_", "-"), value)
    client.endheaders()
    answer = client.getresponse()
    result = answer.status, answer.read(), dict(answer.headers.items())
    client.close()
    return result


def known(registry: Registry, login: str = "") -> Known:
    found = read_registry(registry.address.replace("http://", f"http://{login}@") if login else registry.address)
    assert found
    return found


def test_the_login_is_added_and_the_boxs_own_is_dropped(registry: Registry, make_proxy: MakeProxy) -> None:
    _, port = make_proxy([known(registry, "me:word")])
    status, body, headers = ask(
        port, f"{registry.address}/a", Authorization="Basic Zm9v", Cookie="a=b", Accept="text/x"
    )
    assert (status, body) == (200, b"content of a")
    assert registry.asked == [("/a", "Basic bWU6d29yZA==")]
    assert "Server" not in headers


TOKEN = "canary0123456789"


def test_a_login_in_the_path_stays_outside(registry: Registry, make_proxy: MakeProxy) -> None:
    """Also where the registry's own answers and redirects name it."""
    page = f'<a href="{registry.address}/{TOKEN}/files/a.whl">a</a>'.encode() * 9000
    registry.files |= {f"/{TOKEN}/simple/a": page, f"/{TOKEN}/files/a.whl": b"content"}
    registry.redirects[f"/{TOKEN}/moved"] = f"{registry.address}/{TOKEN}/files/a.whl"
    address = f"{registry.address}/{TOKEN}/simple"
    own, seen = read_registry(address), remove_login(address)
    assert own
    assert TOKEN not in repr(own.url) + seen
    _, port = make_proxy([own])
    status, body, _ = ask(port, f"{seen}/a", Range="bytes=0-3")
    assert (status, len(body), TOKEN.encode() in body) == (200, len(page), False)
    assert ask(port, body.decode().split('"')[1])[:2] == (200, b"content")
    status, _, headers = ask(port, seen.replace("/simple", "/moved"))
    assert (status, TOKEN in str(headers)) == (302, False)
    assert ask(port, headers["location"])[:2] == (200, b"content")
    assert ask(port, f"{registry.address}/{TOKEN}/files/a.whl")[1] == b"content"  # as a lockfile may have it
    assert {path.split("/")[1] for path, _ in registry.asked} == {TOKEN}


def test_the_length_of_a_file_can_be_asked_for(registry: Registry, make_proxy: MakeProxy) -> None:
    _, port = make_proxy([known(registry)])
    status, body, headers = ask(port, f"{registry.address}/long", "HEAD")
    assert (status, body, headers["Content-Length"]) == (200, b"", "300000")


def test_a_long_answer_arrives_whole(registry: Registry, make_proxy: MakeProxy) -> None:
    proxy, port = make_proxy([known(registry)])
    assert ask(port, f"{registry.address}/long")[1] == b"x" * 300_000
    assert proxy.record.bytes == 300_000


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("http://127.0.0.1:9/x", "127.0.0.1:9"),
        ("http://Evil.Example/x", "evil.example"),
        ("http://evil.example./x", "evil.example"),
        ("http://user:word@evil.example/x", "evil.example"),
        ("https://evil.example/x", "evil.example"),
        ("http://[::1]/x", "[::1]"),
        ("http://localhost:{port}/a", "localhost:{port}"),
    ],
)
def test_another_host_is_refused_by_name(registry: Registry, make_proxy: MakeProxy, target: str, host: str) -> None:
    own = registry.address.rpartition(":")[2]
    proxy, port = make_proxy([known(registry)])
    status, body, _ = ask(port, target.format(port=own), Host=registry.address.removeprefix("http://"))
    host = host.format(port=own)
    assert (status, body) == (403, f"reknit: {host} is not one of your package registries\n".encode())
    assert proxy.record.refused == [host]
    assert registry.asked == []


def test_a_redirect_is_the_boxs_to_follow(registry: Registry, make_proxy: MakeProxy) -> None:
    registry.redirects["/a"] = "https://evil.example/a"
    _, port = make_proxy([known(registry, "me:word")])
    status, _, headers = ask(port, f"{registry.address}/a")
    assert (status, headers["location"]) == (302, "https://evil.example/a")
    assert ask(port, headers["location"])[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_can_be_sent(registry: Registry, make_proxy: MakeProxy, method: str) -> None:
    _, port = make_proxy([known(registry)])
    assert ask(port, f"{registry.address}/a", method, Content_Length="0")[0] == 501
    assert ask(port, f"{registry.address}/a", "GET", Content_Length="5")[0] == 400
    assert ask(port, f"{registry.address}/a", "GET", Transfer_Encoding="chunked")[0] == 400
    assert ask(port, "/a")[0] == 400
    assert registry.asked == []


def test_what_follows_a_request_is_another_request(registry: Registry, make_proxy: MakeProxy) -> None:
    """Two lengths, and a second request in the body that only one of them allows."""
    _, port = make_proxy([known(registry, "me:word")])
    inner = f"GET {registry.address}/b HTTP/1.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as box:
        lengths = f"Content-Length: 0\r\nContent-Length: {len(inner)}\r\n"
        box.sendall(f"GET {registry.address}/a HTTP/1.1\r\n{lengths}\r\n{inner}".encode())
        assert box.makefile("rb").read().startswith(b"HTTP/1.1 400 ")
    assert registry.asked == []


@pytest.mark.parametrize(
    "lines",
    [
        "User-Agent: a\r\n X-Injected: 1",
        "User-Agent: a\r\n\tX-Injected: 1",
        "X-Other: a\r\n b",
        " X-First: 1",
        "User-Agent : a",
        "User-Agent: a\0b",
        "no header at all",
    ],
)
def test_a_header_that_can_be_read_in_two_ways_is_refused(
    registry: Registry, make_proxy: MakeProxy, lines: str
) -> None:
    _, port = make_proxy([known(registry, "me:word")])
    for target in (f"GET {registry.address}/a", "CONNECT registry.example:443"):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as box:
            box.sendall(f"{target} HTTP/1.1\r\n{lines}\r\n\r\n".encode())
            assert box.makefile("rb").read().startswith(b"HTTP/1.1 400 ")
    assert registry.asked == []


def test_a_folded_header_of_a_registry_is_refused(registry: Registry, make_proxy: MakeProxy) -> None:
    registry.redirects["/a"] = "/b\r\n X-Injected: 1"
    proxy, port = make_proxy([known(registry, "me:word")])
    assert ask(port, f"{registry.address}/a")[0] == 502
    assert proxy.record.problems[0].endswith(": its answer has a folded header")


def test_a_registry_that_does_not_answer_is_named(make_proxy: MakeProxy) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port_of_none = closed.getsockname()[1]
    gone = read_registry(f"http://127.0.0.1:{port_of_none}")
    assert gone
    proxy, port = make_proxy([gone])
    status, body, _ = ask(port, f"http://127.0.0.1:{port_of_none}/a")
    assert (status, body) == (502, f"reknit: 127.0.0.1:{port_of_none} did not answer\n".encode())
    assert proxy.record.problems[0].startswith(f"127.0.0.1:{port_of_none}: ")
    assert ask(port, f"http://127.0.0.1:{port_of_none}/a", "HEAD")[:2] == (502, b"")
