"""Makes the tamper checks for repaired tests, and copies of test files that fail, for each language."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reknit.core.check_answer import CHECKS, CheckName
from reknit.core.languages.registry import LANGUAGES, find_language, find_language_of_file
from reknit.core.repository.paths import is_test_file
from reknit.core.tamper_checks.checks import MAX_FILES, Names, TamperChecks, Targets

if TYPE_CHECKING:
    from reknit.core.languages.language import FailingCopy

_UNCHECKED_RUNNERS = frozenset({"playwright", "npm"})
"""Runners without checks: their tests run in a browser, or are started by an unknown script."""


def make_checks(targets: Targets, names: Names) -> TamperChecks:
    """Make the checks for the runner's language; for a command of the user, for the language of the test files."""
    language = find_language(targets.runner)
    maker = language.load_check_maker() if language and targets.runner not in _UNCHECKED_RUNNERS else None
    if maker:
        return maker(targets, names)
    why = f"there are none for {targets.runner}"
    languages = {find_language_of_file(test.file) for test in targets.tests}
    language = languages.pop() if len(languages) == 1 and targets.runner == "command" else None
    maker = language.load_check_maker() if language and language.likely_runner else None
    if not language or not maker:
        return TamperChecks(why_not=dict.fromkeys(CHECKS, why))
    checks = maker(replace(targets, runner=language.likely_runner), names)
    silent: dict[CheckName, str] = {"canaries": why, "twins": why}
    return TamperChecks(harness=checks.harness, why_not={**checks.why_not, **silent})


def choose_canary_files(tracked: Sequence[str], started: Sequence[str]) -> tuple[str, ...]:
    """Return files that the command starts, then test files; those in upper folders come first, as they run sooner."""
    tests = sorted(filter(is_test_file, tracked), key=lambda path: (path.count("/"), path))
    files = (path for path in (*started, *tests) if _find_failing_copy(path))
    return tuple(dict.fromkeys(files))[:MAX_FILES]


def make_failing_copies(files: Mapping[str, str], names: Names) -> dict[str, str]:
    """Return path -> its text with a failure at the end, so that it fails after the tested code is loaded."""
    return {
        path: failing
        for path, text in files.items()
        if (fail := _find_failing_copy(path)) and (failing := fail(text, names)) != text
    }


def make_unreadable_copy(names: Names) -> str:
    """Return a text that no language accepts. If a command passes with it, the command does not read the file."""
    return f"{names.make_word('canary')} ((( '\n"


def _fail_ruby(text: str, names: Names) -> str:
    return f'{text}\nraise "{names.make_word("canary")}"\n'


def _fail_shell(text: str, names: Names) -> str:
    return f"{text}\necho {names.make_word('canary')} >&2\nexit 1\n"


_WITHOUT_PACKAGE: Mapping[str, FailingCopy] = {".rb": _fail_ruby, **dict.fromkeys((".sh", ".bash"), _fail_shell)}


def _find_failing_copy(path: str) -> FailingCopy | None:
    ending = posixpath.splitext(path)[1]
    copies = (language.load_failing_copies().get(ending) for language in LANGUAGES)
    return next((copy for copy in copies if copy), _WITHOUT_PACKAGE.get(ending))
