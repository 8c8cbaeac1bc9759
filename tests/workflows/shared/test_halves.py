"""A change is verified in halves, so that its own tests mask nothing."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.text.untrusted_input import WorkLimits
from reknit.workflows.shared import gate_check
from reknit.workflows.shared import proofs as halves
from reknit.workflows.shared.proofs import split_change
from tests.workflows.shared.conftest import Scene

SOURCE, TEST, NAMED = "shop/pricing.py", "tests/test_more.py", "shop/luhn_test.py"


def paths_of_halves(scene: Scene, files: Mapping[str, str], seen: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Without and with the tests."""
    services, spec = scene
    repository = services.workspace(spec).repository
    after = repository.commit_for_tests(spec.base, files, at=1.0)
    source, tests = asyncio.run(split_change(services, spec, (spec.base, after), seen, at=1.0))
    return [*repository.change(spec.base, source).paths], [*repository.change(spec.base, tests).paths]


def test_one_half_has_the_test_files_and_the_other_the_rest(scene: Scene) -> None:
    assert paths_of_halves(scene, {SOURCE: "A = 1\n", TEST: "B = 2\n"}) == ([SOURCE], [TEST])
    assert paths_of_halves(scene, {SOURCE: "A = 1\n"}) == ([SOURCE], [])


def test_product_with_a_name_of_tests_is_part_of_the_fix(scene: Scene) -> None:
    assert paths_of_halves(scene, {NAMED: "def passes(digits):\n    return 1\n"}) == ([NAMED], [])
    assert paths_of_halves(scene, {NAMED: "def test_passes():\n    assert 1\n"}) == ([], [NAMED])


def test_a_file_in_which_base_had_a_test_is_a_test(scene: Scene) -> None:
    assert paths_of_halves(scene, {SOURCE: "A = 1\n"}, seen=(SOURCE,)) == ([], [SOURCE])


def test_a_test_file_that_a_person_allowed_to_change_is_part_of_the_fix(scene: Scene) -> None:
    services, spec = scene
    waivers = Waivers((Waiver("protected-test", TEST, "it is wrong", "--allow"),))
    assert paths_of_halves((services, replace(spec, waivers=waivers)), {TEST: "B = 2\n"}) == ([TEST], [])


def test_names_decide_if_the_change_could_not_be_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (gate_check, halves):
        monkeypatch.setattr(module, "GATE_LIMITS", WorkLimits(1e-6, 2 << 30))
    assert paths_of_halves(scene, {NAMED: "x = 1\n", SOURCE: "A = 1\n"}) == ([SOURCE], [NAMED])
