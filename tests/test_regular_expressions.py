"""Every regular expression of the package is linear in its text: 1 MB of its worst case takes three seconds at most.

`make check` feeds a part of it, in as small a part of the time; `make long` all of it.
"""

import fcntl
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL, SIGXCPU

import pytest

from tests.tools.pattern_attack import FULL, slowest
from tests.tools.pattern_inventory import Expression, foreign_imports, inventory

LIMIT_S = 3.0
"""Of processor time. The slowest takes 0.6 s to 1 s; one that is not linear, hours: a slow machine fails no test."""
PARTS = 12
LONG = pytest.mark.long


def _of_a_key() -> bytes:
    from reknit.core.gateway.policy import KeyBlanking

    return KeyBlanking("sk-ant-" + 20 * "aA0").pattern


def _of_a_login() -> bytes:
    from reknit.core.setup.registries import AnswerFilter

    return AnswerFilter((), ["Bearer " + 20 * "aA0"]).pattern.pattern


BUILT_AT_RUN_TIME: dict[str, Callable[[], str | bytes]] = {
    "app/prompts.py:sub": lambda: "`{12,}",
    "core/gateway/policy.py:compile": _of_a_key,
    "core/setup/registries.py:compile": _of_a_login,
    "core/planning/criterion_facts.py:compile": lambda: "x+",  # a model's: it runs where it can be stopped
}
"""`file:function` of a call that builds its pattern -> one that it may be given."""

LINE_BY_LINE = {
    "core/checks/ci_log.py:_TEST_FAILED": 1_000,
    "core/checks/ci_log.py:_CODE_BROKEN": 1_000,
    "core/evidence/failure_groups.py": 400,
}
"""Expressions that are only fed pieces of a text -> characters of the longest. A whole MB of such pieces counts."""


def _all(shared: Path) -> list[Expression]:
    """From `shared`, where the first of all test processes has put the list: it takes seconds to make."""
    with shared.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not shared.stat().st_size:
            code = "from tests.test_regular_expressions import listed; listed()"  # imports everything, so not in here
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            shared.write_text(done.stdout)
    return [
        Expression(where, pattern.encode("latin-1") if is_bytes else pattern, flags, frozenset(uses))
        for where, pattern, is_bytes, flags, uses in json.loads(shared.read_text())
    ]


def listed() -> None:
    found = inventory(BUILT_AT_RUN_TIME)
    assert not found.unknown, f"put together at run time, and BUILT_AT_RUN_TIME has no example: {found.unknown}"
    rows = [
        (each.where, _text(each.pattern), isinstance(each.pattern, bytes), int(each.flags), sorted(each.uses))
        for each in found.expressions
    ]
    print(json.dumps(rows))


def _text(pattern: str | bytes) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern


@pytest.fixture(scope="module")
def expressions(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> list[Expression]:
    shared = tmp_path_factory.getbasetemp().parent / f"expressions-{testrun_uid}"
    distinct = {(each.pattern, each.flags, each.uses): each for each in _all(shared)}
    return sorted(distinct.values(), key=lambda each: (each.where, str(each.pattern)))


def test_all_of_them_are_found(expressions: list[Expression]) -> None:
    assert len(expressions) > 150
    assert not foreign_imports(), "`import re` is the only way to it, or the list has gaps"
    names = {each.where for each in expressions}
    assert {"core/languages/rust/tests.py:_TEST_MARK", "app/prompts.py:29"} <= names
    stale = [where for where in LINE_BY_LINE if not any(name.startswith(where) for name in names)]
    assert not stale


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("most", [pytest.param(FULL // 32, id="32 KB"), pytest.param(FULL, id="1 MB", marks=LONG)])
def test_the_worst_takes_three_seconds_per_megabyte_at_most(
    expressions: list[Expression], part: int, most: int
) -> None:
    late = [found for each in expressions[part::PARTS] if (found := _too_slow(each, most))]
    assert not late, "\n".join(late)


def _too_slow(each: Expression, most: int) -> str:
    size = next((size for where, size in LINE_BY_LINE.items() if each.where.startswith(where)), most)
    slow = slowest(each.pattern, each.flags, sorted(each.uses), LIMIT_S * size / FULL, size)
    if slow.seconds <= LIMIT_S * size / FULL:
        return ""
    return f"{each.where} {slow.method} {slow.characters} characters: {slow.seconds:.2g} s of {slow.text!r}"


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"([ \t]*)#\[test\]", id="blanks before a mark, from every blank"),
        pytest.param(r"\(.*error", id="the rest of the line, from every bracket"),
        pytest.param(r"\s*(?:[A-Z]{40,})?\s*;", id="two runs of blanks side by side"),
        pytest.param(r"(?:a+)+;", id="a repetition of a repetition"),
        pytest.param(r"(?<!\w)(['\"])(.+?)\1(?!\w)", id="a quote that never ends"),
    ],
)
def test_slow_ones_are_caught(pattern: str) -> None:
    """In a process with a limit of processor time: one of them never ends."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (2, 2)); "
    attack = f"slowest({pattern!r}, 0, ['search'], 0.2).seconds > 0.2"
    code = f"{limit}from tests.tools.pattern_attack import slowest; print('begun', flush=True); print({attack})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    caught = done.stdout.split() == ["begun", "True"]
    assert caught or (done.stdout, -done.returncode) in (("begun\n", SIGXCPU), ("begun\n", SIGKILL)), done.stderr
