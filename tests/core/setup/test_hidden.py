"""Logins in the path of an address."""

import base64
from collections.abc import Callable
from urllib.parse import quote

import pytest

from reknit.core.setup.hidden import AnswerFilter, hidden_parts, restored, shown

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
    assert hidden_parts(path) == hidden
    seen = shown(path, hidden)
    assert not any(part in seen for part in hidden)
    assert (len(seen), restored(seen, hidden)) == (len(path), path)


@pytest.mark.parametrize("size", [1, 2, 5, 15, 16, 17, 1000])
def test_an_answer_in_pieces(size: int) -> None:
    other = "zyxwvutsrq9876543210"
    text = f"{CANARY[:-1]}{CANARY}{CANARY} a {other}/{CANARY[3:]}{other[:5]}".encode()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    seen = b"".join(AnswerFilter((CANARY, other)).hide_in(pieces))
    assert seen.decode() == shown(text.decode(), (CANARY, other))
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
    assert restored(seen, (CANARY,)) == f"/{CANARY}/a"
