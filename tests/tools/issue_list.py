"""What `reknit issues list` says, read back."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.tools.command_line import Answer

Here = Callable[..., Answer]


def listed(here: Here, root: Path, *options: str) -> list[dict[str, Any]]:
    answer = here("issues", "list", "--format", "json", *options, cwd=root)
    assert answer.exit_code == 0
    found: list[dict[str, Any]] = json.loads(answer.out)
    return found


def names(found: Sequence[dict[str, Any]]) -> list[str]:
    return [issue["issue"] for issue in found]
