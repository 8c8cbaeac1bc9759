"""Files with instructions for agents."""

from collections.abc import Sequence

from reknit.core.repository.conventions import CONVENTIONS

_OTHERS = (".github/copilot-instructions.md", ".cursorrules", ".windsurfrules")
_FOLDERS = (".claude/agents/", ".reknit/agents/")
MOST_FILES = 100


def agent_files_among(paths: Sequence[str]) -> tuple[str, ...]:
    known = {*CONVENTIONS, *_OTHERS}
    found = (path for path in paths if path in known or (path.startswith(_FOLDERS) and path.endswith(".md")))
    return tuple(sorted(found)[:MOST_FILES])
