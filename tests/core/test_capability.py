"""The defaults suit a run that only reads; each command says what is different."""

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import AgentChoice, Capability, StoredRun
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from tests.core.test_run_text import RECEIPT, RUN
from tests.tools.sample_tasks import FIX_TESTS

PLAIN = Capability("observe")
CLAUDE, CODEX = AgentSettings("claude", "claude"), AgentSettings("codex", "codex")
SPEC = RunSpec("r-1", "/shop", "a" * 40, FIX_TESTS, TestCommand("pytest", ("pytest",), "junit"), (CLAUDE,))


def test_the_agents_that_edit_are_checked() -> None:
    two = RunSpec("r-1", "/shop", "a" * 40, FIX_TESTS, SPEC.tests, (CLAUDE, *(CODEX,)))
    assert PLAIN.agents(two) == [AgentChoice(CLAUDE, "--agent"), AgentChoice(CODEX, "--agent")]
    assert PLAIN.heading(two) == ["r-1  claude, then codex, at most $5.00"]


def test_a_plain_run_ends_with_reason_and_cost() -> None:
    text = PLAIN.ending_text(StoredRun(RUN), 0)
    assert text.splitlines() == [
        "FIXED   42 s, $0.50 of $5.00",
        "  why     all that was asked, proven",
    ]


def test_a_plain_run_adds_nothing_and_lands_nothing() -> None:
    stored = StoredRun(RUN)
    assert (PLAIN.lands, PLAIN.state_document, PLAIN.agent_names(RUN)) == ("nothing", None, "claude")
    assert [PLAIN.show_lines(stored, 80), PLAIN.explain_lines(stored, 80), PLAIN.receipt_lines(RECEIPT)] == [[], [], []]
    assert [PLAIN.show_document(stored), PLAIN.ending_document(stored)] == [{}, {}]
