from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.task import HoldoutWriters

CLAUDE, CODEX = AgentSettings("claude", "claude"), AgentSettings("codex", "codex")


def test_the_first_of_another_vendor_than_the_fix_writes_the_cases() -> None:
    target = HoldoutWriters((CLAUDE, CODEX), 0.5)
    assert (target.writer_for(CLAUDE), target.writer_for(CODEX)) == (CODEX, CLAUDE)
    assert HoldoutWriters((AgentSettings("mine", "claude"),), 0.5).writer_for(CLAUDE) is None
