"""Detects the CI, the agents' instruction files and the MCP servers of a repository."""

import json
import tomllib
from collections.abc import Sequence
from typing import Any

from reknit.core.repository.prompt_excerpts import CONVENTIONS
from reknit.core.text.format import sanitize_line

FILES = (".mcp.json", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json")
MAX_SERVERS = 100
_MAX_NAME_CHARS = 60
_OTHERS = (".github/copilot-instructions.md", ".cursorrules", ".windsurfrules")
_FOLDERS = (".claude/agents/", ".reknit/agents/")
MAX_FILES = 100
_KNOWN = ((".github/workflows/", "GitHub Actions"), (".gitlab-ci.yml", "GitLab CI"), (".circleci/", "CircleCI"))


def parse_server_names(path: str, text: str) -> tuple[str, ...] | None:
    """Return the MCP servers of a settings file; None: it cannot be parsed."""
    try:
        parsed: Any = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    servers = parsed.get("mcp_servers" if path.endswith(".toml") else "mcpServers", {})
    if not isinstance(servers, dict):
        return None
    return tuple(sorted(sanitize_line(name, _MAX_NAME_CHARS) for name in servers)[:MAX_SERVERS])


def select_agent_files(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the files with instructions for agents."""
    conventions = {*CONVENTIONS, *_OTHERS}
    files = (path for path in paths if path in conventions or (path.startswith(_FOLDERS) and path.endswith(".md")))
    return tuple(sorted(files)[:MAX_FILES])


def detect_ci(tracked: Sequence[str]) -> str:
    """Return the name of the CI and its first file; empty: none is known."""
    for prefix, name in _KNOWN:
        files = [path for path in tracked if path.startswith(prefix)]
        if files:
            return f"{name}, {files[0]}"
    return ""
