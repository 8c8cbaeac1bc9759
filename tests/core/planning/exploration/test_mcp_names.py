"""The names of MCP servers, and nothing else of the settings that have them."""

import pytest

from reknit.core.planning.exploration.mcp_names import server_names


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
    assert server_names(path, text) == names
