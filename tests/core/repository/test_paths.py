"""What a path alone says about a file. The long tables of tests and configuration: test_protected_files.py."""

import pytest

from reknit.core.repository import paths
from reknit.core.repository.paths import walk_up


@pytest.mark.parametrize(
    ("path", "is_expected"),
    [
        pytest.param("src/__snapshots__/a.js", True, id="a snapshot, even as code"),
        pytest.param("pkg/testdata/in.go", True, id="go's test data, even as code"),
        pytest.param("out.GOLDEN", True, id="by its ending, in any case"),
        pytest.param("src/fixtures/users.yaml", True, id="data in a folder of fixtures"),
        pytest.param("src/fixtures/users.py", False, id="code there, unless it is among tests"),
        pytest.param("tests/fixtures/users.py", True, id="code there, among tests"),
        pytest.param("src/golden/ratio.txt", False, id="a folder that is no test folder"),
        pytest.param("tests/golden/ratio.txt", True, id="the same in one"),
        pytest.param("tests/test_a.py", False, id="a test itself"),
    ],
)
def test_recorded_expectations(path: str, is_expected: bool) -> None:
    assert paths.is_recorded_expectation(path) == is_expected


@pytest.mark.parametrize(
    ("path", "is_foreign"),
    [
        ("vendor/lib/a.go", True),
        ("web/Node_Modules/x/index.js", True),
        (".venv/lib/site.py", True),
        ("vendor.py", False),
        ("src/vendors/a.py", False),
    ],
)
def test_foreign_code_is_known_by_its_folder(path: str, is_foreign: bool) -> None:
    assert paths.is_foreign(path) == is_foreign


def test_a_kind_of_file_is_known_by_its_ending_in_any_case() -> None:
    assert [name for name in ("a.MD", "a.rst", "md", "a.md.py") if paths.is_prose(name)] == ["a.MD", "a.rst"]
    assert [name for name in ("a.PY", "a.pyi", "a.pyc", "py") if paths.is_python(name)] == ["a.PY", "a.pyi"]


@pytest.mark.parametrize(
    ("path", "folder", "is_below"),
    [
        pytest.param("a.py", "", True, id="everything is below the top"),
        pytest.param("src/a.py", "src", True, id="a file in it"),
        pytest.param("src/a.py", "src/", True, id="with a slash"),
        pytest.param("src-old/a.py", "src", False, id="a folder that only starts like it"),
        pytest.param("src", "src", False, id="the folder itself"),
    ],
)
def test_below_a_folder(path: str, folder: str, is_below: bool) -> None:
    assert paths.is_below(path, folder) == is_below


def test_a_test_class_is_told_from_a_word_that_ends_like_one() -> None:
    assert paths.is_test_file("UserIT.java")
    assert not paths.is_test_file("EXIT.java")


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/cart.rs", True),
        ("crates/shop/tests/cart.rs", True),
        ("tests/common/mod.rs", False),
        ("src/tests/cart.rs", False),
        ("tests/cart.toml", False),
        ("cart.rs", False),
    ],
)
def test_what_cargo_runs_by_its_place_is_a_test(path: str, is_test: bool) -> None:
    assert paths.is_test_file(path) is is_test


@pytest.mark.parametrize(
    ("path", "is_configuration"),
    [
        ("AGENTS.md", True),
        ("agents.md", True),
        ("web/CLAUDE.md", True),
        ("web/CLAUDE.local.md", True),
        ("docs/guides/agents.md", False),
        ("docs/gemini.md", False),
        ("src/main/resources/junit-platform.properties", True),
        ("src/main/resources/META-INF/services/org.junit.jupiter.api.extension.Extension", True),
        ("src/main/resources/META-INF/services/shop.Plugin", False),
        ("src/test/resources/mockito-extensions/org.mockito.plugins.MockMaker", True),
    ],
)
def test_what_agents_and_test_runners_read_is_configuration(path: str, is_configuration: bool) -> None:
    assert paths.is_config(path) is is_configuration


def test_the_folders_around_a_folder_end_with_that_of_the_repository() -> None:
    assert [*walk_up("a/b")] == ["a/b", "a", ""]
    assert [*walk_up("")] == [""]
