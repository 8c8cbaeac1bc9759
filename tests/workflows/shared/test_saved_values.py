"""Values that a run saves beside its checkpoints."""

from reknit.core.checks.status import ReviewResult, TestsResult
from reknit.workflows.shared.saved_values import load_value, save_value
from tests.workflows.shared.conftest import Scene


def test_a_value_is_found_again_under_its_name(scene: Scene) -> None:
    services, spec = scene
    seen = TestsResult("pass", (), 3)
    assert save_value(services, spec, "tests-a", seen) is seen
    assert (load_value(services, spec, "tests-a"), load_value(services, spec, "tests-b")) == (seen, None)


def test_an_error_counts_for_its_own_try_only(scene: Scene) -> None:
    services, spec = scene
    failed = save_value(services, spec, "review", ReviewResult("error", why="it crashed"), 1)
    assert load_value(services, spec, "review", 1) == failed
    assert load_value(services, spec, "review", 2) is None, "the next try may succeed"
    good = save_value(services, spec, "review", ReviewResult("pass"), 2)
    assert load_value(services, spec, "review", 1) == good, "and then it counts for all"
