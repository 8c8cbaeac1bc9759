"""The values of the checks."""

from reknit.core.tamper_checks.checks import Harness, MadeChecks, TargetTest


def test_checks_that_could_not_be_made_run_nothing() -> None:
    made = MadeChecks(why_not={"twins": "there are none"})
    assert (made.probes, made.probe_files, made.harness) == ((), {}, None)


def test_a_target_of_which_nothing_was_said_has_no_failure() -> None:
    assert TargetTest("t::a", "t").failure == ""


def test_a_harness_leaves_the_tree_as_it_is_unless_told() -> None:
    harness = Harness(("python", "a.py"), ("t::a",))
    assert (harness.files, harness.hidden, harness.env, harness.stdin) == ({}, (), (), "")
