"""What of a set-up's result is kept."""

import pytest

from reknit.core.box import BoxView
from reknit.core.setup.results import all_folders, folders_of, is_result, mount_points, not_covered
from reknit.core.setup.values import Layer


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("node_modules", True),
        ("packages/a/node_modules", True),
        (".venv", True),
        ("vendored/node_modules", False),
        (".cargo", False),
        ("src", False),
        ("dist", False),
    ],
)
def test_only_folders_of_package_managers_count(path: str, expected: bool) -> None:
    assert (
        is_result(path, folders_of(["vendored/node_modules/a/index.js", "src/x/y.py", "src/x/z.py", "top.py"]))
        is expected
    )


def test_the_folders_of_paths() -> None:
    assert folders_of(["a/b/c.py", "a/d.py", "e.py"]) == {"a", "a/b"}


def test_the_first_layer_keeps_its_place() -> None:
    one, two = Layer("1", ((".venv", "/1/0"),)), Layer("2", ((".venv", "/2/0"), ("web/node_modules", "/2/1")))
    assert dict(all_folders([one, two])) == {".venv": "/1/0", "web/node_modules": "/2/1"}


def test_a_layer_replaces_what_the_user_has_installed() -> None:
    layers = ((".venv", "/1/0"), ("node_modules", "/1/1"))
    assert not_covered([".venv", "node_modules/.cache", "node_modules_old", "x.so"], layers) == (
        "node_modules_old",
        "x.so",
    )


def test_mount_points_of_a_tree() -> None:
    view = BoxView("/r", "/t", carry=("x.so",), layers=((".venv", "/1/0"), ("~/.cargo/registry", "/1/1")))
    assert mount_points(view) == ("x.so", ".venv")
