"""Classes red tests by cause. In doubt it is the code: a fault of the tree must never be called the environment's."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.connections import connection, development_server, low_port, port_in_use
from reknit.core.causes.failing_lines import FailingLines, find_failing_lines
from reknit.core.causes.files import absent, denied, missing_data
from reknit.core.causes.node_imports import missing_package
from reknit.core.causes.programs import missing_dependency, missing_library, missing_program, wrong_toolchain
from reknit.core.causes.python_imports import missing_module, missing_name, missing_plugin, old_python
from reknit.core.causes.reading import Reading, happened_before, read
from reknit.core.causes.surroundings import exhausted, hint, missing_browser, missing_locale, missing_variable
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.failure_groups import headline_index, shape_of
from reknit.core.evidence.frames import own_frame
from reknit.core.services.failure import is_failure, is_killed, is_late, is_service_id, remedy_of
from reknit.core.testing.report import WHOLE_SUITE

Rule = Callable[[Reading, TreeFacts], Cause | None]
RULES: tuple[Rule, ...] = (
    missing_data, missing_plugin, old_python, missing_module, missing_name, missing_package, missing_library,
    wrong_toolchain, missing_dependency, missing_browser, development_server, connection, low_port, port_in_use,
    missing_program, missing_variable, missing_locale, denied, exhausted, absent,
)  # fmt: skip
"""The first that knows the words decides."""

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
"""Kinds of what product code names itself, and may name wrongly."""


@dataclass(frozen=True)
class RedTest:
    test: str
    message: str
    file: str = ""


def cause_of(message: str, facts: TreeFacts, *, file: str = "") -> Cause:
    reading = read(message, file)
    lines = find_failing_lines(reading, facts)
    if words := lines.unanswered(reading):
        return _first(replace(reading, words=words), facts)
    if not reading.is_assertion and (cause := _of_words(reading, facts, lines)) != CODE:
        return cause
    # What a failed comparison shows may be data of the test; what a program printed only accompanies its failure.
    if reading.is_assertion or _PROGRAM_FAILED.search(reading.words):
        behind = _of_words(replace(reading, words=reading.text.partition("- Captured ")[2]), facts, lines)
        return _in_doubt(behind) if behind.verdict == "environment" or not reading.is_assertion else CODE
    return _in_doubt(_first(replace(reading, words=reading.text), facts)) if happened_before(reading) else CODE


def _of_words(reading: Reading, facts: TreeFacts, lines: FailingLines) -> Cause:
    if lines.is_last and _NO_PATH.search(reading.words):  # the statement of the test says what was meant
        reading = replace(reading, words=f"{reading.words}\n{lines.statement}")
    cause = _first(reading, facts)
    if cause.verdict == "environment" and cause.kind in _OF_CODES_CHOICE and lines.may_blame_product(cause.kind):
        return _in_doubt(cause)
    return cause if cause != CODE else hint(reading, facts, is_of_test=lines.is_last) or CODE


def _first(reading: Reading, facts: TreeFacts) -> Cause:
    return next((found for rule in RULES if (found := rule(reading, facts))), CODE)


def _in_doubt(cause: Cause) -> Cause:
    return replace(cause, verdict="doubtful") if cause != CODE else CODE


def causes_of(red: Sequence[RedTest], facts: TreeFacts, *, passed: int) -> Mapping[str, Cause]:
    """One cause per red test; a fault that all tests share is seen only by looking at them together."""
    single = {each.test: _of_test(each, facts) for each in red}
    shared = _shared(red) if not passed and len(red) > 1 and set(single.values()) <= {CODE} else None
    return dict.fromkeys(single, shared) if shared else single


def _of_test(red: RedTest, facts: TreeFacts) -> Cause:
    if is_service_id(red.test):
        return _of_service(red.message, facts)
    if red.test.endswith(WHOLE_SUITE):
        return cause_of_output(red.message, facts)
    return cause_of(red.message, facts, file=red.file)


def _of_service(message: str, facts: TreeFacts) -> Cause:
    """A service that runs the project's code."""
    if is_killed(message):
        return _out_of_memory(message.partition("; it printed")[0])
    found = cause_of_output(message, facts)
    is_slow = found == CODE and is_late(message)
    return doubtful("service", message.partition("; it printed")[0], "or raise its `ready_s`") if is_slow else found


def _shared(red: Sequence[RedTest]) -> Cause | None:
    """Nothing passes and everything fails in the same words: hardly what every test is about."""
    headlines = [_headline(each.message) for each in red]
    if len({shape_of(each) for each in headlines}) != 1 or read(red[0].message).is_assertion:
        return None
    said = f"every test fails in the same way: {headlines[0][:160]}"
    ours = any(own_frame(each.message.splitlines()) for each in red)
    if _RUNNER.search(headlines[0]) or (
        not ours and any("-packages/" in each.message or "node_modules/" in each.message for each in red)
    ):
        remedy = "the test runner or a plugin does not fit this project: install the versions it was written for"
        return environment("runner", said, remedy)
    in_set_up = all(each.message.startswith("failed on setup") or "conftest.py:" in each.message for each in red)
    return doubtful("shared", said) if in_set_up else None


def _headline(message: str) -> str:
    lines = message.splitlines()
    return " ".join(lines[headline_index(lines)].split()) if lines else ""


def cause_of_output(output: str, facts: TreeFacts) -> Cause:
    """Of a whole command that is judged by its exit code: several faults may be in one text."""
    found = _first(replace(read(output), words=output[-4000:]), facts)
    if found.verdict == "environment" and _ORDINARY.search(output):
        return _in_doubt(found)
    return found


def cause_of_no_result(why: str, output: str, facts: TreeFacts) -> Cause:
    """Of a test command that gave no result at all; `why` is what its end says."""
    if is_failure(why):
        return environment("service", why, remedy_of(why, output))
    found = cause_of_output(output, facts)
    if found.verdict == "environment":
        return found
    own_words = why.partition(" could not be imported: ")[0]  # what follows was printed by the project
    if "took too long" in own_words:
        return environment("timeout", why, "make the suite faster, or raise `loop.test_wall_s`")
    if "signal 9" in own_words or "exit code 137" in own_words:
        return _out_of_memory(why)
    return found


def _out_of_memory(why: str) -> Cause:
    return environment("memory", f"{why}, probably for lack of memory", "run the tests where there is more memory")
