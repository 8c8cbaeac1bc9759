"""Where a message may be sent; no answer repeats the address, which may contain a secret."""

import pytest

from reknit.core.notify.channels import find_address_problem


@pytest.mark.parametrize(
    "address",
    [
        "https://hooks.slack.test/services/T0/B0/secret", "https://example.test:8443/hook?token=secret",
        "http://127.0.0.1:9000/secret", "http://localhost/secret", "http://[::1]:9000/secret",
    ],
)  # fmt: skip
def test_an_encrypted_address_or_one_of_this_machine_is_fine(address: str) -> None:
    assert find_address_problem(address) == ""


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        pytest.param("http://example.test/secret", "it must begin with https://", id="not encrypted"),
        pytest.param("http://127.0.0.1.example.test/secret", "it must begin with https://", id="only looks local"),
        pytest.param("ftp://127.0.0.1/secret", "it must begin with https://", id="another protocol"),
        pytest.param("https:///secret", "it is not a valid address", id="no host"),
        pytest.param("https://me:secret@example.test/", "it is not a valid address", id="a login inside"),
        pytest.param("https://example.test:secret/", "it is not a valid address", id="no port number"),
        pytest.param("https://example.test/\nsecret", "it is not a valid address", id="two lines"),
        pytest.param("https://ex\u0430mple.test/secret", "it is not a valid address", id="letters that look alike"),
        pytest.param("https://[secret", "it is not a valid address", id="broken brackets"),
    ],
)
def test_nothing_is_sent_elsewhere(address: str, problem: str) -> None:
    assert find_address_problem(address) == problem
