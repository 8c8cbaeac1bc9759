"""The files that the checks read beside the targets."""

from reknit.core.tamper_checks.surroundings import MOST_FILES, surroundings

TRACKED = ("conftest.py", "tests/conftest.py", "other/conftest.py", "tests/unit/test_a.py", "package.json", "README.md")


def test_the_targets_files_come_first_then_what_is_beside_and_above_them() -> None:
    found = surroundings(["tests/unit/test_a.py", "tests/unit/test_a.py"], TRACKED)
    assert found == ("tests/unit/test_a.py", "conftest.py", "tests/conftest.py", "package.json")


def test_what_configures_a_runner_is_beside_its_tests() -> None:
    tracked = ("vitest.config.ts", "jest.config.json", ".mocharc.yml", "rollup.config.js")
    assert surroundings([], tracked) == ()
    assert surroundings(["src/a.test.ts"], tracked) == ("src/a.test.ts", *tracked[:3])


def test_their_number_is_bounded() -> None:
    many = [f"tests/test_{number}.py" for number in range(2 * MOST_FILES)]
    assert len(surroundings(many, many)) == MOST_FILES
