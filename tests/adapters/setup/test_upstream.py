"""Requests to registries."""

from reknit.adapters.setup.clients.user_files import read_registry
from reknit.adapters.setup.upstream import Upstreams
from tests.tools.package_registry import Registry


def test_a_request(registry: Registry) -> None:
    known = read_registry(registry.address)
    assert known
    with Upstreams({}).answer("GET", known.origin, "/a", {"Authorization": "Bearer x"}) as answer:
        assert (answer.status, answer.read()) == (200, b"content of a")
    assert registry.asked == [("/a", "Bearer x")]
