"""The labels of the checks' runs, and how long the second harness may take."""

import pytest

from reknit.core.tamper_checks.runs import (
    HARNESS_RUNS,
    LABELS,
    MOST_ALONE,
    MOST_FILES,
    MOST_PROJECTS,
    harness_wall_s,
    label_of,
    what_checks_ran,
)


def test_every_label_is_a_run_of_one_project() -> None:
    assert len({*LABELS}) == (3 + 2 * MOST_FILES + MOST_ALONE) * MOST_PROJECTS
    assert all(what_checks_ran(label) for label in LABELS)
    assert label_of("probes", 1) in LABELS


def test_calls_of_the_second_harness_are_told_apart_and_are_no_saved_runs() -> None:
    assert len({*HARNESS_RUNS.values()}) == len(HARNESS_RUNS)
    assert not {label_of(label, 0) for label in HARNESS_RUNS} & {*LABELS}


def test_other_runs_are_not_theirs() -> None:
    assert [what_checks_ran(label) for label in ("again", "alone-with-3", "head")] == ["", "", ""]


@pytest.mark.parametrize(
    ("seconds", "is_built", "wall_s"),
    [
        pytest.param(0.4, False, 10.0, id="a quick test has a few seconds"),
        pytest.param(3.0, False, 30.0, id="a multiple of its own time"),
        pytest.param(3.0, True, 60.0, id="time to compile"),
        pytest.param(90.0, True, 300.0, id="never longer than before"),
        pytest.param(0.0, False, 300.0, id="its time is not known"),
    ],
)
def test_a_test_that_hangs_in_the_second_harness_is_ended_soon(
    seconds: float, *, is_built: bool, wall_s: float
) -> None:
    assert harness_wall_s(seconds, is_built=is_built) == wall_s
