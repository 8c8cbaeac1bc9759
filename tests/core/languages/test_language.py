"""The parts that a language names are there, and fit to what it says of itself."""

import pytest

from reknit.core.languages.language import Language
from reknit.core.languages.registry import LANGUAGES, find_report_reader


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_each_part_that_a_language_names_can_be_imported(language: Language) -> None:
    assert language.load_check_maker() is not None
    assert language.load_failing_copies().keys() <= set(language.endings)
    assert set(language.load_test_readers()) - {".pyi"} <= set(language.endings)
    assert all(map(callable, language.load_cause_rules()))
    assert bool(language.likely_runner) <= (language.likely_runner in language.runners)
    assert all(find_report_reader(form) for form in language.load_report_readers())
