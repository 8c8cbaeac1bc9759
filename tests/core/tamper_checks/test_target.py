"""The tests that are looked at: a few, which nobody can foresee."""

from reknit.core.tamper_checks.checks import TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.target import MOST_TARGETS, chosen_targets, targets_of


def test_a_target_has_its_file_and_its_failure() -> None:
    found = targets_of(["a/t.py::one", "pkg.Test"], {"pkg.Test": "pkg_test.go"}, {"pkg.Test": "no"})
    assert found == (TargetTest("a/t.py::one", "a/t.py"), TargetTest("pkg.Test", "pkg_test.go", "no"))


def test_as_many_as_are_looked_at_stay_in_their_order() -> None:
    tests = [f"t.py::test_{number}" for number in reversed(range(MOST_TARGETS))]
    assert [*chosen_targets(tests, (), Names("one"))] == tests


def test_of_many_tests_the_seed_chooses() -> None:
    tests = [f"t.py::test_{number}" for number in range(100)]
    one, other = (chosen_targets(tests, (), Names(seed)) for seed in ("one", "other"))
    assert len(one) == len(other) == MOST_TARGETS
    assert one != other
    assert [*one] == sorted(one)
    assert one == chosen_targets(tests, (), Names("one"))


def test_what_the_attempt_was_about_comes_first() -> None:
    tests = [f"t.py::test_{number}" for number in range(100)]
    asked = tests[7:10]
    for seed in ("one", "other"):
        assert {*asked} < {*chosen_targets(tests, asked, Names(seed))}
    assert {*chosen_targets(tests, tests[:50], Names("one"))} < {*tests[:50]}
