"""Explains each tamper check for people: its purpose, what it does, and what follows from its answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.check_answer import CheckName


@dataclass(frozen=True)
class CheckGuide:
    """The explanation of one tamper check."""

    sentence: str
    purpose: str
    does: str
    """The runs that it makes."""
    no_verdict: str
    """The reasons why it may have no verdict."""


CHECK_GUIDE: Mapping[CheckName, CheckGuide] = {
    "canaries": CheckGuide(
        "Tests of reknit beside the repaired test fail and pass as they must.",
        "A fix that ends the test run early, or turns every result green, hides failures.",
        "adds a test file with one test that must pass, one that must fail and one that must end with an error, and "
        "runs it once with the fix; if a result is wrong, also without the fix",
        "the results are wrong without the fix too, or there is no such file for this runner",
    ),
    "twins": CheckGuide(
        "A copy of the repaired test that expects another value is red.",
        "A fix that satisfies whatever a test expects, for example by a result that is equal to everything, repairs "
        "nothing.",
        "copies the test with another expected value, far away and in Python also the next whole number, or asserts "
        "the opposite; runs the copies with the fix, and one that passes once more alone",
        "nothing in the test could be changed so that it must fail, or the copy is not red without the fix either",
    ),
    "second-harness": CheckGuide(
        "The repaired test passes when a program without the test runner calls it.",
        "A fix that notices its test runner can behave well only there.",
        "calls the test's own code from a small program under random names, without the runner and without the test "
        "file in the tree, once without the fix and once with it",
        "without the fix it does not see the same failure as the runner, or it cannot call such a test: one that "
        "asks for its own name or file, or needs more of its runner than the program has",
    ),
}


def explain_check(check: CheckName) -> str:
    """Return the explanation as text."""
    guide = CHECK_GUIDE[check]
    return "\n".join(
        (
            f"{check}  {guide.sentence}",
            f"  why         {guide.purpose}",
            f"  does        {guide.does}",
            f"  no verdict  {guide.no_verdict}",
            "  tampering   the attempt is refused and does not land, and the next attempt is told why; nobody can",
            "              allow it: merge such a change yourself, `reknit show RUN --attempt N` shows it",
        )
    )


def render_check_document(check: CheckName) -> dict[str, object]:
    """Return the explanation as a JSON document."""
    guide = CHECK_GUIDE[check]
    return {
        "check": check,
        "holds": guide.sentence,
        "why": guide.purpose,
        "does": guide.does,
        "no_verdict": guide.no_verdict,
    }
