"""Tests of reknit.core.languages.rust.tamper_checks.manifest."""

import pytest

from reknit.core.languages.rust.tamper_checks.manifest import add_program, add_test_dependencies, find_package
from reknit.core.repository.manifest_text import read_toml

PLAIN = '[package]\nname = "shop-a"\n'


@pytest.mark.parametrize(
    ("root", "files", "expected"),
    [
        ("src/lib.rs", {"Cargo.toml": PLAIN}, ("", "shop-a", "shop_a")),
        ("a/src/bin/x.rs", {"Cargo.toml": "", "a/Cargo.toml": PLAIN}, ("a", "shop-a", "shop_a")),
        ("src/lib.rs", {"Cargo.toml": PLAIN + '[lib]\nname = "b"\n'}, ("", "shop-a", "b")),
    ],
)
def test_the_package_of_a_crate(root: str, files: dict[str, str], expected: tuple[str, str, str]) -> None:
    found = find_package(root, files)
    assert found and (found.folder, found.name, found.library) == expected


@pytest.mark.parametrize("text", [None, "[workspace]\n", "[", '[package]\nname = "a b"\n', "[package]\nname = 1\n"])
def test_a_manifest_without_a_name(text: str | None) -> None:
    assert find_package("src/lib.rs", {"Cargo.toml": text} if text is not None else {}) is None


def test_what_only_tests_need() -> None:
    text = (
        PLAIN + '[dependencies]\na = "1"\n[dev-dependencies]\na = "1"\nb = "2"\n[dev-dependencies.c]\nversion = "3"\n'
    )
    found = find_package("src/lib.rs", {"Cargo.toml": text})
    assert found and found.dev_dependencies == {"b", "c"}
    moved = read_toml(add_test_dependencies(text, found.dev_dependencies))
    assert moved["dependencies"] == {"a": "1", "b": "2", "c": {"version": "3"}}
    assert moved["dev-dependencies"] == {"a": "1"}
    assert moved["package"] == {"name": "shop-a"}


def test_there_may_be_no_other_needs() -> None:
    text = f'{PLAIN}[dev-dependencies]\n# words\nb = {{ version = "2" }}\n'
    moved = read_toml(add_test_dependencies(text, {"b"}))
    assert moved["dependencies"] == {"b": {"version": "2"}}
    assert read_toml(add_test_dependencies(PLAIN, {"b"})) == read_toml(PLAIN)


def test_a_program_is_added() -> None:
    assert read_toml(add_program(PLAIN, "x", "src/x.rs"))["bin"] == [{"name": "x", "path": "src/x.rs"}]
