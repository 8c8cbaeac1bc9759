"""The names of MCP servers, and nothing else of the settings that have them."""

import pytest

from reknit.core.planning.exploration.tooling import detect_ci, parse_server_names, select_agent_files


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (".mcp.json", '{"mcpServers": {"b": {"env": {"KEY": "x"}}, "a": {}}}', ("a", "b")),
        (".gemini/settings.json", "{}", ()),
        (".codex/config.toml", "[mcp_servers.db]\ncommand = 'x'\n", ("db",)),
        (".mcp.json", "{", None),
        (".mcp.json", "[]", None),
        (".mcp.json", '{"mcpServers": []}', None),
        (".mcp.json", "[" * 100_000, None),
        (".codex/config.toml", "[mcp", None),
        (".codex/config.toml", "a = " + "[" * 10_000, None),
    ],
)
def test_names_are_sorted_and_what_is_broken_is_none(path: str, text: str, names: tuple[str, ...] | None) -> None:
    assert parse_server_names(path, text) == names


def test_known_names_at_the_top_and_the_files_of_two_folders_count() -> None:
    paths = ("CLAUDE.md", "AGENTS.md", "src/AGENTS.md", ".github/copilot-instructions.md", ".reknit/agents/fix.md",
             ".reknit/agents/x.txt", "README.md")  # fmt: skip
    assert select_agent_files(paths) == (
        ".github/copilot-instructions.md", ".reknit/agents/fix.md", "AGENTS.md", "CLAUDE.md"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tracked", "ci"),
    [
        ([".github/workflows/a.yml", ".github/workflows/b.yml"], "GitHub Actions, .github/workflows/a.yml"),
        (["a.py", ".gitlab-ci.yml"], "GitLab CI, .gitlab-ci.yml"),
        ([".circleci/config.yml"], "CircleCI, .circleci/config.yml"),
        ([".github/CODEOWNERS"], ""),
    ],
)
def test_ci_is_told_with_its_first_file(tracked: list[str], ci: str) -> None:
    assert detect_ci(tracked) == ci
