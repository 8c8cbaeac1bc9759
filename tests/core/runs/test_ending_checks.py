"""No combination of command, options and observed checks ends well without the checks of the table."""

from itertools import product

import pytest
from scripts.ending_checks import CHECKS, RESTS_ON

from reknit.core.capabilities import CAPABILITIES
from reknit.core.checks.proof import (
    explain_refused_proof,
    judge_proof,
    judge_without_asked_tests,
    prove_asked_tests,
    select_turned_green,
)
from reknit.core.checks.tests import judge_commit_tests
from reknit.core.runs.ending import EXIT_CODES
from tests.tools.ending_cases import CASES
from tests.tools.run_cases import BOTH, SEEN, report

GOOD = ("CLEAN", "FIXED", "PARTIAL", "RESOLVED")


def test_the_table_has_every_command_and_explains_every_check() -> None:
    assert {*RESTS_ON} == {*CAPABILITIES, "fix plan"} == {*CASES}
    used = {check for words in RESTS_ON.values() for checks in words.values() for check in checks}
    assert used == {*CHECKS}
    assert (
        {word for word, code in EXIT_CODES.items() if not code}
        <= {*GOOD}
        == {word for words in RESTS_ON.values() for word in words}
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
def test_no_good_ending_lacks_a_check_of_the_table(kind: str) -> None:
    rows = RESTS_ON[kind]
    good = [case for case in CASES[kind]() if case[0] in GOOD]
    lacking = {(word, *sorted({*rows.get(word, ("a row",))} - checks)) for word, checks in good}
    assert sorted(each for each in lacking if len(each) > 1) == []
    assert {word for word, _ in good} == {*rows}, "a row that no combination reaches is stale"


def test_no_fix_lands_that_does_not_prove_the_tests_it_turned_green() -> None:
    """Whatever else it was asked about: `fix pr` and `fix issues` ask this of every fix."""
    landed = 0
    for again, without, after, is_asked in product(SEEN, SEEN, SEEN, BOTH):
        red, green = judge_commit_tests(report("failed"), None), judge_commit_tests(report(after), None)
        asked = ("t",) if is_asked else ()
        turned = select_turned_green(red, green, asked)
        if turned:
            proof = judge_proof(prove_asked_tests(turned, 1, report(again), report(without)), (), ())
        else:
            proof = judge_without_asked_tests("junit", (), asked)
        if not explain_refused_proof(proof):
            landed += bool(turned)
            assert not turned or (again, without) == ("passed", "failed")
            assert bool(proof.fixed) == bool(turned)
    assert landed
