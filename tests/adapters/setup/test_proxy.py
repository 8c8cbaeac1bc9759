"""The proxy starts, answers several connections, and ends them all."""

import http.client
import socket

import pytest

from reknit.adapters.setup.proxy import SetupAuthority
from reknit.adapters.setup.user_files import read_registry
from tests.adapters.setup.conftest import MakeProxy
from tests.tools.package_registry import Registry


def test_connections_end_with_the_proxy(registry: Registry, make_proxy: MakeProxy) -> None:
    known = read_registry(registry.address)
    assert known
    proxy, port = make_proxy([known])
    idle = socket.create_connection(("127.0.0.1", port))
    client = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(2):  # the connection is used again
        client.request("GET", f"{registry.address}/a")
        assert client.getresponse().read() == b"content of a"
    assert proxy.record.requests == 2
    proxy.close()
    proxy.close()
    assert idle.recv(1) == b""
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port)).recv(1)
    late = socket.create_server(("127.0.0.1", 0))
    proxy.serve(late)
    assert late.fileno() == -1
    idle.close()
    client.close()


def test_each_host_has_one_and_each_set_up_its_own_authority() -> None:
    authority = SetupAuthority()
    assert authority.context("registry.example") is authority.context("registry.example")
    assert authority.context("127.0.0.1") is not authority.context("registry.example")
    assert authority.pem != SetupAuthority().pem
