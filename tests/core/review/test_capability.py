"""`review` as shared code sees it."""

from dataclasses import replace

from reknit.core.capability import AgentChoice
from reknit.core.review.capability import REVIEW
from tests.tools.review_samples import CLAUDE, GEMINI, SPEC, TARGET


def test_the_fixer_and_each_reading_agent_are_checked_once() -> None:
    assert REVIEW.agents(SPEC) == [AgentChoice(CLAUDE, "--agent"), AgentChoice(GEMINI, "--agent")]


def test_a_report_needs_no_fixer() -> None:
    assert REVIEW.agents(replace(SPEC, task=replace(TARGET, report_only=True))) == [AgentChoice(GEMINI, "--agent")]
