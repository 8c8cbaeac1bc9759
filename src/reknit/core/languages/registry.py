"""Lists all languages, in the order of detection. A new one is registered here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from reknit.core.languages.go import LANGUAGE as GO
from reknit.core.languages.java import LANGUAGE as JAVA
from reknit.core.languages.javascript import LANGUAGE as JAVASCRIPT
from reknit.core.languages.python import LANGUAGE as PYTHON
from reknit.core.languages.rust import LANGUAGE as RUST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reknit.core.languages.language import Language, ReportReader, TestReader
    from reknit.core.testing.command import ReportFormat, TestCommand

LANGUAGES: list[Language] = [PYTHON, JAVASCRIPT, GO, RUST, JAVA]


def find_language(runner: str) -> Language | None:
    """Return the language of a runner; None for `make` and a command that a person set."""
    return next((language for language in LANGUAGES if runner in language.runners), None)


def find_language_of_file(path: str) -> Language | None:
    """Return the language of a source file."""
    return next((language for language in LANGUAGES if language.endings and path.endswith(language.endings)), None)


def recognise(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...] = ()) -> TestCommand | None:
    """Return the command with reports and selection; None if no runner is known in it."""
    parsers = [language.parse_command for language in LANGUAGES if language.parse_command]
    return next((command for parse in parsers if (command := parse(words, origin, env))), None)


def find_report_reader(form: ReportFormat) -> ReportReader | None:
    """Return the reader of a report format; None for JUnit."""
    readers = (language.load_report_readers().get(form) for language in LANGUAGES)
    return next((reader for reader in readers if reader), None)


@cache
def list_test_readers(languages: tuple[Language, ...]) -> dict[str, TestReader]:
    """Return file ending -> the reader of its tests, for all these languages."""
    return {ending: read for language in languages for ending, read in language.load_test_readers().items()}
