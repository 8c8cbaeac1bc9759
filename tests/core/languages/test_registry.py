"""A language is added by its own package and one entry in the registry: a toy language is found, read and judged."""

from collections.abc import Iterator

import pytest

from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests
from reknit.core.gate.scope import Scope
from reknit.core.languages.language import Language
from reknit.core.languages.registry import (
    LANGUAGES,
    find_language,
    find_language_of_file,
    find_report_reader,
    list_test_readers,
    recognise,
)
from reknit.core.languages.tamper_checks import make_checks
from reknit.core.projects.find import find_projects
from reknit.core.repository.change import Change, FileChange
from reknit.core.tamper_checks.checks import Names, Targets, TargetTest
from tests.tools.toy_language import LANGUAGE, PROJECT

TEST_FILE = "tests/test_price.lua"
SCOPE = Scope((), "", 20, 1000, "toy")


@pytest.fixture
def toy() -> Iterator[Language]:
    LANGUAGES.append(LANGUAGE)
    yield LANGUAGE
    LANGUAGES.remove(LANGUAGE)


def _change(after: str) -> Change:
    return Change((FileChange(TEST_FILE, PROJECT[TEST_FILE].encode(), after.encode()),))


def test_it_is_detected_and_recognised(toy: Language) -> None:
    [[command]] = find_projects(PROJECT)
    assert (command.runner, command.origin) == ("toy", "toy.json")
    typed = recognise(("python3", "toytest.py"), "checks.tests.run")
    assert typed is not None
    assert typed.argv == command.argv
    assert (find_language("toy"), find_language_of_file(TEST_FILE)) == (toy, toy)


@pytest.mark.parametrize(
    ("after", "removed", "emptied"),
    [
        pytest.param("full: check price == 200\n", 1, 0, id="a test is removed"),
        pytest.param("full: check price == 200\ndiscount: \n", 0, 1, id="a test checks nothing"),
        pytest.param(PROJECT[TEST_FILE] + "more: check 1 == 1\n", 0, 0, id="a test is added"),
    ],
)
def test_its_tests_are_kept(toy: Language, after: str, removed: int, emptied: int) -> None:
    change = _change(after)
    assert len([*find_removed_tests(change, SCOPE)]) == removed
    assert len([*find_emptied_tests(change, SCOPE)]) == emptied


def test_a_part_that_it_does_not_have_is_left_out_with_a_reason(toy: Language) -> None:
    checks = make_checks(Targets("toy", (TargetTest(f"{TEST_FILE}::full", TEST_FILE),), dict(PROJECT)), Names("s"))
    assert set(checks.why_not.values()) == {"there are none for toy"}
    assert (toy.load_cause_rules(), toy.find_weakened_tests("a.lua", "", "")) == ((), ())


def test_no_two_languages_have_a_runner_or_an_ending_in_common() -> None:
    for part in ("runners", "endings", "manifests"):
        names = [name for language in LANGUAGES for name in getattr(language, part)]
        assert len(names) == len(set(names)), part
    assert (find_language("make"), find_language_of_file("a.txt"), find_report_reader("junit")) == (None, None, None)
    assert ".py" in list_test_readers(tuple(LANGUAGES))
