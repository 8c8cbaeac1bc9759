"""Which host a request of a set-up may reach, in whatever spelling it is asked for."""

import pytest

from reknit.core.setup.registries import (
    Origin,
    Refused,
    Registry,
    admit,
    answer_filter,
    hidden_at,
    hosts_of,
    read_connect,
    read_origin,
    read_target,
)

OWN = Origin("https", "registry.example", 443)
PRIVATE = Registry(OWN, "/private/", "Bearer canary")
KNOWN = (Registry(OWN), PRIVATE, Registry(Origin("http", "127.0.0.1", 8081)))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("https://registry.example/a", "https://registry.example"),
        ("HTTPS://Registry.EXAMPLE/a", "https://registry.example"),
        ("https://registry.example./a", "https://registry.example"),
        ("https://registry.example:443/a", "https://registry.example"),
        ("https://me:word@registry.example/a?b", "https://registry.example"),
        ("http://127.0.0.1:8081/a", "http://127.0.0.1:8081"),
        ("http://127.0.0.1:8081", "http://127.0.0.1:8081"),
    ],
)
def test_a_registry_in_any_spelling(target: str, expected: str) -> None:
    read = read_target(target)
    assert read is not None
    assert admit(*read, KNOWN) == Registry(read[0])
    assert read[0].url == expected


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("https://evil.example/a", "evil.example"),
        ("https://EVIL.example/a", "evil.example"),
        ("https://evil.example./a", "evil.example"),
        ("https://registry.example@evil.example/", "evil.example"),
        ("https://registry.example.evil.example/", "registry.example.evil.example"),
        ("https://evilregistry.example/", "evilregistry.example"),
        ("https://registry.example:8443/", "registry.example:8443"),
        ("http://registry.example/", "registry.example"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://127.1:8081/", "127.1:8081"),
        ("http://2130706433:8081/", "2130706433:8081"),
        ("http://[::1]:8081/", "[::1]:8081"),
        ("http://[::ffff:127.0.0.1]:8081/", "[::ffff:127.0.0.1]:8081"),
        ("http://169.254.169.254/latest", "169.254.169.254"),
        ("https://registry.example%2eevil/", "registry.example%2eevil"),
    ],
)
def test_another_host_is_refused_by_name(target: str, host: str) -> None:
    read = read_target(target)
    assert read is not None
    assert admit(*read, KNOWN) == Refused(host)


@pytest.mark.parametrize(
    "target", ["", "/a", "ftp://registry.example/", "https://", "https://registry.example:x/", "https://[::1/",
               "https://registry.example/a b", "https://r\u0435gistry.example/", "https://registry.example/\x00", "*"],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused(target: str) -> None:
    assert read_target(target) is None


def test_in_a_tunnel_only_its_own_host() -> None:
    assert read_target("/a?b", OWN) == (OWN, "/a?b")
    assert read_target("https://registry.example/a", OWN) == (OWN, "/a")
    assert read_target("https://evil.example/a", OWN) is None


def test_connect() -> None:
    assert read_connect("Registry.example:443") == OWN
    assert read_connect("registry.example:443/x") is None
    assert read_connect("me@registry.example:443") is None
    assert read_connect("registry.example:no") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/private/pack", PRIVATE),
        ("/private", PRIVATE),
        ("/privately", Registry(OWN)),
        ("/other/private/", Registry(OWN)),
        ("/private/../other", Registry(OWN)),
        ("/private/%2e%2e/other", Registry(OWN)),
        ("/private/%252e%252e/other", Registry(OWN)),
        ("/private/%2525252e%2525252e/other", Registry(OWN)),
        ("/private/..;a=b/other", Registry(OWN)),
        ("/private/a\\..\\..\\other", Registry(OWN)),
        ("/private/..%5cother", Registry(OWN)),
        ("/private/.%09./other", Registry(OWN)),
        ("/private/.%00./other", Registry(OWN)),
        ("/private/%EF%BC%8E%EF%BC%8E/other", Registry(OWN)),
        ("/private/..%c0%afother", Registry(OWN)),
        ("/private/..%u2215other", Registry(OWN)),
        ("/private/...//other", Registry(OWN)),
        ("/private/@scope%2fpack..age;a", PRIVATE),
        ("/private/pack-1.0%2Blocal-py3-none-any.whl", PRIVATE),
        ("/private/a?b=/../", PRIVATE),
    ],
)
def test_a_login_is_for_its_own_path(path: str, expected: Registry) -> None:
    assert admit(OWN, path, KNOWN) == expected
    assert admit(OWN, path, (PRIVATE,)) == expected


def test_a_login_is_never_shown() -> None:
    assert "canary" not in repr(PRIVATE)
    assert PRIVATE.url == "https://registry.example/private"
    assert hosts_of(KNOWN) == ("registry.example", "127.0.0.1:8081")


def test_only_http_and_https() -> None:
    assert read_origin("http", "A.", None) == Origin("http", "a", 80)
    assert read_origin("https", "", None) is None
    assert read_origin("file", "a", None) is None
    assert str(Origin("https", "::1", 443)) == "[::1]"


def test_what_a_box_must_not_see() -> None:
    own, other = (
        Registry(OWN, "/canary0123456789/simple/"),
        Registry(Origin("http", "b.example", 80), "/0123456789abcd/"),
    )
    assert hidden_at(OWN, [own, other, own, Registry(OWN)]) == ("canary0123456789",)
    text = b"canary0123456789 0123456789abcd 9876543210zyxw proxy-9876543210"
    logged_in = Registry(OWN, login="Bearer 9876543210zyxw")
    seen = answer_filter(OWN, [own, other, logged_in, Registry(OWN)], "Bearer proxy-9876543210", "").hide(text)
    assert seen.split() == [own.url.split("/")[3].encode(), b"0123456789abcd", b"x" * 14, b"x" * 16]
    assert own.url.startswith("https://registry.example/hidden")
    assert "canary" not in own.url
