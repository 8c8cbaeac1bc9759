"""Logs of CI jobs, cut to what matters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reknit.core.checks.ci_log import failed_lines, log_excerpt, plain_lines
from tests.tools.work import quickly

STAMP = "2026-01-01T00:00:00.0000000Z "
TOKEN = "ghp_" + "a1B2" * 10


def job(*lines: str) -> str:
    return "\ufeff" + "\n".join(STAMP + line for line in lines)


CHECKOUT = (
    "##[group]Operating System", "Ubuntu", "##[endgroup]",
    "##[group]Run actions/checkout@v4", "with:", "  repository: acme/shop", "##[endgroup]",
    "[command]/usr/bin/git version", "git version 2.43.0",
)  # fmt: skip
PYTEST = (
    "##[group]Run pytest -q", "\x1b[36;1mpytest -q\x1b[0m", "shell: /usr/bin/bash -e {0}", "##[endgroup]",
    "..F", "E   assert 1 == 2", "FAILED tests/test_a.py::test_x - assert 1 == 2",
    "##[error]Process completed with exit code 1.",
)  # fmt: skip
CLEANING = ("##[group]Run actions/cache@v4", "##[endgroup]", "Post job cleanup.", "Cleaning up orphan processes")


def size(text: str) -> int:
    return len(text.encode())


def test_a_log_is_cut_to_the_step_that_failed() -> None:
    assert log_excerpt(job(*CHECKOUT, *PYTEST, *CLEANING)) == (
        "Run pytest -q\n"
        "..F\n"
        "E   assert 1 == 2\n"
        "FAILED tests/test_a.py::test_x - assert 1 == 2\n"
        "error: Process completed with exit code 1."
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("2026-01-01T00:00:00.0000000Z said", ["said"], id="a stamp"),
        pytest.param("2026-01-01T00:00:00Z said", ["said"], id="a stamp without fractions"),
        pytest.param(STAMP + STAMP + "said", [STAMP + "said"], id="only the runner's stamp, not the program's"),
        pytest.param("at 2026-01-01T00:00:00.0000000Z", ["at 2026-01-01T00:00:00.0000000Z"], id="a time in a line"),
        pytest.param("\x1b[31;1mred\x1b[0m", ["red"], id="colours"),
        pytest.param(" 10 %\r 90 %\rdone\r", ["done"], id="a progress bar"),
        pytest.param("##[group]Build", ["Build"], id="a group of the program's own"),
        pytest.param("##[endgroup]", [], id="the end of a group"),
        pytest.param("##[debug]x", [], id="what the runner says to itself"),
        pytest.param("##[command]git fetch", [], id="a command"),
        pytest.param("[command]/usr/bin/git fetch", [], id="a command of an action"),
        pytest.param("##[warning]old node", ["warning: old node"], id="a warning"),
        pytest.param("##[notice]new node", ["notice: new node"], id="a notice"),
        pytest.param("##[error]boom", ["error: boom"], id="an error"),
        pytest.param("::error file=a.py,line=3::boom", ["error: boom"], id="an error as tools write it"),
        pytest.param("::add-mask::x", [], id="a word for the runner"),
        pytest.param("::std::fmt::Error", ["::std::fmt::Error"], id="a name that only looks like one"),
        pytest.param("said   ", ["said"], id="blanks at the end"),
    ],
)
def test_a_line_is_told_as_it_was_printed(line: str, told: list[str]) -> None:
    assert [text for text in plain_lines(line) if text] == told


def test_the_runners_copy_of_a_script_is_left_out_once_it_is_whole() -> None:
    assert plain_lines("##[group]Run make\nmake\nenv:\n##[endgroup]\nout") == ["Run make", "out"]
    assert plain_lines("##[group]Run make\nout\nmore") == ["Run make", "out", "more"]
    assert plain_lines("##[group]Run make\nout\n##[error]x\n##[endgroup]") == ["Run make", "out", "error: x"]


def test_every_step_that_failed_is_told_up_to_its_last_error() -> None:
    log = job(
        "##[group]Run a", "1", "##[error]x", "2", "##[error]y", "3", "##[group]Run b", "4", *PYTEST[:1], "##[error]z"
    )
    assert failed_lines(log) == ["Run a", "1", "error: x", "2", "error: y", "Run pytest -q", "error: z"]


def test_a_log_without_marks_is_told_as_a_whole() -> None:
    assert log_excerpt("compiling\nerror: no such thing\nmake: *** [all] Error 1") == (
        "compiling\nerror: no such thing\nmake: *** [all] Error 1"
    )


def test_what_stands_around_a_failure_goes_before_what_stands_elsewhere() -> None:
    noise = [f"covered src/{number}.py completely" for number in range(500)]
    log = job(
        "##[group]Run make test", "##[endgroup]", *noise[:250],
        "    total = price * count", "TypeError: no price", "    in the cart of ann",
        *noise[250:], "##[error]Process completed with exit code 2.",
    )  # fmt: skip
    told = log_excerpt(log, 2_000)
    assert told.startswith("Run make test\n…\n")
    assert "    total = price * count\nTypeError: no price\n    in the cart of ann\n" in told
    assert told.endswith("error: Process completed with exit code 2.")
    assert size(told) <= 2_000


def test_of_a_log_that_names_no_failure_the_end_is_told() -> None:
    told = log_excerpt("\n".join(f"step {number} of many" for number in range(900)), 300)
    assert told.startswith("step 0 of many\n…\n")
    assert told.endswith("step 899 of many")


def test_a_log_holds_no_secret_and_no_log_says_nothing() -> None:
    assert TOKEN not in log_excerpt(job("##[group]Run x", f"token {TOKEN}", "##[error]x"))
    assert log_excerpt("") == ""


@pytest.mark.parametrize(
    "log",
    [
        pytest.param("\n".join(f"{STAMP}ERROR {number} in /x/{number}" for number in range(20_000)), id="only errors"),
        pytest.param("##[group]Run x\n" * 30_000, id="only groups"),
        pytest.param("##[group]Run x\n" + "a\n" * 100_000, id="a group without end"),
        pytest.param("x" * 1_000_000, id="one line without end"),
        pytest.param("::error " * 100_000, id="marks without end"),
    ],
)
def test_a_huge_log_is_cut_quickly(log: str) -> None:
    with quickly():
        assert size(log_excerpt(log)) <= 4_000


LINES = st.one_of(st.text(max_size=80), st.sampled_from([*CHECKOUT, *PYTEST, *CLEANING, STAMP, "\r", "::error::x"]))


@settings(max_examples=60)
@given(st.lists(LINES, max_size=40), st.integers(0, 600))
def test_a_cut_never_outgrows_its_limit_and_is_always_the_same(lines: list[str], limit: int) -> None:
    log = job(*lines)
    assert size(log_excerpt(log, limit)) <= limit
    assert log_excerpt(log, limit) == log_excerpt(log, limit)
