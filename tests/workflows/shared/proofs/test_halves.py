"""A change is verified in halves, so that its own tests mask nothing."""

from dataclasses import replace

from reknit.core.gate.waiver import Waiver, Waivers
from reknit.workflows.shared.proofs.halves import half_of_change
from tests.workflows.shared.conftest import Scene

SOURCE, TEST = "shop/pricing.py", "tests/test_more.py"


def test_one_half_has_the_test_files_and_the_other_the_rest(scene: Scene) -> None:
    services, spec = scene
    repository = services.workspace(spec).repository
    after = repository.commit_for_tests(spec.base, {SOURCE: "A = 1\n", TEST: "B = 2\n"}, at=1.0)

    def half(*, keep_tests: bool, after: str = after) -> tuple[str, ...]:
        made = half_of_change(services, spec, (spec.base, after), at=1.0, keep_tests=keep_tests)
        return repository.change(spec.base, made).paths

    assert (half(keep_tests=True), half(keep_tests=False)) == ((TEST,), (SOURCE,))
    only_source = repository.commit_for_tests(spec.base, {SOURCE: "A = 1\n"}, at=1.0)
    assert half(keep_tests=True, after=only_source) == ()


def test_a_test_file_that_a_person_allowed_to_change_is_part_of_the_fix(scene: Scene) -> None:
    services, spec = scene
    repository = services.workspace(spec).repository
    after = repository.commit_for_tests(spec.base, {TEST: "B = 2\n"}, at=1.0)
    spec = replace(spec, waivers=Waivers((Waiver("protected-test", TEST, "it is wrong", "--allow"),)))
    made = half_of_change(services, spec, (spec.base, after), at=1.0, keep_tests=False)
    assert repository.change(spec.base, made).paths == (TEST,)
