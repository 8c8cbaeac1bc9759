"""Convergence: a run that breeds its own findings ends; one that gets better never does."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.fix_pr.convergence import FindingCounts, curve, diverges, share
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
    assert share(seen) == part


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
    why = diverges(seen, LIMITS)
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
    assert diverges(seen, LIMITS) == sentence


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12, unique=True))
def test_independent_failures_that_go_one_after_the_other_never_end_a_run(counts: list[int]) -> None:
    falling = rounds(*sorted(counts, reverse=True))
    assert all(diverges(falling[:end], LIMITS) == "" for end in range(len(falling) + 1))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=12),
    st.integers(1, 5),
)
def test_one_fall_in_the_last_rounds_is_enough_to_go_on(steps: list[tuple[int, int]], flat_rounds: int) -> None:
    """Whatever new failures come into sight, as long as some round of every row had fewer than the one before."""
    counts = [200]
    for index, (fewer, more) in enumerate(steps):
        counts.append(counts[-1] - 1 - fewer if index % flat_rounds == 0 else counts[-1] + more)
    assert diverges(rounds(*counts), replace(LIMITS, flat_rounds=flat_rounds)) == ""


@given(st.lists(st.integers(0, 5), min_size=3, max_size=8), st.integers(1, 9))
def test_landed_fixes_that_never_help_always_end_a_run(more: list[int], first: int) -> None:
    counts = [first]
    for step in more:
        counts.append(counts[-1] + step)
    assert "loop.flat_rounds" in diverges(rounds(*counts), LIMITS)


@given(st.lists(st.integers(1, 20), max_size=4), st.integers(1, 4), st.integers(1, 20))
def test_a_reviewer_that_always_finds_something_on_own_lines_ends_a_run_in_two_rounds(
    before: list[int], churn_rounds: int, found: int
) -> None:
    limits = replace(LIMITS, churn_rounds=churn_rounds)
    seen = [*rounds(*before), *[after_fix(found, found)] * churn_rounds]
    assert "loop.churn_share" in diverges(seen, limits)


def test_a_round_without_findings_never_counts_whatever_the_limit() -> None:
    limits = replace(LIMITS, churn_share=0.0)
    assert diverges([first_look(4, 0), after_fix(0, 0), after_fix(1, 0)], limits) == ""
    assert "loop.churn_share" in diverges([first_look(4, 0), after_fix(2, 0), after_fix(2, 0)], limits)


def test_own_findings_that_become_fewer_come_to_an_end_by_themselves() -> None:
    assert diverges([first_look(9, 0), after_fix(3, 3), after_fix(2, 2)], LIMITS) == ""
    assert "loop.churn_share" in diverges([first_look(9, 0), after_fix(3, 3), after_fix(3, 2)], LIMITS)


def test_the_curve_reads_on_one_line() -> None:
    seen = [first_look(3, 0, 12, 0), after_fix(5, 3, 60, 20), after_fix(6, 5, 300, 10)]
    assert curve(seen) == "findings 3 › 5 › 6, own 0 % › 60 % › 83 %, +12 › +80 › +310 lines"
    assert curve([first_look(0, 0, -5, 0)]) == "findings 0, own 0 %, -5 lines"
    assert curve([]) == ""


def test_a_long_curve_shows_its_end() -> None:
    told = curve(rounds(*range(15)))
    assert told.startswith("findings … › 5 › 6 ›")
    assert ", own … › 0 %" in told
    assert ", … › +0" in told


def test_a_share_below_the_limit_is_not_shown_as_the_limit() -> None:
    assert ", own 59 %," in curve([after_fix(1000, 599)])
