"""The names of the MCP servers that a repository's settings give to agents."""

import json
import tomllib
from typing import Any

from reknit.core.text.format import words

FILES = (".mcp.json", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json")
MOST_SERVERS = 100
_MOST_NAME = 60


def server_names(path: str, text: str) -> tuple[str, ...] | None:
    """None: the file cannot be parsed."""
    try:
        parsed: Any = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    servers = parsed.get("mcp_servers" if path.endswith(".toml") else "mcpServers", {})
    if not isinstance(servers, dict):
        return None
    return tuple(sorted(words(name, _MOST_NAME) for name in servers)[:MOST_SERVERS])
