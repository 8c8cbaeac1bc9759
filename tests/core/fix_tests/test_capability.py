from reknit.core.fix_tests.capability import FIX_TESTS


def test_it_lands_on_a_branch_and_its_steps_are_shown_by_name() -> None:
    assert (FIX_TESTS.lands, dict(FIX_TESTS.phases), FIX_TESTS.runs_tests) == ("branch", {}, True)
