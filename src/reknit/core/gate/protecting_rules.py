"""The rules of the gate that refuse every change of a file, whatever the change is, unless a person allows it."""

from reknit.core.repository import paths
from reknit.core.repository.usual_files import is_usual

TEST, CONFIG, UNUSUAL = "protected-test", "protected-config", "unusual-file"


def protecting_rules(path: str, *, is_new: bool = False) -> tuple[str, ...]:
    """Return them by names alone; base may show that the file is the product's. `is_new`: another test is welcome."""
    is_test = paths.is_test_file(path) or paths.is_in_test_folder(path) or paths.is_recorded_expectation(path)
    is_welcome = is_new and paths.is_test_file(path) and not paths.is_recorded_expectation(path)
    is_config = paths.is_config(path) or paths.is_config_of_a_project(path)
    is_unusual = not is_config and not is_test and not is_usual(path)
    refuses = ((TEST, is_test and not is_welcome), (CONFIG, is_config), (UNUSUAL, is_unusual))
    return tuple(rule for rule, holds in refuses if holds)
