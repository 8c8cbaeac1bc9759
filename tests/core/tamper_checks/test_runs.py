"""The labels of the checks' runs."""

from reknit.core.tamper_checks.runs import LABELS, MOST_PROJECTS, label_of, what_checks_ran


def test_every_label_is_a_run_of_one_project() -> None:
    assert len({*LABELS}) == 3 * MOST_PROJECTS
    assert all(what_checks_ran(label) for label in LABELS)
    assert label_of("probes", 1) in LABELS


def test_other_runs_are_not_theirs() -> None:
    assert [what_checks_ran(label) for label in ("again", "alone-with-3", "head")] == ["", "", ""]
