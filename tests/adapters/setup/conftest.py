"""A registry on the loopback, and a proxy that a client connects to as a box would."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing

import pytest

from reknit.adapters.setup.proxy import SetupAuthority, SetupProxy
from reknit.adapters.setup.upstream import Upstreams
from reknit.core.setup.registries import Registry as Known
from tests.tools.package_registry import Registry, serving

MakeProxy = Callable[[Sequence[Known]], tuple[SetupProxy, int]]


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry(files={"/a": b"content of a", "/long": b"x" * 300_000})) as made:
        yield made


@pytest.fixture
def make_proxy() -> Iterator[MakeProxy]:
    """The proxy and the port it listens on."""
    with ExitStack() as stack:

        def make(known: Sequence[Known]) -> tuple[SetupProxy, int]:
            proxy = stack.enter_context(closing(SetupProxy(known, Upstreams({}), SetupAuthority())))
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            proxy.serve(listener)
            return proxy, port

        yield make
