"""The files that the checks read beside the targets."""

import pytest

from reknit.core.tamper_checks.files import MAX_FILES, find_test_files, list_surrounding_files

TRACKED = ("conftest.py", "tests/conftest.py", "other/conftest.py", "tests/unit/test_a.py", "package.json", "README.md")


def test_the_targets_files_come_first_then_what_is_beside_and_above_them() -> None:
    found = list_surrounding_files(["tests/unit/test_a.py", "tests/unit/test_a.py"], TRACKED)
    assert found == ("tests/unit/test_a.py", "conftest.py", "tests/conftest.py", "package.json")


def test_what_configures_a_runner_is_beside_its_tests() -> None:
    tracked = ("vitest.config.ts", "jest.config.json", ".mocharc.yml", "rollup.config.js")
    assert list_surrounding_files([], tracked) == ()
    assert list_surrounding_files(["src/a.test.ts"], tracked) == ("src/a.test.ts", *tracked[:3])


def test_their_number_is_bounded() -> None:
    many = [f"tests/test_{number}.py" for number in range(2 * MAX_FILES)]
    assert len(list_surrounding_files(many, many)) == MAX_FILES


GO = ("go.mod", "cmd/main.go", "price.go", "price_test.go", "vat/vat.go", "vat/vat_test.go")
RUST = ("Cargo.toml", "src/lib.rs", "src/prices.rs", "src/vat/mod.rs", "src/vat/tests.rs", "tests/whole.rs")
JAVA = ("pom.xml", "src/main/java/shop/Price.java", "src/test/java/shop/PriceTest.java")


@pytest.mark.parametrize(
    ("runner", "test", "tracked", "expected"),
    [
        pytest.param("go", ".::TestA", GO, ("go.mod", "price_test.go", "price.go"), id="a-package-at-the-root"),
        pytest.param("go", "vat::TestA/b", GO, ("go.mod", "vat/vat_test.go", "vat/vat.go"), id="a-package-below"),
        pytest.param("cargo", "src/lib.rs::tests::a", RUST, ("src/lib.rs", "Cargo.toml"), id="tests-in-the-root"),
        pytest.param(
            "cargo",
            "src/lib.rs::vat::tests::a",
            RUST,
            ("src/vat/tests.rs", "src/vat/mod.rs", "src/lib.rs", "Cargo.toml"),
            id="tests-in-a-file-of-their-own",
        ),
        pytest.param(
            "cargo",
            "src/lib.rs::prices::tests::a",
            RUST,
            ("src/prices.rs", "src/lib.rs", "Cargo.toml"),
            id="tests-in-a-module",
        ),
        pytest.param("cargo", "tests/whole.rs::a", RUST, ("tests/whole.rs", "Cargo.toml"), id="integration-tests"),
        pytest.param(
            "cargo",
            "src/bin/x.rs::tests::a",
            ("src/bin/x.rs", "Cargo.toml"),
            ("src/bin/x.rs", "Cargo.toml"),
            id="a-bin",
        ),
        pytest.param(
            "maven",
            "shop.PriceTest::discount",
            JAVA,
            ("src/test/java/shop/PriceTest.java", "pom.xml"),
            id="a-class-of-a-package",
        ),
        pytest.param("gradle", "ATest$Inner::a", ("ATest.java", "b/XATest.java"), ("ATest.java",), id="an-inner-class"),
        pytest.param("pytest", "a.py::b", ("a.py",), (), id="not-for-other-runners"),
    ],
)
def test_the_files_of_a_test(runner: str, test: str, tracked: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert find_test_files(runner, (test, test), tracked) == expected
