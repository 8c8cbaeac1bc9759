import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.issues.formats.paths import find_likely_root, resolve_path

ROOT = "/work space/shop"


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        pytest.param("src/a.py", "src/a.py", id="relative"),
        pytest.param("./src//a.py", "src/a.py", id="dots-and-slashes"),
        pytest.param("src/../lib/a.py", "lib/a.py", id="up-and-down"),
        pytest.param("src\\a.py", "src/a.py", id="backslashes"),
        pytest.param(".github/a.yml", ".github/a.yml", id="a-hidden-folder"),
        pytest.param("src/é ü.py", "src/é ü.py", id="letters-and-spaces"),
        pytest.param("a%20b.py", "a%20b.py", id="no-address-no-escapes"),
        pytest.param("src/", "src", id="a-folder"),
        pytest.param("/work space/shop/src/a.py", "src/a.py", id="absolute"),
        pytest.param("/work space/./shop/x/../a.py", "a.py", id="absolute-with-dots"),
        pytest.param("file:///work%20space/shop/src/%C3%A9.py", "src/é.py", id="address"),
        pytest.param("FILE://localhost/work%20space/shop/a.py", "a.py", id="address-with-this-host"),
        pytest.param("file:/work%20space/shop/a.py", "a.py", id="address-with-one-slash"),
        pytest.param("file:////work%20space/shop/a.py", "a.py", id="address-with-four-slashes"),
        pytest.param("file:src/a.py", "src/a.py", id="relative-address"),
        pytest.param("/ci/shop/.//src/a.py", "src/a.py", id="made-in-another-checkout"),
        pytest.param("", "", id="nothing"),
        pytest.param(".", "", id="the-root"),
        pytest.param("/work space/shop", "", id="the-root-itself"),
        pytest.param("..", "", id="above"),
        pytest.param("src/../../shop/a.py", "", id="out-and-in"),
        pytest.param("/work space/shop2/a.py", "", id="a-neighbour"),
        pytest.param("/etc/passwd", "", id="elsewhere"),
        pytest.param("/../work space/shop/a.py", "", id="above-everything"),
        pytest.param("/ci/shop/.//../a.py", "", id="out-of-another-checkout"),
        pytest.param("file:///work%20space/shop/%2e%2e/a.py", "", id="escaped-dots"),
        pytest.param("file:///work%20space/shop/a%00.py", "", id="escaped-nul"),
        pytest.param("file:///work%20space/shop/%ff.py", "", id="escaped-no-text"),
        pytest.param("file://server/work%20space/shop/a.py", "", id="another-host"),
        pytest.param("file:///C:/shop/a.py", "", id="address-of-a-drive"),
        pytest.param("file://C:/shop/a.py", "", id="sloppy-address-of-a-drive"),
        pytest.param("C:\\shop\\a.py", "", id="a-drive"),
        pytest.param("https://example.org/a.py", "", id="the-web"),
        pytest.param("a\0b.py", "", id="nul"),
        pytest.param("a\nb.py", "", id="a-line-break"),
        pytest.param("a.py\n", "", id="a-line-break-at-the-end"),
        pytest.param("a\u202eb.py", "", id="a-turn-of-direction"),
        pytest.param("a\ud800.py", "", id="half-a-character"),
        pytest.param("x" * 1001, "", id="too-long"),
        pytest.param("é" * 1001, "", id="too-long-and-odd"),
        pytest.param(".git/config", "", id="gits"),
        pytest.param("src/.GIT/hooks/x", "", id="gits-in-capitals"),
        pytest.param("/ci/shop/.//.git/config", "", id="gits-in-another-checkout"),
        pytest.param(".gitignore", ".gitignore", id="not-gits"),
    ],
)
def test_paths_from_the_root(path: str, inside: str) -> None:
    assert resolve_path(path, ROOT) == inside


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("a.ts", "web", "web/a.ts"),
        ("a.ts", "web/", "web/a.ts"),
        ("../src/a.py", "web", "src/a.py"),
        ("../../a.py", "web", ""),
        ("a.ts", "..", ""),
        ("a.ts", f"{ROOT}/web", "web/a.ts"),
        ("../a.ts", f"{ROOT}/web", "a.ts"),
        ("a.ts", "/elsewhere", ""),
        (f"{ROOT}/a.ts", "web", "a.ts"),
        (".git/x", "web", ""),
        ("x", ".git", ""),
    ],
)
def test_paths_from_the_folder_that_the_tool_ran_in(path: str, folder: str, inside: str) -> None:
    assert resolve_path(path, ROOT, folder) == inside


@pytest.mark.parametrize(
    ("path", "root", "inside"),
    [
        ("/etc/x", "/", "etc/x"),
        ("/shop/a.py", "/shop/", "a.py"),
        ("C:\\shop\\src\\a.py", "C:\\shop", "src/a.py"),
        ("file:///C:/shop/a.py", "C:\\shop", "a.py"),
        ("/shop/a.py", "C:\\shop", ""),
        ("/shop/a.py", "/../shop", ""),
    ],
)
def test_other_roots(path: str, root: str, inside: str) -> None:
    assert resolve_path(path, root) == inside


PIECES = st.sampled_from(
    [
        "..",
        ".",
        "/",
        "//",
        "\\",
        "a",
        "b.py",
        ".git",
        ".Git",
        "%2e",
        "%2F",
        "%00",
        "file:",
        "C:",
        "\0",
        "\n",
        "\u202e",
        "/r",
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join), st.sampled_from(["", "web", "/r/web", "../x"]))
def test_no_path_leads_out_or_into_git(path: str, folder: str) -> None:
    inside = resolve_path(path, "/r", folder)
    names = inside.split("/")
    assert not inside.startswith("/")
    assert inside == "" or not {"", ".", ".."} & set(names)
    assert ".git" not in [name.lower() for name in names]
    assert inside.isprintable() or not any(ord(letter) < 32 or letter in "\x7f\u202e" for letter in inside)


@pytest.mark.parametrize(
    ("lost", "root"),
    [
        pytest.param(["cart.py", "web/page.py"], "shop", id="all of them"),
        pytest.param(["web/page.py", "gone.py"], "shop", id="some of them"),
        pytest.param(["page.py"], "shop/web", id="a deeper one"),
        pytest.param(["setup.py"], "", id="more than one"),
        pytest.param(["setup.py", "cart.py"], "shop", id="the one with the most"),
        pytest.param(["art.py", "gone.py"], "", id="none"),
    ],
)
def test_the_folder_that_paths_may_be_from(lost: list[str], root: str) -> None:
    assert (
        find_likely_root(lost, ["shop/cart.py", "shop/web/page.py", "shop/setup.py", "api/setup.py", "README.md"])
        == root
    )
