"""npm's files and variables, as a box may see them."""

from pathlib import Path

import pytest

from reknit.adapters.setup.pip_and_npm import (
    read_npm_configuration,
    read_pip_configuration,
    read_yarn_configuration,
    remove_login,
)
from reknit.adapters.setup.user_files import UserFiles, make_basic_login

NPMRC = """\
; ours
registry=https://npm.example/group/
@mine:registry=https://me:canary@mine.example/
//npm.example/:_authToken=${TOKEN}
//other.example/:username=me
//other.example/:_password=d29yZA==
@other:registry=https://other.example/deep/er/
"""


def test_everything_a_file_names(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text(NPMRC)
    found = read_npm_configuration(UserFiles({"HOME": str(tmp_path), "TOKEN": "canary"}))
    assert [(registry.url, registry.login) for registry in found.registries] == [
        ("https://npm.example/group", "Bearer canary"),
        ("https://mine.example", make_basic_login("me", "canary")),
        ("https://other.example/deep/er", make_basic_login("me", "word")),
    ]
    assert "canary" not in str(found.files)


def test_the_usual_registries(tmp_path: Path) -> None:
    user = UserFiles({"HOME": str(tmp_path), "NPM_CONFIG_USERCONFIG": str(tmp_path / "none")})
    assert [registry.url for registry in read_npm_configuration(user).registries] == ["https://registry.npmjs.org"]
    assert [registry.url for registry in read_yarn_configuration(user).registries] == ["https://registry.yarnpkg.com"]


def test_what_npm_cannot_read_is_neither_used_nor_shown(tmp_path: Path) -> None:
    broken = "registry=//me:canary@npm.example/\n@a:registry=https://a.example/\n//a.example/:username=me\n"
    (tmp_path / ".npmrc").write_text(f"{broken}//a.example/:_password=w\u00f6rd\n")
    found = read_npm_configuration(UserFiles({"HOME": str(tmp_path)}))
    assert [(registry.url, registry.login) for registry in found.registries] == [("https://a.example", "")]
    assert "canary" not in str(found.files)


CONF = """\
[global]
index-url = https://me:canary@pip.example/api/pypi/simple/
extra-index-url =
    http://other.example/simple
    https://third.example/root/pypi/+simple/
cert = /etc/ours.pem
[install]
find-links = https://links.example/wheels/ /srv/wheels
"""


def pip(
    tmp_path: Path, text: str = "", **variables: str
) -> tuple[dict[str, str], list[tuple[str, str]], tuple[str, ...]]:
    file = tmp_path / "pip.conf"
    file.write_text(text)
    found = read_pip_configuration(UserFiles({"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(file), **variables}))
    return dict(found.env), [(registry.url, registry.login) for registry in found.registries], found.certificates


def test_everything_a_pip_file_names(tmp_path: Path) -> None:
    env, registries, certificates = pip(tmp_path, CONF)
    assert env == {
        "PIP_INDEX_URL": "https://pip.example/api/pypi/simple/",
        "PIP_EXTRA_INDEX_URL": "http://other.example/simple https://third.example/root/pypi/+simple/",
        "PIP_FIND_LINKS": "https://links.example/wheels/ /srv/wheels",
        "PIP_TRUSTED_HOST": "other.example",
    }
    assert registries == [
        ("https://pip.example/api/pypi", make_basic_login("me", "canary")),
        ("http://other.example", ""),
        ("https://third.example/root/pypi", ""),
        ("https://links.example/wheels", ""),
    ]
    assert certificates == ("/etc/ours.pem",)


def test_a_variable_is_stronger_than_a_file(tmp_path: Path) -> None:
    _, registries, _ = pip(
        tmp_path, "[global]\nindex-url = https://file.example/simple\n", PIP_INDEX_URL="https://var.example/simple"
    )
    assert registries == [("https://var.example", "")]


@pytest.mark.parametrize(
    ("setting", "address", "paths"),
    [
        ("index-url", "/", ["/"]),
        ("index-url", "/simple", ["/simple/", "/files/", "/packages/", "/+f/"]),
        ("index-url", "/+simple/", ["/+simple/", "/files/", "/packages/", "/+f/"]),
        ("index-url", "/group/simple", ["/group/"]),
        ("index-url", "/group/pypi", ["/group/pypi/"]),
        ("find-links", "/group/wheels/", ["/group/wheels/"]),
        ("find-links", "/group/wheels", ["/group/wheels/"]),
        ("find-links", "/group/links.html", ["/group/"]),
        ("find-links", "/links.html", ["/links.html/"]),
    ],
)
def test_a_login_is_for_its_own_path(tmp_path: Path, setting: str, address: str, paths: list[str]) -> None:
    text = f"[global]\nno-index = {setting == 'find-links'}\n{setting} = https://me:canary@pip.example{address}\n"
    (tmp_path / "pip.conf").write_text(text)
    found = read_pip_configuration(UserFiles({"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}))
    assert [(registry.path, registry.login) for registry in found.registries] == [
        (path, make_basic_login("me", "canary")) for path in paths
    ]


def test_without_an_index(tmp_path: Path) -> None:
    env, registries, _ = pip(tmp_path, CONF, PIP_NO_INDEX="1")
    assert registries == [("https://links.example/wheels", "")]
    assert env["PIP_NO_INDEX"] == "1"
    assert "PIP_INDEX_URL" not in env


def test_pypi_with_its_files_unless_another_index_is_named(tmp_path: Path) -> None:
    _, registries, _ = pip(tmp_path, "this is [not a configuration")
    assert [url for url, _ in registries] == ["https://pypi.org", "https://files.pythonhosted.org"]
    nothing = read_pip_configuration(UserFiles({"HOME": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}))
    assert nothing.env["PIP_INDEX_URL"] == "https://pypi.org/simple"


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("https://me:w@a.example/x@y", "https://a.example/x@y"),
        ("https://me:w@rd@a.example:8443/x/", "https://a.example:8443/x/"),
        ("https://canary@a.example/simple/", "https://a.example/simple/"),
        ("https://a.example/simple/?token=canary#canary", "https://a.example/simple/"),
        ("https://me:can/ary@a.example/simple", ""),
        ("ftp://me:canary@a.example/", ""),
        ("/srv/wheels", "/srv/wheels"),
        ("file:///srv/wheels", "file:///srv/wheels"),
    ],
)
def test_an_address_without_its_login(url: str, seen: str) -> None:
    assert remove_login(url) == seen


def test_a_login_in_a_path_is_replaced(tmp_path: Path) -> None:
    token = "canary0123456789"
    env, ((url, _),), _ = pip(tmp_path, PIP_INDEX_URL=f"https://a.example/{token}/acme/simple/")
    assert env["PIP_INDEX_URL"] == f"{url}/simple/"
    assert token not in str(env) + url
