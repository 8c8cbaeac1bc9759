"""The real Claude Code binary. The e2e suite is asked for by name, so a missing binary is a failure, not a skip."""

import importlib.util
from pathlib import Path


def binary() -> str:
    spec = importlib.util.find_spec("claude_agent_sdk")
    assert spec is not None, "pip install 'reknit[e2e]' brings the claude binary"
    assert spec.origin is not None
    found = Path(spec.origin).parent / "_bundled" / "claude"
    assert found.is_file(), f"{found} is missing"
    return str(found)
