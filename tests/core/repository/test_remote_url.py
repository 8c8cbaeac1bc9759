"""Addresses of remotes: which repository they mean, and which of them may carry a credential."""

import pytest

from reknit.core.repository.remote_url import may_carry_credential, parse_remote


@pytest.mark.parametrize(
    ("url", "place"),
    [
        pytest.param("https://github.com/acme/shop", ("github.com", "acme/shop"), id="https"),
        pytest.param("https://github.com/acme/shop.git", ("github.com", "acme/shop"), id="https-dot-git"),
        pytest.param("https://GitHub.com/Acme/Shop.git/", ("github.com", "Acme/Shop"), id="only-the-host-is-lowered"),
        pytest.param("https://dev:s3cret@git.acme.test/a/b", ("git.acme.test", "a/b"), id="credentials-are-dropped"),
        pytest.param("https://dev:p@ss@git.acme.test/a/b", ("git.acme.test", "a/b"), id="an-at-sign-in-a-password"),
        pytest.param("http://127.0.0.1:8080/acme/shop.git", ("127.0.0.1:8080", "acme/shop"), id="the-port-stays"),
        pytest.param("ssh://git@github.com/acme/shop.git", ("github.com", "acme/shop"), id="ssh"),
        pytest.param("ssh://git@git.acme.test:2222/a/b.git", ("git.acme.test", "a/b"), id="ssh-port-is-not-the-web's"),
        pytest.param("ssh://git@ssh.github.com:443/a/b.git", ("github.com", "a/b"), id="ssh-over-the-https-port"),
        pytest.param("git@github.com:acme/shop.git", ("github.com", "acme/shop"), id="scp-like"),
        pytest.param("github.com:/acme/shop", ("github.com", "acme/shop"), id="scp-like-without-user"),
        pytest.param("git@github.com:acme/.github.git", ("github.com", "acme/.github"), id="a-name-with-a-dot-first"),
        pytest.param("git@github.com:acme/a.github.io", ("github.com", "acme/a.github.io"), id="a-name-with-dots"),
        pytest.param("https://github.com/acme", None, id="no-name"),
        pytest.param("https://github.com/acme/shop/tree/main", None, id="a-page-below"),
        pytest.param("https://github.com/acme/shop?x=1", None, id="a-query"),
        pytest.param("https://github.com/acme/..", None, id="no-way-up"),
        pytest.param("https://github.com/acme/.git", None, id="nothing-but-dot-git"),
        pytest.param("https://github.com/git/git.git", ("github.com", "git/git"), id="git-itself"),
        pytest.param("https://github.com/acme/..git", None, id="nothing-but-dots"),
        pytest.param("https://github.com/../shop", None, id="no-owner"),
        pytest.param("/srv/git/acme/shop.git", None, id="a-folder"),
        pytest.param("../acme/shop", None, id="a-folder-beside"),
        pytest.param("file:///srv/acme/shop.git", None, id="file"),
        pytest.param("git@github.com:acme/shop.git\n", None, id="a-line-end"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_place_of_a_remote(url: str, place: tuple[str, str] | None) -> None:
    assert parse_remote(url) == place


@pytest.mark.parametrize(
    ("url", "may"),
    [
        pytest.param("https://github.com/acme/shop.git", True, id="https"),
        pytest.param("https://git.acme.test:8443/acme/shop.git", True, id="https-with-port"),
        pytest.param("http://127.0.0.1:8080/acme/shop.git", True, id="http-on-this-machine"),
        pytest.param("http://[::1]:8080/acme/shop.git", True, id="http-on-this-machine-v6"),
        pytest.param("http://github.com/acme/shop.git", False, id="http-elsewhere"),
        pytest.param("http://10.0.0.1/acme/shop.git", False, id="http-in-the-same-network"),
        pytest.param("http://localhost.acme.test/a/b.git", False, id="a-name-that-only-looks-local"),
        pytest.param("http://127.0.0.1@evil.test/a/b.git", False, id="a-user-that-looks-like-a-host"),
        pytest.param("https://dev:s3cret@github.com/a/b.git", False, id="credentials-inside"),
        pytest.param("https://github.com\\@evil.test/a/b", False, id="backslash"),
        pytest.param("https://github.com/a/b?x=y", False, id="query"),
        pytest.param("https://github.com/a/b\n", False, id="line-end"),
        pytest.param("ssh://git@github.com/a/b.git", False, id="ssh"),
        pytest.param("ext::sh -c x", False, id="a-program"),
        pytest.param("--upload-pack=x", False, id="an-option"),
        pytest.param("/srv/git/shop.git", False, id="a-folder"),
    ],
)
def test_whether_a_credential_may_go_there(url: str, *, may: bool) -> None:
    assert may_carry_credential(url) is may
