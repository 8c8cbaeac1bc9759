"""What the next attempt learns about the one before it: reasons, never a transcript."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, Done, Outcome
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.runs import feedback
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import WHOLE_SUITE

FINDING = Finding("T-1", "tests", "test-failed", "tests/test_a.py::TestA::test_x", message="\n  first line\nsecond")
REFUSAL = Refusal("protected-test", "tests/test_a.py", "the fix deleted a test")
REFUSED = GateVerdict((REFUSAL,), ("a", "b"), 1, 2, 3)


@pytest.mark.parametrize(
    ("gate", "proof", "outcome", "text"),
    [
        pytest.param(
            REFUSED, None, Done(), "The change was refused by the gate:\n- the fix deleted a test", id="refused"
        ),
        pytest.param(
            GateVerdict((), (), 1, 1, 1),
            Proof("still_red", "still red", "junit", output_tail="tail"),
            Done(),
            "The change failed verification: still red\ntail",
            id="not proven",
        ),
        pytest.param(
            GateVerdict(
                (
                    Refusal("protected-tests", "a.py", "a.py is a test"),
                    Refusal("no-symlink", "l", "l is a link"),
                    Refusal("protected-tests", "b.py", "b.py is a test"),
                ),
                (),
                3,
                1,
                1,
            ),
            None,
            Done(),
            "The change was refused by the gate:\n- a.py is a test (and 1 more of this kind)\n- l is a link",
            id="refused twice by one rule",
        ),
        pytest.param(
            REFUSED,
            None,
            Aborted("turn_limit"),
            "The attempt ended as: turn_limit\nThe change was refused by the gate:\n- the fix deleted a test",
            id="refused, and cut short",
        ),
        pytest.param(None, None, Aborted("timeout"), "The attempt ended as: timeout", id="broke"),
        pytest.param(None, Proof("proven", "", "junit"), Done(), "The attempt ended as: done", id="proven"),
    ],
)
def test_the_next_attempt_is_told_reasons(
    gate: GateVerdict | None, proof: Proof | None, outcome: Outcome, text: str
) -> None:
    assert feedback.explain_failure(gate, proof, outcome) == text


def test_of_a_long_output_the_next_attempt_is_told_what_matters() -> None:
    output = "\n".join(
        ["KeyError: 'price'", *(f"noise {number}" for number in range(2_000)), "shop/a.py:3: KeyError", "end"]
    )
    told = feedback.explain_failure(None, Proof("still_red", "still red", "junit", output_tail=output), Done())
    assert len(told) < 1_700
    assert told.startswith("The change failed verification: still red\nKeyError: 'price'\n…\n")
    assert told.endswith("\nshop/a.py:3: KeyError\nend")


@pytest.mark.parametrize(
    ("subject", "message", "line"),
    [
        pytest.param("t::x", "\nassert 1 == 2\nmore", "assert 1 == 2", id="a test's own first words"),
        pytest.param("t::x", "", "", id="a test without words"),
        pytest.param(WHOLE_SUITE, "> shop@1 test\nTypeError: x\ndone", "TypeError: x", id="the last line of a failure"),
        pytest.param(WHOLE_SUITE, "a\nb", "b", id="the last line where none speaks of a failure"),
    ],
)
def test_the_telling_line_of_a_failure(subject: str, message: str, line: str) -> None:
    assert feedback.find_telling_line(replace(FINDING, subject=subject, message=message)) == line
