"""Criteria: which are concrete, which are not, and by which word."""

import pytest

from reknit.core.planning.validation.measurable import is_measurable, vague_word, why_not_concrete

EXAMPLES = (
    "All docs have status: current frontmatter",
    "CHANGELOG.md has entries for v1.2 through v1.6",
    "dependabot opens at least one PR within 24h",
    "tests/integration/ session-pool-spawn test passes",
    "advisor stage 4 calls real claude subprocess",
)


@pytest.mark.parametrize(
    "criterion",
    [
        *EXAMPLES,
        "`make lint` passes",
        "All tests pass",
        "README.md exists",
        "docs/old.md does not exist",
        "Output matches `^ok$`",
        "coverage ≥ 90 %",
        "latency ≤ 200 ms",
        "coverage >= ninety percent",
        "open findings <= two",
        "config.toml contains `strict = true`",
        "The exit status equals zero",
        "`reknit doctor` returns zero",
        "`make check` exits cleanly",
        "`cat a` prints `b`",
        "the page HAS a title",
        "Every module has a docstring",
        "At Least one reviewer approves",
        "at  most one retry happens",
        "The job ends within a day",
        "3 issues are closed",
        "response time is under 5 seconds",
        "two pull requests are merged in 24h",
        "exit code is 0",
        "tests/address.py passes",
        "tests/test_address_book.py passes",
        "src/improve.py exists",
        "the `improves` flag has a test",
        "`grep considers README.md` exits with 1",
        "The ADDRESS has a port",
        "the street      \t address exists",
        "each address matches the pattern",
        "every IP address has a name",
        "e-mail addresses match the pattern",
        "reconsidering is not in README.md, which exists",
        "A criterion (see README) exists",
        "“status: current” exists in STATE.md",
        "self-improving.md exists",
        "build passes.",
        "passes: build",
    ],
)
def test_a_concrete_criterion_is_accepted(criterion: str) -> None:
    assert why_not_concrete(criterion) == ""


@pytest.mark.parametrize(
    ("criterion", "vague"),
    [
        ("improve quality", "improve"),
        ("Improves quality", "improves"),
        ("The code improves", "improves"),
        ("Code quality is improved by 10 %", "improved"),
        ("Improving coverage to at least 90 %", "improving"),
        ("IMPROVES the score to >= 5", "improves"),
        ("Considers all 3 cases", "considers"),
        ("we consider the edge cases and all tests pass", "consider"),
        ("Having considered it, README.md exists", "considered"),
        ("considering that it passes", "considering"),
        ("Addresses the 4 findings", "addresses"),
        ("All 5 review comments are addressed", "addressed"),
        ("address every finding within a day", "address"),
        ("tests pass, addressing #12", "addressing"),
        ("The change addresses 2 issues", "addresses"),
        ("every finding is addressed and CI passes", "addressed"),
        ("the addressed findings have tests", "addressed"),
        ("it passes (improves)", "improves"),
        ("each improves its score by 3", "improves"),
        ("`x` passes and improves", "improves"),
        ("", ""),
        ("   ", ""),
        ("quality", ""),
        ("Code is better", ""),
        ("docs are up to date", ""),
        ("everything works", ""),
        ("the bypass is closed", ""),
        ("the docs get a pass", ""),
        ("surpasses expectations", ""),
        ("hashes are stable", ""),
        ("behave well", ""),
        ("the exist-check is gone", ""),
        ("a least-cost plan", ""),
        ("atleast", ""),
        ("withing", ""),
        ("mentions v1.2", ""),
        ("fixes #12", ""),
        ("python3 is supported", ""),
        ("works on utf-8", ""),
        ("`make lint`", ""),
        ("`x has 3`", ""),
        ("src/pass/has.py", ""),
        ("radioactive_ralph run –variant green actually backgrounds via tmux", ""),
    ],
)
def test_a_vague_criterion_is_refused(criterion: str, vague: str) -> None:
    assert vague_word(criterion) == vague
    why = why_not_concrete(criterion)
    assert why == (f"“{vague}” cannot be measured" if vague else why)
    assert why
    assert vague or not is_measurable(criterion)
