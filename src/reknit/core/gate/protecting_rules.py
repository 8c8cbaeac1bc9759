"""The rules of the gate that refuse every change of a file, whatever the change is, unless a person allows it."""

from reknit.core.repository.paths import is_config, is_in_test_folder, is_recorded_expectation, is_test_file

TEST, CONFIG = "protected-test", "protected-config"


def protecting_rules(path: str, *, is_new: bool = False) -> tuple[str, ...]:
    """`is_new`: the file is to be added; another test is welcome."""
    is_welcome = is_new and is_test_file(path) and not is_recorded_expectation(path)
    is_test = is_test_file(path) or is_in_test_folder(path) or is_recorded_expectation(path)
    refuses = ((TEST, is_test and not is_welcome), (CONFIG, is_config(path)))
    return tuple(rule for rule, holds in refuses if holds)
