"""Finds the cause of each red test by the rules of all languages. In doubt, the cause is the code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.connections import (
    explain_development_server,
    explain_failed_connection,
    explain_low_port,
    explain_port_in_use,
)
from reknit.core.causes.programs import (
    explain_absent_file,
    explain_denied_access,
    explain_lfs_pointer,
    explain_missing_dependency,
    explain_missing_library,
    explain_missing_program,
    explain_wrong_toolchain,
)
from reknit.core.causes.reading import FailingLines, Reading, find_failing_lines, has_earlier_exception, read_message
from reknit.core.causes.surroundings import (
    explain_by_hint,
    explain_exhausted_resource,
    explain_missing_browser,
    explain_missing_locale,
    explain_missing_variable,
)
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.failure_groups import find_headline, find_own_frame, mask_values
from reknit.core.languages.registry import LANGUAGES
from reknit.core.services.failure import is_failure, is_killed, is_late, is_service_id, suggest_remedy
from reknit.core.testing.report import WHOLE_SUITE

if TYPE_CHECKING:
    from reknit.core.languages.language import CauseRule

_RULES: tuple[CauseRule, ...] = (
    explain_missing_library, explain_wrong_toolchain, explain_missing_dependency,
    explain_missing_browser, explain_development_server, explain_failed_connection, explain_low_port,
    explain_port_in_use, explain_missing_program, explain_missing_variable, explain_missing_locale,
    explain_denied_access, explain_exhausted_resource, explain_absent_file,
)  # fmt: skip
"""Rules for all languages."""


def list_rules() -> tuple[CauseRule, ...]:
    """Return the rules in order; the first that recognises the message decides."""
    of_languages = (rule for language in LANGUAGES for rule in language.load_cause_rules())
    return (explain_lfs_pointer, *of_languages, *_RULES)


_RUNNER = re.compile(
    r"module '(?:_pytest|pytest|pluggy|unittest|_pytest\.\w{1,60})|'_pytest\.|\b_pytest\b|vitest/dist|jest-circus"
)
_ORDINARY = re.compile(
    r"--- FAIL|panicked at|AssertionError|assertion (?:failed|`left)|FAILED \((?:failures|errors)|^E {2,8}assert "
    r"|\d{1,6} fail(?:ed|ing)\b|^# fail [1-9]",
    re.M,
)
_NO_PATH = re.compile(r"\[Errno \d{1,3}\] [A-Z][a-z ]{3,40}$", re.M)
_PROGRAM_FAILED = re.compile(r"non-zero exit status|Command failed|\bexit(?:ed with)? (?:status|code)")
_OF_CODES_CHOICE = frozenset(
    {"host-file", "permission", "variable", "missing-program", "network", "service", "port", "locale", "time-zone"}
)
"""Kinds of causes in which product code names the missing thing, and may have named it wrongly."""


@dataclass(frozen=True)
class RedTest:
    """A failing test with its message."""

    test: str
    message: str
    file: str = ""


def find_cause(message: str, facts: TreeFacts, *, file: str = "") -> Cause:
    """Return the cause that a failure message shows. `file`: the file of the test."""
    reading = read_message(message, file)
    lines = find_failing_lines(reading, facts)
    if words := lines.find_unanswered_question(reading):
        return _apply_rules(replace(reading, words=words), facts)
    if not reading.is_assertion and (cause := _find_cause_of_words(reading, facts, lines)) != CODE:
        return cause
    # The message of a failed comparison may contain data of the test, and that of a failed program only its exit code:
    # read the captured output instead, which makes a cause doubtful at most.
    if reading.is_assertion or _PROGRAM_FAILED.search(reading.words):
        behind = _find_cause_of_words(replace(reading, words=reading.text.partition("- Captured ")[2]), facts, lines)
        return _make_doubtful(behind) if behind.verdict == "environment" or not reading.is_assertion else CODE
    return (
        _make_doubtful(_apply_rules(replace(reading, words=reading.text), facts))
        if has_earlier_exception(reading)
        else CODE
    )


def _find_cause_of_words(reading: Reading, facts: TreeFacts, lines: FailingLines) -> Cause:
    if lines.is_last and _NO_PATH.search(reading.words):  # only the failing statement names the file
        reading = replace(reading, words=f"{reading.words}\n{lines.statement}")
    cause = _apply_rules(reading, facts)
    if cause.verdict == "environment" and cause.kind in _OF_CODES_CHOICE and lines.may_blame_product(cause.kind):
        return _make_doubtful(cause)
    return cause if cause != CODE else explain_by_hint(reading, facts, is_of_test=lines.is_last) or CODE


def _apply_rules(reading: Reading, facts: TreeFacts) -> Cause:
    return next((cause for rule in list_rules() if (cause := rule(reading, facts))), CODE)


def _make_doubtful(cause: Cause) -> Cause:
    return replace(cause, verdict="doubtful") if cause != CODE else CODE


def find_causes(red: Sequence[RedTest], facts: TreeFacts, *, passed: int) -> Mapping[str, Cause]:
    """Return the cause of each red test. `passed`: number of green tests; if 0, the red ones may share a cause."""
    single = {red_test.test: _find_cause_of_test(red_test, facts) for red_test in red}
    shared = _find_shared_cause(red) if not passed and len(red) > 1 and set(single.values()) <= {CODE} else None
    return dict.fromkeys(single, shared) if shared else single


def _find_cause_of_test(red: RedTest, facts: TreeFacts) -> Cause:
    if is_service_id(red.test):
        return _find_cause_of_service(red.message, facts)
    if red.test.endswith(WHOLE_SUITE):
        return find_cause_of_output(red.message, facts)
    return find_cause(red.message, facts, file=red.file)


def _find_cause_of_service(message: str, facts: TreeFacts) -> Cause:
    """Return the cause for a service that runs the project's code."""
    if is_killed(message):
        return _blame_memory(message.partition("; it printed")[0])
    cause = find_cause_of_output(message, facts)
    is_slow = cause == CODE and is_late(message)
    return doubtful("service", message.partition("; it printed")[0], "or raise its `ready_s`") if is_slow else cause


def _find_shared_cause(red: Sequence[RedTest]) -> Cause | None:
    """Return the common cause if every test fails with the same headline, in set-up or in the runner."""
    headlines = [_find_headline(red_test.message) for red_test in red]
    if len({mask_values(headline) for headline in headlines}) != 1 or read_message(red[0].message).is_assertion:
        return None
    sentence = f"every test fails in the same way: {headlines[0][:160]}"
    has_own_frame = any(find_own_frame(red_test.message.splitlines()) for red_test in red)
    if _RUNNER.search(headlines[0]) or (
        not has_own_frame
        and any("-packages/" in red_test.message or "node_modules/" in red_test.message for red_test in red)
    ):
        remedy = "the test runner or a plugin does not fit this project: install the versions it was written for"
        return environment("runner", sentence, remedy)
    in_set_up = all(
        red_test.message.startswith("failed on setup") or "conftest.py:" in red_test.message for red_test in red
    )
    return doubtful("shared", sentence) if in_set_up else None


def _find_headline(message: str) -> str:
    lines = message.splitlines()
    return " ".join(lines[find_headline(lines)].split()) if lines else ""


def find_cause_of_output(output: str, facts: TreeFacts) -> Cause:
    """Return the cause in the output of a command that is judged by its exit code."""
    cause = _apply_rules(replace(read_message(output), words=output[-4000:]), facts)
    if cause.verdict == "environment" and _ORDINARY.search(output):
        return _make_doubtful(cause)
    return cause


def find_cause_of_no_result(why: str, output: str, facts: TreeFacts) -> Cause:
    """Return the cause for a test command without any result. `why`: the reason according to its exit."""
    if is_failure(why):
        return environment("service", why, suggest_remedy(why, output))
    cause = find_cause_of_output(output, facts)
    if cause.verdict == "environment":
        return cause
    own_text = why.partition(" could not be imported: ")[0]  # the rest is output of the project
    if "took too long" in own_text:
        return environment("timeout", why, "make the suite faster, or raise `loop.test_wall_s`")
    if "signal 9" in own_text or "exit code 137" in own_text:
        return _blame_memory(why)
    return cause


def _blame_memory(why: str) -> Cause:
    return environment("memory", f"{why}, probably for lack of memory", "run the tests where there is more memory")
