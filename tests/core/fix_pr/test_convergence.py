"""Convergence: a run that breeds its own findings ends; one that gets better never does."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.finding import Finding
from reknit.core.fix_pr.convergence import (
    FindingCounts,
    compute_own_share,
    explain_divergence,
    format_curve,
    hash_failures,
    is_stalled,
)
from reknit.core.runs.limits import PullLimits

LIMITS = PullLimits()


def first_look(findings: int, own: int, source: int = 0, tests: int = 0) -> FindingCounts:
    return FindingCounts(findings, own, landed=False, grown_source=source, grown_tests=tests)


def after_fix(findings: int, own: int, source: int = 0, tests: int = 0) -> FindingCounts:
    return FindingCounts(findings, own, landed=True, grown_source=source, grown_tests=tests)


def rounds(*counts: int) -> list[FindingCounts]:
    """Each but the first after a fix that landed."""
    return [FindingCounts(count, 0, index > 0, 0, 0) for index, count in enumerate(counts)]


def shares(*own_of_ten: int) -> list[FindingCounts]:
    """Numbers that fall after every second round, so that only the share can be the reason."""
    tens = [9, 5, 5, 4, 4]
    return [
        FindingCounts(10 * ten, own * ten, index > 0, 0, 0)
        for index, (own, ten) in enumerate(zip(own_of_ten, tens, strict=False))
    ]


@pytest.mark.parametrize(
    ("seen", "part"),
    [
        pytest.param(after_fix(6, 5), 5 / 6, id="a part"),
        pytest.param(after_fix(0, 0), 0.0, id="nothing found"),
        pytest.param(after_fix(2, 3), 1.0, id="never more than all"),
    ],
)
def test_the_share_is_of_the_findings(seen: FindingCounts, part: float) -> None:
    assert compute_own_share(seen) == part


@pytest.mark.parametrize(
    ("seen", "setting"),
    [
        pytest.param([], "", id="nothing was seen yet"),
        pytest.param(rounds(5), "", id="a first look"),
        pytest.param(rounds(5, 4, 2, 1), "", id="an ordinary run"),
        pytest.param(shares(0, 6), "", id="one round of own findings"),
        pytest.param(shares(0, 6, 6), "loop.churn_share", id="two rounds of mostly own findings"),
        pytest.param(shares(0, 6, 5, 6), "", id="two rounds, but not in a row"),
        pytest.param(shares(0, 5, 5, 5), "", id="half of them own"),
        pytest.param(shares(0, 9, 9, 0), "", id="own findings that are gone again"),
        pytest.param(
            [replace(seen, landed=False) for seen in shares(9, 9, 9)], "", id="own lines before anything landed"
        ),
        pytest.param(
            [*shares(0, 9), replace(shares(0, 0, 9)[2], landed=False)],
            "loop.churn_share",
            id="a fix that did not land leaves the earlier ones there",
        ),
        pytest.param([*shares(0, 9), after_fix(0, 0)], "", id="a round without findings"),
        pytest.param([*shares(0, 9), after_fix(0, 0), *shares(0, 9)[1:]], "", id="it interrupts the row"),
        pytest.param(rounds(5, 5, 5, 5), "loop.flat_rounds", id="three landed fixes and nothing became less"),
        pytest.param(rounds(3, 5, 6, 7), "loop.flat_rounds", id="three landed fixes and more each time"),
        pytest.param(rounds(9, 3, 3, 3, 3), "loop.flat_rounds", id="better once, then flat"),
        pytest.param(rounds(5, 5, 5), "", id="two rounds are not three"),
        pytest.param(rounds(5, 5, 4, 4, 4), "", id="it fell in between"),
        pytest.param(rounds(1, 20, 15, 10), "", id="a mended build shows the tests behind it"),
        pytest.param(rounds(3, 2, 1, 8), "", id="the last stage shows more at once"),
        pytest.param(rounds(2, 2, 2, 0), "", id="all gone at last"),
        pytest.param(
            [replace(seen, landed=index != 2) for index, seen in enumerate(rounds(5, 5, 5, 5))],
            "",
            id="a fix that did not land is no round of these",
        ),
        pytest.param(
            [replace(seen, landed=True) for seen in rounds(5, 5, 5)], "", id="a first look has nothing before it"
        ),
        pytest.param([after_fix(1, 0, 401, 0)], "loop.grown_source", id="too much source"),
        pytest.param([after_fix(1, 0, 0, 401)], "loop.grown_tests", id="too many tests"),
        pytest.param([after_fix(1, 0, 400, 400)], "", id="just as much as allowed"),
        pytest.param([after_fix(1, 0, 401, 0), after_fix(1, 0, 10, 0)], "", id="it shrank again"),
        pytest.param([after_fix(0, 0, 900, 900)], "", id="large, and nothing is left to fix"),
    ],
)
def test_a_run_ends_when_it_does_not_come_to_an_end(seen: list[FindingCounts], setting: str) -> None:
    why = explain_divergence(seen, LIMITS)
    assert setting in why
    assert bool(why) is bool(setting)


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        pytest.param(
            [first_look(3, 0), after_fix(5, 3), after_fix(6, 5)],
            "its own fixes breed new findings: 83 % of the latest are on lines this run wrote; the limit is 60 % "
            "(loop.churn_share) for 2 rounds in a row (loop.churn_rounds)",
            id="own findings",
        ),
        pytest.param(
            rounds(3, 3, 4, 4),
            "fixes landed but the findings did not decrease (3, now 4); the limit is 3 rounds in a row "
            "(loop.flat_rounds)",
            id="flat",
        ),
        pytest.param(
            [after_fix(1, 0, 500, 0)],
            "its fixes added 500 lines of source to the pull request; the limit is 400 (loop.grown_source)",
            id="source",
        ),
        pytest.param(
            [after_fix(1, 0, 0, 500)],
            "its fixes added 500 lines of tests to the pull request; the limit is 400 (loop.grown_tests)",
            id="tests",
        ),
    ],
)
def test_the_sentence_names_the_limit_its_value_and_its_setting(seen: list[FindingCounts], sentence: str) -> None:
    assert explain_divergence(seen, LIMITS) == sentence


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12, unique=True))
def test_independent_failures_that_go_one_after_the_other_never_end_a_run(counts: list[int]) -> None:
    falling = rounds(*sorted(counts, reverse=True))
    assert all(explain_divergence(falling[:end], LIMITS) == "" for end in range(len(falling) + 1))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=12),
    st.integers(1, 5),
)
def test_one_fall_in_the_last_rounds_is_enough_to_go_on(steps: list[tuple[int, int]], flat_rounds: int) -> None:
    """Whatever new failures come into sight, as long as some round of every row had fewer than the one before."""
    counts = [200]
    for index, (fewer, more) in enumerate(steps):
        counts.append(counts[-1] - 1 - fewer if index % flat_rounds == 0 else counts[-1] + more)
    assert explain_divergence(rounds(*counts), replace(LIMITS, flat_rounds=flat_rounds)) == ""


@given(st.lists(st.integers(0, 5), min_size=3, max_size=8), st.integers(1, 9))
def test_landed_fixes_that_never_help_always_end_a_run(more: list[int], first: int) -> None:
    counts = [first]
    for step in more:
        counts.append(counts[-1] + step)
    assert "loop.flat_rounds" in explain_divergence(rounds(*counts), LIMITS)


@given(st.lists(st.integers(1, 20), max_size=4), st.integers(1, 4), st.integers(1, 20))
def test_a_reviewer_that_always_finds_something_on_own_lines_ends_a_run_in_two_rounds(
    before: list[int], churn_rounds: int, found: int
) -> None:
    limits = replace(LIMITS, churn_rounds=churn_rounds)
    seen = [*rounds(*before), *[after_fix(found, found)] * churn_rounds]
    assert "loop.churn_share" in explain_divergence(seen, limits)


def test_a_round_without_findings_never_counts_whatever_the_limit() -> None:
    limits = replace(LIMITS, churn_share=0.0)
    assert explain_divergence([first_look(4, 0), after_fix(0, 0), after_fix(1, 0)], limits) == ""
    assert "loop.churn_share" in explain_divergence([first_look(4, 0), after_fix(2, 0), after_fix(2, 0)], limits)


def test_own_findings_that_become_fewer_come_to_an_end_by_themselves() -> None:
    assert explain_divergence([first_look(9, 0), after_fix(3, 3), after_fix(2, 2)], LIMITS) == ""
    assert "loop.churn_share" in explain_divergence([first_look(9, 0), after_fix(3, 3), after_fix(3, 2)], LIMITS)


def test_the_curve_reads_on_one_line() -> None:
    seen = [first_look(3, 0, 12, 0), after_fix(5, 3, 60, 20), after_fix(6, 5, 300, 10)]
    assert format_curve(seen) == "findings 3 › 5 › 6, own 0 % › 60 % › 83 %, +12 › +80 › +310 lines"
    assert format_curve([first_look(0, 0, -5, 0)]) == "findings 0, own 0 %, -5 lines"
    assert format_curve([]) == ""


def test_a_long_curve_shows_its_end() -> None:
    told = format_curve(rounds(*range(15)))
    assert told.startswith("findings … › 5 › 6 ›")
    assert ", own … › 0 %" in told
    assert ", … › +0" in told


def test_a_share_below_the_limit_is_not_shown_as_the_limit() -> None:
    assert ", own 59 %," in format_curve([after_fix(1000, 599)])


TEST = Finding("T-1", "tests", "test-failed", "tests/test_a.py::test_x", "tests/test_a.py", 3, "assert 1 == 2")
LINT = Finding("C-1", "ci", "lint", "lint", message="a.py:1: F401")
REVIEW = Finding("R-1", "review", "correctness", "", "src/a.py", 12, "a race", weight="important")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            [TEST], [replace(TEST, id="T-9", line=40, message="KeyError")], True, id="lines and messages move"
        ),
        pytest.param([TEST, LINT], [LINT, TEST], True, id="the order does not matter"),
        pytest.param([TEST], [replace(TEST, subject="tests/test_a.py::test_y")], False, id="another test"),
        pytest.param([TEST], [replace(TEST, file="elsewhere.py")], True, id="a test is known by its name"),
        pytest.param([REVIEW], [replace(REVIEW, file="src/b.py")], False, id="another file"),
        pytest.param([REVIEW], [replace(REVIEW, rule="style")], False, id="another rule"),
        pytest.param([REVIEW], [replace(REVIEW, source="tool")], False, id="another source"),
        pytest.param([REVIEW], [REVIEW, REVIEW], False, id="one finding of a file became two"),
        pytest.param([TEST, REVIEW], [TEST], False, id="one of two is gone"),
        pytest.param([TEST, replace(REVIEW, weight="minor")], [TEST], True, id="minor findings come and go"),
    ],
)
def test_a_signature_names_what_fails(one: list[Finding], other: list[Finding], same: bool) -> None:
    assert (hash_failures(one) == hash_failures(other)) is same


def test_nothing_that_fails_has_no_signature() -> None:
    assert hash_failures([]) == ""
    assert hash_failures([replace(REVIEW, weight="minor")]) == ""


def test_a_signature_survives_any_name() -> None:
    assert hash_failures([replace(TEST, subject="\udcff")]) != hash_failures([replace(TEST, subject="x\0y")])


def test_a_signature_is_the_same_on_every_machine() -> None:
    assert hash_failures([TEST, LINT]) == "0b3b2cbfd7ab255f4253"


@pytest.mark.parametrize(
    ("signatures", "after", "stalled"),
    [
        pytest.param(["a", "a", "a"], 3, True, id="three times the same"),
        pytest.param(["b", "a", "a", "a"], 3, True, id="only the last ones count"),
        pytest.param(["a", "a"], 3, False, id="too few looks"),
        pytest.param(["a", "b", "a"], 3, False, id="something changed in between"),
        pytest.param(["a", "a", "a", "b"], 3, False, id="the last look saw something else"),
        pytest.param(["", "", ""], 3, False, id="nothing failed"),
        pytest.param(["a"], 1, True, id="at the first sight, when asked to"),
        pytest.param([], 1, False, id="no look at all"),
        pytest.param(["a", "a"], 0, False, id="zero is never reached"),
    ],
)
def test_a_stall_is_the_same_failure_in_a_row(signatures: list[str], after: int, stalled: bool) -> None:
    assert is_stalled(signatures, after) is stalled


@given(st.lists(st.sampled_from(["", "a", "b"]), max_size=8), st.integers(1, 4))
def test_a_stall_ends_with_the_first_other_failure(signatures: list[str], after: int) -> None:
    assert not is_stalled([*signatures, "c"], max(after, 2))
    assert is_stalled([*signatures, *["c"] * after], after)
