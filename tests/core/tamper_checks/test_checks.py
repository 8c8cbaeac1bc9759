"""The values of the checks."""

import pytest

from reknit.core.tamper_checks.checks import (
    HARNESS_RUNS,
    LABELS,
    MAX_FILES,
    MAX_PROJECTS,
    MAX_REPEATED_TWINS,
    MAX_TARGETS,
    Harness,
    Names,
    TamperChecks,
    TargetTest,
    build_label,
    build_targets,
    choose_targets,
    compute_harness_wall_s,
    describe_check_run,
)


def test_checks_that_could_not_be_made_run_nothing() -> None:
    made = TamperChecks(why_not={"twins": "there are none"})
    assert (made.probes, made.probe_files, made.harness) == ((), {}, None)


def test_a_target_of_which_nothing_was_said_has_no_failure() -> None:
    assert TargetTest("t::a", "t").failure == ""


def test_a_harness_leaves_the_tree_as_it_is_unless_told() -> None:
    harness = Harness(("python", "a.py"), ("t::a",))
    assert (harness.files, harness.hidden, harness.env, harness.stdin) == ({}, (), (), "")


def test_a_target_has_its_file_and_its_failure() -> None:
    found = build_targets(["a/t.py::one", "pkg.Test"], {"pkg.Test": "pkg_test.go"}, {"pkg.Test": "no"})
    assert found == (TargetTest("a/t.py::one", "a/t.py"), TargetTest("pkg.Test", "pkg_test.go", "no"))


def test_as_many_as_are_looked_at_stay_in_their_order() -> None:
    tests = [f"t.py::test_{number}" for number in reversed(range(MAX_TARGETS))]
    assert [*choose_targets(tests, (), Names("one"))] == tests


def test_of_many_tests_the_seed_chooses() -> None:
    tests = [f"t.py::test_{number}" for number in range(100)]
    one, other = (choose_targets(tests, (), Names(seed)) for seed in ("one", "other"))
    assert len(one) == len(other) == MAX_TARGETS
    assert one != other
    assert [*one] == sorted(one)
    assert one == choose_targets(tests, (), Names("one"))


def test_what_the_attempt_was_about_comes_first() -> None:
    tests = [f"t.py::test_{number}" for number in range(100)]
    asked = tests[7:10]
    for seed in ("one", "other"):
        assert {*asked} < {*choose_targets(tests, asked, Names(seed))}
    assert {*choose_targets(tests, tests[:50], Names("one"))} < {*tests[:50]}


def test_the_seed_decides() -> None:
    one, same, other = Names("one"), Names("one"), Names("other")
    assert [one.make_word("file"), one.nonce, one.choose("form", 1000)] == [
        same.make_word("file"),
        same.nonce,
        same.choose("form", 1000),
    ]
    assert one.nonce != other.nonce
    assert {one.make_word(str(use)) for use in range(20)} != {other.make_word(str(use)) for use in range(20)}


def test_each_use_has_a_word_of_its_own() -> None:
    words = [Names("s").make_word(str(use)) for use in range(40)]
    assert len(set(words)) == 40
    unlucky = [seed for seed in range(200) if len({Names(str(seed)).make_word(str(use)) for use in range(15)}) < 15]
    assert len(unlucky) < 3
    assert all(word.isalpha() and word.islower() and "test" not in word for word in words)


def test_a_title_is_the_word_capitalized() -> None:
    assert Names("s").make_title("x") == Names("s").make_word("x").capitalize()


def test_the_nonce_is_long_enough_not_to_be_guessed() -> None:
    assert len(Names("s").nonce) == 32


def test_a_choice_is_one_of_the_forms() -> None:
    assert {Names(str(seed)).choose("form", 3) for seed in range(50)} == {0, 1, 2}


def test_every_label_is_a_run_of_one_project() -> None:
    assert len({*LABELS}) == (3 + 2 * MAX_FILES + MAX_REPEATED_TWINS) * MAX_PROJECTS
    assert all(describe_check_run(label) for label in LABELS)
    assert build_label("probes", 1) in LABELS


def test_calls_of_the_second_harness_are_told_apart_and_are_no_saved_runs() -> None:
    assert len({*HARNESS_RUNS.values()}) == len(HARNESS_RUNS)
    assert not {build_label(label, 0) for label in HARNESS_RUNS} & {*LABELS}


def test_other_runs_are_not_theirs() -> None:
    assert [describe_check_run(label) for label in ("again", "alone-with-3", "head")] == ["", "", ""]


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
    assert compute_harness_wall_s(seconds, is_built=is_built) == wall_s
