"""A receipt says what the loop knows of its fix, and what is the same for every loop."""

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import WaiverUse
from reknit.core.runs.receipt import LandedFix, make_receipt, render_tests
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand


@pytest.mark.parametrize(
    ("tests", "text"),
    [
        pytest.param(["t::one"], "t::one", id="one"),
        pytest.param(["a", "b", "c"], "a, b, c", id="three"),
        pytest.param(["a", "b", "c", "d", "e"], "a, b, c and 2 more", id="five"),
        pytest.param(["a\nFIXED  9 of 9"], "a FIXED 9 of 9", id="a name that adds no line"),
        pytest.param("all", "all", id="as an earlier release stored it"),
    ],
)
def test_the_first_tests_of_a_receipt_are_named(tests: object, text: str) -> None:
    assert render_tests({"tests": tests}) == text


def test_a_receipt_has_the_fix_the_gate_and_the_command() -> None:
    tests = TestCommand("pytest", ("pytest", "-q"), "junit")
    spec = RunSpec("r-1", "/shop", "base", FixTests(), tests, (AgentSettings("claude", "claude"),), box="host")
    fix = LandedFix(
        finding="T-1", tests=("t::one",), base="base", commit="c1", attempt=2, strategy="local", agent="claude",
        evidence="junit", green_after="3 passed", cost_usd=0.5,
    )  # fmt: skip
    receipt = make_receipt(fix, "tree", spec, GateVerdict((), ("too-much", "no-skip"), 1, 5, 2))
    assert vars(receipt) == {
        **vars(fix),
        "tree": "tree",
        "gate": "1 file(s), +5 -2; 2 rules, none refused",
        "rules": ("too-much", "no-skip"),
        "box": "host",
        "command": ("pytest", "-q"),
        "allowed": (),
        "advice": (),
    }


def test_a_receipt_names_what_a_person_allowed_and_what_is_suspected() -> None:
    tests = TestCommand("pytest", ("pytest", "-q"), "junit")
    spec = RunSpec("r-1", "/shop", "base", FixTests(), tests, (AgentSettings("claude", "claude"),))
    fix = LandedFix(
        finding="T-1", tests=(), base="base", commit="c1", attempt=1, strategy="local", agent="claude",
        evidence="junit", green_after="3 passed", cost_usd=0.5,
    )  # fmt: skip
    use = WaiverUse("protected-config", "uv.lock", "as agreed", "config.toml")
    advice = Refusal("test-awareness", "a.py", "a.py now looks for its tests")
    receipt = make_receipt(fix, "tree", spec, GateVerdict((), ("too-much",), 1, 5, 2, (use,), (advice,)))
    assert receipt.advice == ("[test-awareness] a.py now looks for its tests",)
    assert receipt.gate == "1 file(s), +5 -2; 1 rules, 1 refusal allowed by a person"
    assert receipt.allowed == ("protected-config:uv.lock allowed by a person (config.toml: as agreed)",)
