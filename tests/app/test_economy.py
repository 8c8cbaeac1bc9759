"""What a run's prompts cost: they do not grow, most of each is in the provider's cache, and no cause is left out."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from reknit.app.prompts import render_prompt
from reknit.core.agents.call import Aborted, Done, Outcome
from reknit.core.agents.strategy import choose_strategy
from reknit.core.evidence.digest import summarize_failures
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.runs.feedback import explain_failure
from reknit.core.testing.proof import Proof

ITERATIONS = 10
CAUSES = (
    "parse", "load", "store", "sum", "sort", "send", "draw", "open", "close", "read",
    "write", "join", "cut", "hash", "sign", "pack", "lock", "wait", "kill", "move",
)  # fmt: skip
ACCEPTED = GateVerdict((), ("protected-tests",), 1, 3, 1)
SHORT = "AssertionError: assert 190 == 180"
TEST = "tests/test_pricing.py::test_discount"


def printed(headline: str, lines: int) -> str:
    """As pytest prints a failure: the reason, the source, the reason again, the place."""
    source = "".join(f"    prices[{number}] = Price.of(cart.items[{number}])\n" for number in range(lines))
    return (
        f"{headline}\ndef test_discount(cart):\n{source}>       assert total(cart) == 180\n"
        f"E       {headline}\n\ntests/test_pricing.py:{lines + 3}: AssertionError"
    )


def still_red(number: int, lines: int = 12) -> str:
    words = printed(f"AssertionError: assert {190 + number} == 180", lines)
    sentence = f"{TEST} is still red: {words.splitlines()[0]}"
    return explain_failure(ACCEPTED, Proof("still_red", sentence, "junit", output_tail=words), Done())


def refused(*sentences: str, outcome: Outcome | None = None) -> str:
    refusals = tuple(Refusal(f"rule-{place}", "a.py", sentence) for place, sentence in enumerate(sentences))
    return explain_failure(replace(ACCEPTED, refusals=refusals), None, outcome or Done())


def regressed(number: int) -> str:
    tests = [f"tests/test_cart.py::test_sum[{place}]" for place in range(number)]
    output = "\n\n".join(printed(f"KeyError: 'item-{place}'", 20) for place in range(number))
    sentence = f"{number} test(s) are red that were not before: {', '.join(tests[:3])} …"
    return explain_failure(ACCEPTED, Proof("regressed", sentence, "junit", output_tail=output[-4_000:]), Done())


FEEDBACKS = (
    still_red(1),
    refused("the fix changes tests/test_pricing.py, which is a test"),
    still_red(2, lines=40),
    regressed(3),
    refused("the attempt changed no file", outcome=Aborted("turn_limit")),
    still_red(3),
    regressed(9),
    refused("the fix adds `# noqa` to shop/pricing.py", "the fix swallows an exception in shop/pricing.py"),
    still_red(0),
)


@dataclass(frozen=True)
class Case:
    finding: Finding
    evidence: str = ""

    def prompts(self, feedbacks: Sequence[str] = FEEDBACKS) -> list[str]:
        facts = {
            "finding": self.finding,
            "evidence": self.evidence,
            "command": "python -m pytest",
            "conventions": "",
            "own_advice": "",
            "hint": "",
            "attempts": ITERATIONS,
        }
        return [
            render_prompt(
                "fix_tests", {**facts, "attempt": number, "strategy": choose_strategy(number), "feedback": told}
            )
            for number, told in enumerate(("", *feedbacks), 1)
        ]


def failing(subject: str, message: str, number: int = 1) -> Finding:
    return Finding(f"T-{number}", "tests", "test-failed", subject, subject.partition("::")[0], message=message)


def marker(cause: str) -> str:
    return f"ValueError: cannot {cause} record"


CROWD = [
    failing(
        f"tests/test_{number % 7}.py::test_record[{number}]",
        printed(f"{marker(CAUSES[number % 20])} {number} at 0x7f{number:06x}", 60),
        number,
    )
    for number in range(2_000)
]
CASES = [
    pytest.param(Case(failing(TEST, SHORT)), id="one failing test with a short message"),
    pytest.param(Case(failing(TEST, printed(SHORT, 130))), id="one with a message of 6 KB"),
    pytest.param(Case(CROWD[7], summarize_failures(CROWD)), id="2,000 failing tests in 20 groups"),
    pytest.param(Case(CROWD[7], summarize_failures(CROWD[:2])), id="two failing tests"),
]


@pytest.mark.parametrize("case", CASES)
def test_prompts_do_not_grow_over_ten_iterations(case: Case) -> None:
    assert abs(slope([size(prompt) for prompt in case.prompts()])) <= 0.01


@pytest.mark.parametrize("case", CASES)
def test_nor_when_every_attempt_but_the_first_is_told_all_that_fits(case: Case) -> None:
    endless = "\n".join(f"line {number} of what the tests printed" for number in range(2_000))
    prompts = case.prompts([endless] * (ITERATIONS - 1))
    assert 0 < slope([size(prompt) for prompt in prompts]) <= 0.01
    assert common_prefix(prompts[0], prompts[1]) >= 0.8 * size(prompts[1])


@pytest.mark.parametrize("case", CASES)
def test_four_fifths_of_each_prompt_are_those_of_the_one_before(case: Case) -> None:
    prompts = case.prompts()
    assert len(set(prompts)) == ITERATIONS
    for before, after in itertools.pairwise(prompts):
        assert common_prefix(before, after) >= 0.8 * size(after)


def test_so_they_are_when_a_run_turns_to_another_finding() -> None:
    """The tree is the same: the finding before was given up."""
    evidence = summarize_failures(CROWD)
    prompts = [prompt for finding in CROWD[5:8] for prompt in Case(finding, evidence).prompts()]
    for before, after in itertools.pairwise(prompts):
        assert common_prefix(before, after) >= 0.8 * size(after)


def test_the_evidence_holds_every_cause_in_twelve_kilobytes() -> None:
    evidence = summarize_failures(CROWD)
    assert size(evidence) <= 12_000
    assert [cause for cause in CAUSES if evidence.count(f"{marker(cause)} ") == 0] == []
    assert evidence.count("\n- 100x ") == 20
    raw = sum(size(finding.message) for finding in CROWD)
    assert size(evidence) <= 0.003 * raw


def test_each_prompt_names_its_test_and_says_what_happened_before() -> None:
    _first, second, third, *_others = Case(CROWD[7], summarize_failures(CROWD)).prompts()
    assert f"The test to repair: {CROWD[7].subject}\n" in second
    assert "AssertionError: assert 191 == 180" in second
    assert "which is a test" in third
    assert "assert 191 == 180" not in third, "only the attempt before is told of"


def size(text: str) -> int:
    return len(text.encode())


def slope(sizes: Sequence[int]) -> float:
    """Least squares: bytes per iteration, as a part of the mean."""
    middle, mean = (len(sizes) - 1) / 2, sum(sizes) / len(sizes)
    rise = sum((place - middle) * (value - mean) for place, value in enumerate(sizes))
    return rise / sum((place - middle) ** 2 for place in range(len(sizes))) / mean


def common_prefix(one: str, other: str) -> int:
    pairs = zip(one.encode(), other.encode(), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
