"""Tests of reknit.core.languages.rust.tamper_checks.source."""

import pytest

from reknit.core.languages.rust.tamper_checks.source import find_attributes, find_target

TESTS = (
    "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n    fn b() {}\n    #[tokio::test]\n    async fn c() {}\n}\n"
)
MODULES = 'mod vat;\nmod fees;\nmod gone;\n#[path = "x.rs"]\nmod other;\nmod broken;\nmod inner { mod deep; }\n'
FILES = {
    "src/lib.rs": f"{MODULES}{TESTS}",
    "src/vat.rs": "mod tests;\n",
    "src/vat/tests.rs": "#[test]\nfn a() {}\n",
    "src/fees/mod.rs": f"mod all;\n{TESTS}",
    "src/fees/all.rs": TESTS,
    "src/inner/deep.rs": TESTS,
    "src/x.rs": TESTS,
    "src/broken.rs": "fn (",
    "tests/whole.rs": "/// Words.\n#[test]\n// more\n#[ignore]\nfn a() {}\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("test", "file", "way"),
    [
        ("src/lib.rs::tests::a", "src/lib.rs", ("", "tests")),
        ("src/lib.rs::vat::tests::a", "src/vat/tests.rs", ("", "vat", "tests")),
        ("src/lib.rs::fees::tests::a", "src/fees/mod.rs", ("", "fees", "tests")),
        ("src/lib.rs::fees::all::tests::a", "src/fees/all.rs", ("", "fees", "all", "tests")),
        ("src/lib.rs::inner::deep::tests::a", "src/inner/deep.rs", ("", "inner", "deep", "tests")),
        ("tests/whole.rs::a", "tests/whole.rs", ("",)),
    ],
)
def test_a_test_is_found_by_its_modules(test: str, file: str, way: tuple[str, ...]) -> None:
    found = find_target(test, FILES)
    assert found
    assert found.module.file == file
    assert tuple(module.name for module in found.modules) == way
    assert (found.name, found.prefix) == ("a", test[:-1])
    assert found.function.text() == "fn a() {}"


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("src/lib.rs", id="a-crate-that-did-not-build"),
        pytest.param("src/main.rs::tests::a", id="no-such-root"),
        pytest.param("src/lib.rs::tests::b", id="not-a-test"),
        pytest.param("src/lib.rs::tests::c", id="a-test-of-another-library"),
        pytest.param("src/lib.rs::tests::d", id="no-such-test"),
        pytest.param("src/lib.rs::none::tests::a", id="no-such-module"),
        pytest.param("src/lib.rs::gone::tests::a", id="no-such-file"),
        pytest.param("src/lib.rs::other::tests::a", id="a-file-with-another-name"),
        pytest.param("src/lib.rs::broken::a", id="a-file-that-cannot-be-parsed"),
        pytest.param("src/lib.rs::doc add", id="documentation"),
    ],
)
def test_what_cannot_be_found(test: str) -> None:
    assert find_target(test, FILES) is None


def test_attributes_are_those_right_before_an_item() -> None:
    found = find_target("tests/whole.rs::a", FILES)
    assert found and [text for text, _ in find_attributes(found.function)] == ["#[ignore]", "#[test]"]
