import pytest

from reknit.core.gate.rules.content import find_new_secrets
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")
KEY = "AKIA" + "ABCDEFGHIJKLMNOP"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        pytest.param(None, f"a\nkey = '{KEY}'\n", [2], id="in-a-new-file"),
        pytest.param("a\n", f"a\nb\nkey = '{KEY}'\n", [3], id="in-a-new-line"),
        pytest.param(f"key = '{KEY}'\n", f"the_key = '{KEY}'\n", [], id="it-was-there-before"),
        pytest.param(f"key = '{KEY}'\n", "key = load()\n", [], id="taken-out"),
        pytest.param(f"key = '{KEY}'\n", None, [], id="file-deleted"),
    ],
)
def test_a_new_secret_is_refused_and_not_repeated(before: str | None, after: str | None, lines: list[int]) -> None:
    old, new = (None if text is None else text.encode() for text in (before, after))
    file = FileChange("src/a.py", old, new)
    refusals = list(find_new_secrets(Change((file,)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("secret-added", "src/a.py") for refusal in refusals)
    assert [refusal.sentence for refusal in refusals] == [
        f"line {line} of src/a.py looks like a secret (AWS access key)" for line in lines
    ]


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        pytest.param("AKIAIOSFODNN7" + "EXAMPLE", False, id="of-the-documentation-of-aws"),
        pytest.param("AKIAIOSFODNN7EXAMPLQ", True, id="almost-the-same"),
        pytest.param("ASIAIOSFODNN7" + "EXAMPLE", False, id="of-a-session"),
        pytest.param("ghp_" + "x" * 36, False, id="a-row-of-x"),
        pytest.param("ghp_" + "xyz" * 12, False, id="three-letters"),
        pytest.param("ghp_" + "wxyz" * 9, True, id="four-letters"),
        pytest.param("ghp_" + "a1B2c3D4e5" * 4, True, id="a-token"),
        pytest.param("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", False, id="no-key-inside"),
        pytest.param("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", True, id="a-key-inside"),
        pytest.param(
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
            True,
            id="a-whole-key",
        ),
        pytest.param(
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6.SflKxwRJSMeKKF2QT4", False, id="jwt.io"
        ),
    ],
)
def test_what_documentation_prints_is_no_secret(text: str, is_refused: bool) -> None:
    change = Change((FileChange("docs/keys.md", None, f"Set `{text}`.\n".encode()),))
    assert bool(list(find_new_secrets(change, SCOPE))) == is_refused


PASSWORD = "hunter2" + "hunter2"


@pytest.mark.parametrize(
    ("host", "is_refused"),
    [
        ("example.com", False),
        ("example.com:8443/path", False),
        ("EXAMPLE.ORG", False),
        ("example.net.", False),
        ("db.staging.example.com", False),
        ("shop.example", False),
        ("localhost", False),
        ("localhost:5432/shop", False),
        ("api.localhost", False),
        ("127.0.0.1", False),
        ("[::1]:80", False),
        ("shop.test", False),
        ("nobody.invalid/", False),
        ("example.com.shop.io", True),
        ("example.community", True),
        ("example.co", True),
        ("myexample.com", True),
        ("my-example.com", True),
        ("localhost.shop.io", True),
        ("contest", True),
        ("127.0.0.10", True),
        ("shop.io/example.com", True),
        ("", True),
    ],
)
def test_an_address_that_nobody_has_is_an_example(host: str, is_refused: bool) -> None:
    change = Change((FileChange("README.rst", None, f"``https://user:{PASSWORD}@{host}``\n".encode()),))
    assert bool(list(find_new_secrets(change, SCOPE))) == is_refused


def test_a_password_is_refused_if_one_of_its_addresses_is_real() -> None:
    text = f"https://u:{PASSWORD}@example.com https://u:{PASSWORD}@shop.io\n"
    assert len(list(find_new_secrets(Change((FileChange("a.md", None, text.encode()),)), SCOPE))) == 2


def test_only_an_address_has_a_host() -> None:
    change = Change((FileChange("a.md", None, f"{KEY}example.com\n{KEY} example.com\n".encode()),))
    assert len(list(find_new_secrets(change, SCOPE))) == 1
