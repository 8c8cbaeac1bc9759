"""Evidence: what a prompt shows of failures, always within its room."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reknit.core.evidence.digest import drop_known_lines, excerpt, fit_feedback, summarize_failures
from reknit.core.finding import Finding
from tests.tools.work import quickly

VERBS = (
    "parse", "load", "store", "sum", "sort", "send", "draw", "open", "close", "read",
    "write", "join", "cut", "hash", "sign", "pack", "lock", "wait", "kill", "move",
)  # fmt: skip
TOKEN = "ghp_" + "a1B2" * 10


def failing(subject: str, message: str, file: str = "") -> Finding:
    return Finding("T-1", "tests", "test-failed", subject, file, message=message)


def raised(verb: str, number: int, padding: int = 0) -> str:
    source = "".join(f"    step_{line} = prepare(records[{line}], limits, clock)\n" for line in range(padding))
    return (
        f"ValueError: cannot {verb} record {number} at 0x{number:x}\ndef test_it():\n{source}"
        f">       run(record)\n\ntests/test_it.py:{number}: \n_ _ _ _\n\nshop/{verb}.py:7: ValueError"
    )


def many(count: int, *, padding: int = 0) -> list[Finding]:
    file = "tests/test_it.py"
    return [
        failing(f"{file}::test_it[{number}]", raised(VERBS[number % 20], number, padding), file)
        for number in range(count)
    ]


def size(text: str) -> int:
    return len(text.encode())


def test_nothing_is_said_of_nothing() -> None:
    assert summarize_failures([]) == ""


def test_a_summary_of_failures_reads_as_a_list_of_causes() -> None:
    findings = [
        failing(
            "tests/test_a.py::test_x", "KeyError: 'price'\n>   cart['price']\nshop/a.py:3: KeyError", "tests/test_a.py"
        ),
        failing("PricingTest::adds", "expected: <180> but was: <190>", "src/PricingTest.java"),
        failing(
            "tests/test_a.py::test_y", "KeyError: 'price'\n>   cart['price']\nshop/a.py:3: KeyError", "tests/test_a.py"
        ),
    ]
    assert summarize_failures(findings) == (
        "3 failing test(s) in 2 group(s), one likely cause each, largest first.\n"
        "- 2x tests/test_a.py::test_x: KeyError: 'price'\n"
        "    >   cart['price']\n"
        "    shop/a.py:3: KeyError\n"
        "  also tests/test_a.py::test_y\n"
        "- 1x PricingTest::adds (src/PricingTest.java): expected: <180> but was: <190>"
    )


@pytest.mark.slow
def test_two_thousand_failures_of_twenty_causes_are_all_there_at_once_and_quickly() -> None:
    findings = many(2_000, padding=110)
    assert size(findings[0].message) > 5_000
    with quickly():
        told = summarize_failures(findings)
    assert size(told) <= 12_000
    for verb in VERBS:
        assert f"ValueError: cannot {verb} record" in told
        assert f"shop/{verb}.py:7: ValueError" in told, "the last own frame is kept"
    assert told.count("- 100x ") == 20
    assert told.count(" and 95 more") == 20


def test_the_room_that_small_groups_leave_goes_to_the_others() -> None:
    small = [failing(f"t::{verb}_{verb}", f"cannot {verb}") for verb in VERBS]
    told = summarize_failures([*small, failing("t::large", raised("grow", 1, padding=60))], limit_bytes=3_000)
    assert 2_500 < size(told) <= 3_000
    assert told.count("step_") > 5


def test_groups_that_do_not_fit_are_counted() -> None:
    findings = [failing(f"t::test_{a}{b}", f"cannot {a} a {b}") for a in VERBS for b in VERBS]
    told = summarize_failures(findings, limit_bytes=2_000)
    shown = told.count("\n- ")
    assert size(told) <= 2_000
    assert 10 < shown < 20
    assert told.endswith(f"{400 - shown} more group(s) with {400 - shown} failing test(s) are omitted for space.")


def test_a_long_name_leaves_room_for_the_words() -> None:
    told = summarize_failures(
        [failing(f"{'deep/' * 50}::{verb}", f"cannot {verb}") for verb in VERBS], limit_bytes=2_600
    )
    assert size(told) <= 2_600
    assert [verb for verb in VERBS if f"…: cannot {verb}" not in told] == []


def test_fewer_further_tests_are_named_where_there_is_little_room() -> None:
    findings = [failing(f"tests/test_it.py::test_it[{number}]", f"no {number}") for number in range(9)]
    told = summarize_failures(findings, limit_bytes=180)
    assert told.endswith("\n  also tests/test_it.py::test_it[1] and 7 more")


def test_the_line_that_raised_is_kept_though_it_holds_the_words() -> None:
    told = summarize_failures([failing("t::x", "boom\n>   raise Problem('boom')\nE   boom\nshop/a.py:3: Problem")])
    assert told.endswith("- 1x t::x: boom\n    >   raise Problem('boom')\n    shop/a.py:3: Problem")


def test_the_same_failures_are_told_in_the_same_words() -> None:
    assert summarize_failures(many(300)) == summarize_failures(many(300))


def test_a_summary_holds_no_secret_and_no_line_that_a_name_adds() -> None:
    told = summarize_failures([failing(f"t::x\n- 9x {TOKEN}\x1b[31m", f"no {TOKEN}\n{TOKEN}", f"a\n{TOKEN}")] * 2)
    assert TOKEN not in told
    assert "\x1b" not in told
    assert told.count("\n- ") == 1


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.text(max_size=80), st.text(max_size=400), st.text(max_size=20)), max_size=30),
    st.integers(0, 3_000),
)
def test_a_summary_never_outgrows_its_limit(texts: list[tuple[str, str, str]], limit: int) -> None:
    findings = [failing(subject, message, file) for subject, message, file in texts]
    assert size(summarize_failures(findings, limit_bytes=limit)) <= limit


def test_a_short_text_is_left_alone() -> None:
    assert excerpt("\n\nassert 1 == 2\n\n  more\n", 100) == "assert 1 == 2\n\n  more"


def test_an_excerpt_keeps_the_failure_the_own_frame_and_the_end() -> None:
    noise = [f'  File "/x/site-packages/lib{number}.py", line 1, in call' for number in range(300)]
    log = "\n".join(
        [
            "collecting",
            *noise[:100],
            '  File "/app/shop/a.py", line 3, in total',
            *noise[100:],
            "TypeError: no price",
            *(f"done {number}" for number in range(99)),
        ]
    )
    told = excerpt(log, 500)
    assert size(told) <= 500
    assert '/app/shop/a.py", line 3' in told
    assert "TypeError: no price" in told
    assert told.endswith("done 98")
    assert "\n…\n" in told


def test_a_complaint_that_is_repeated_takes_no_room_from_others() -> None:
    log = "\n".join([f"ERROR: retry {number}" for number in range(500)] + ["FAILED: disk full"] + ["x"] * 500)
    told = excerpt(log, 200)
    assert "FAILED: disk full" in told
    assert told.count("retry") < 3


def test_a_reason_that_is_said_twice_is_kept_once() -> None:
    told = excerpt("\n".join(["KeyError: 'x'", *["noise"] * 90, "E       KeyError: 'x'", "end"]), 60)
    assert told == "KeyError: 'x'\n…\nnoise\n…\nend"


def test_a_huge_log_is_cut_quickly() -> None:
    lines = [
        f"10:{number % 60:02d} INFO worker {number} took {number % 37} ms for /items/{number}"
        for number in range(200_000)
    ]
    lines[100_000] = "panicked: the one thing that matters"
    with quickly():
        told = excerpt("\n".join(lines), 1_000)
    assert "the one thing that matters" in told
    assert size(told) <= 1_000


def test_a_line_without_end_is_cut_at_a_character() -> None:
    told = excerpt("é" * 100_000, 101)
    assert told.endswith("é…")
    assert size(told) <= 101


def test_no_part_of_a_key_gets_through() -> None:
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2] * 20])
    assert "MIIE" not in excerpt(f"{'x ' * 600}\n{key}", 600)
    assert excerpt(f"AssertionError: {TOKEN}", 1_000) == "AssertionError: [GitHub token redacted]"
    short = "AKIA" + "A" * 16  # its replacement is longer than itself
    assert size(excerpt(f"{short} {short}", 41)) <= 41


@settings(max_examples=80)
@given(st.text(max_size=600), st.integers(0, 300))
def test_an_excerpt_never_outgrows_its_limit(text: str, limit: int) -> None:
    assert size(excerpt(text, limit)) <= limit


@pytest.mark.parametrize(
    ("stable", "taken", "most"),
    [
        pytest.param(4_000, 0, 800, id="a fifth"),
        pytest.param(4_000, 300, 700, id="what stands around it counts too, up to a quarter"),
        pytest.param(400, 300, 0, id="no room at all"),
    ],
)
def test_feedback_is_in_proportion_to_what_stays(stable: int, taken: int, most: int) -> None:
    feedback = "\n".join(f"line {number} of the output" for number in range(500))
    told = fit_feedback(feedback, stable, taken_bytes=taken)
    assert most * 0.8 <= size(told) <= most
    assert fit_feedback("short", 4_000) == "short"


@pytest.mark.parametrize(
    ("feedback", "told"),
    [
        pytest.param(
            "it failed\nKeyError", "it failed\nThe rest of its output is the same as above.", id="the same failure"
        ),
        pytest.param("it failed\n\nTypeError", "it failed\n\nTypeError", id="another failure"),
        pytest.param("it failed\n…\n}", "it failed\n…\n}", id="lines that say nothing"),
        pytest.param("", "", id="no feedback"),
    ],
)
def test_what_the_prompt_holds_already_is_not_said_again(feedback: str, told: str) -> None:
    assert drop_known_lines(feedback, "  KeyError\n\n…\n}") == told
