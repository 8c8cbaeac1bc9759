"""Logins in the path of an address."""

import pytest

from reknit.core.setup.hidden import hidden_parts, restored, shown, shown_in

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
    seen = b"".join(shown_in(pieces, (CANARY, other)))
    assert seen.decode() == shown(text.decode(), (CANARY, other))
    assert (len(seen), CANARY.encode() in seen, other.encode() in seen) == (len(text), False, False)


def test_an_answer_without_anything_hidden() -> None:
    assert [*shown_in([b"ab", b"", b"c"], ())] == [b"ab", b"c"]
    assert [*shown_in([b"ab"], (CANARY,))] == [b"ab"]
