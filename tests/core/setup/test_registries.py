"""Which host a request of a set-up may reach, in whatever spelling it is asked for."""

import base64
from collections.abc import Callable
from urllib.parse import quote

import pytest

from reknit.core.setup.registries import (
    AnswerFilter,
    Origin,
    Refused,
    Registry,
    find_hidden_parts,
    find_registry,
    hide_parts,
    list_hidden_parts,
    list_hosts,
    read_connect,
    read_origin,
    read_target,
    restore_parts,
    to_answer_filter,
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
    assert find_registry(*read, KNOWN) == Registry(read[0])
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
    assert find_registry(*read, KNOWN) == Refused(host)


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
    assert find_registry(OWN, path, KNOWN) == expected
    assert find_registry(OWN, path, (PRIVATE,)) == expected


def test_a_login_is_never_shown() -> None:
    assert "canary" not in repr(PRIVATE)
    assert PRIVATE.url == "https://registry.example/private"
    assert list_hosts(KNOWN) == ("registry.example", "127.0.0.1:8081")


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
    assert list_hidden_parts(OWN, [own, other, own, Registry(OWN)]) == ("canary0123456789",)
    text = b"canary0123456789 0123456789abcd 9876543210zyxw proxy-9876543210"
    logged_in = Registry(OWN, login="Bearer 9876543210zyxw")
    seen = to_answer_filter(OWN, [own, other, logged_in, Registry(OWN)], "Bearer proxy-9876543210", "").hide(text)
    assert seen.split() == [own.url.split("/")[3].encode(), b"0123456789abcd", b"x" * 14, b"x" * 16]
    assert own.url.startswith("https://registry.example/hidden")
    assert "canary" not in own.url


CANARY = "canary0123456789"


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        ("/simple/", ()),
        ("/artifactory/api/npm/our-packages/", ()),
        ("/api/v4/projects/1234567/packages/pypi/simple/", ()),
        (f"/{CANARY}/acme/python/simple/", (CANARY,)),
        ("/acme/AbCdEfGhIjKl/simple/", ("AbCdEfGhIjKl",)),
        ("/abcdefghijklmnopqrst/", ("abcdefghijklmnopqrst",)),
        ("/0f8fad5b-d9cb-469f-a165-70867728950e/x/0f8fad5b-d9cb-469f-a165-70867728950e", (
            "0f8fad5b-d9cb-469f-a165-70867728950e",
        )),
    ],
)  # fmt: skip
def test_what_may_be_a_login(path: str, hidden: tuple[str, ...]) -> None:
    assert find_hidden_parts(path) == hidden
    seen = hide_parts(path, hidden)
    assert not any(part in seen for part in hidden)
    assert (len(seen), restore_parts(seen, hidden)) == (len(path), path)


@pytest.mark.parametrize("size", [1, 2, 5, 15, 16, 17, 1000])
def test_an_answer_in_pieces(size: int) -> None:
    other = "zyxwvutsrq9876543210"
    text = f"{CANARY[:-1]}{CANARY}{CANARY} a {other}/{CANARY[3:]}{other[:5]}".encode()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    seen = b"".join(AnswerFilter((CANARY, other)).hide_in(pieces))
    assert seen.decode() == hide_parts(text.decode(), (CANARY, other))
    assert (len(seen), CANARY.encode() in seen, other.encode() in seen) == (len(text), False, False)


def test_an_answer_without_anything_hidden() -> None:
    assert [*AnswerFilter(()).hide_in([b"ab", b"", b"c"])] == [b"ab", b"c"]
    assert [*AnswerFilter((CANARY,)).hide_in([b"ab"])] == [b"ab"]


PASSWORD = "pa/ss+W0rd"
LOGINS = {
    "basic": f"Basic {base64.b64encode(f'me:{PASSWORD}'.encode()).decode()}",
    "a token instead of a user": f"Basic {base64.b64encode(f'{PASSWORD}:'.encode()).decode()}",
    "bearer": f"Bearer {PASSWORD}",
    "no base64": f"Basic a:{PASSWORD}",
}
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in upper case": str.upper,
    "in lower case": str.lower,
    "in an address": lambda text: quote(text, safe=""),
    "in an address, in lower case": lambda text: quote(text, safe="").lower(),
    "every character escaped": lambda text: "".join(f"%{ord(character):02x}" for character in text),
    "escaped and in upper case": lambda text: "".join(f"%{ord(character):02X}" for character in text.upper()),
    "in JSON": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "in hex": lambda text: text.encode().hex(),
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64, with a user": lambda text: base64.b64encode(f"me:{text}".encode()).decode(),
    "in base64, elsewhere": lambda text: base64.b64encode(f"/a/{text}/b".encode()).decode(),
    "in base64 for addresses": lambda text: base64.urlsafe_b64encode(f"xy{text}".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("login", LOGINS)
def test_an_answer_repeats_no_login_in_any_spelling(login: str, spelling: str) -> None:
    text = f"before {SPELLINGS[spelling](PASSWORD)} after".encode()
    seen = AnswerFilter((), [LOGINS[login]]).hide(text)
    assert (len(seen), seen[:7], seen[-6:]) == (len(text), b"before ", b" after")
    assert seen.count(b"x") >= 8, seen
    whole = f"before {LOGINS[login]}".encode()
    assert LOGINS[login].split()[1][:-2].encode() not in AnswerFilter((), [LOGINS[login]]).hide(whole)


@pytest.mark.parametrize("password", ["password", "Password", "short1", ""])
def test_a_password_that_is_in_every_package_is_hidden_in_its_header_only(password: str) -> None:
    login = base64.b64encode(f"myself:{password}".encode()).decode()
    text = f"{password} is a word\n".encode()
    answer = AnswerFilter((), [f"Basic {login}"])
    assert answer.hide(text) == text
    assert login.rstrip("=").encode() not in answer.hide(f"Basic {login}".encode())
    assert not AnswerFilter((), ["Basic bWU6"]).is_needed


def test_a_hidden_part_in_another_case_is_still_a_link() -> None:
    seen = AnswerFilter((CANARY,)).hide(f"/{CANARY.upper()}/a".encode()).decode()
    assert restore_parts(seen, (CANARY,)) == f"/{CANARY}/a"
