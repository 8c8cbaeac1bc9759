"""Files with instructions for agents."""

from reknit.core.planning.exploration.agent_files import agent_files_among


def test_known_names_at_the_top_and_the_files_of_two_folders_count() -> None:
    paths = ("CLAUDE.md", "AGENTS.md", "src/AGENTS.md", ".github/copilot-instructions.md", ".reknit/agents/fix.md",
             ".reknit/agents/x.txt", "README.md")  # fmt: skip
    assert agent_files_among(paths) == (
        ".github/copilot-instructions.md", ".reknit/agents/fix.md", "AGENTS.md", "CLAUDE.md"
    )  # fmt: skip
