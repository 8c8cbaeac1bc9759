"""Requests to registries."""

from reknit.adapters.setup.upstream import Upstreams
from reknit.adapters.setup.user_files import read_registry
from tests.tools.package_registry import Registry


def test_the_login_of_a_proxy_is_known_so_that_no_answer_repeats_it() -> None:
    known = read_registry("http://registry.example")
    assert known
    env = {"http_proxy": "http://me:word@proxy.example:3128"}
    assert Upstreams(env).proxy_login(known.origin) == "Basic bWU6d29yZA=="
    assert Upstreams({**env, "no_proxy": "registry.example"}).proxy_login(known.origin) == ""


def test_a_request(registry: Registry) -> None:
    known = read_registry(registry.address)
    assert known
    with Upstreams({}).answer("GET", known.origin, "/a", {"Authorization": "Bearer x"}) as answer:
        assert (answer.status, answer.read()) == (200, b"content of a")
    assert registry.asked == [("/a", "Bearer x")]
