"""The labels of the checks' runs."""

from reknit.core.tamper_checks.runs import HARNESS_RUNS, LABELS, MOST_ALONE, MOST_PROJECTS, label_of, what_checks_ran


def test_every_label_is_a_run_of_one_project() -> None:
    assert len({*LABELS}) == (3 + MOST_ALONE) * MOST_PROJECTS
    assert all(what_checks_ran(label) for label in LABELS)
    assert label_of("probes", 1) in LABELS


def test_calls_of_the_second_harness_are_told_apart_and_are_no_saved_runs() -> None:
    assert len({*HARNESS_RUNS.values()}) == len(HARNESS_RUNS)
    assert not {label_of(label, 0) for label in HARNESS_RUNS} & {*LABELS}


def test_other_runs_are_not_theirs() -> None:
    assert [what_checks_ran(label) for label in ("again", "alone-with-3", "head")] == ["", "", ""]
