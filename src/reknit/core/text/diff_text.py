"""Renders a unified diff for a terminal: paths and changed lines, without what only programs read."""

from collections.abc import Iterator

from reknit.core.text.format import pluralize, to_one_line
from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_columns

MAX_LINES = 40
INDENT = "    "
_HEADERS = ("index ", "--- ", "+++ ", "new file mode", "deleted file mode", "old mode", "new mode", "similarity ")


def render_diff(diff: str, rest: str, *, width: int = 0, most: int = MAX_LINES) -> list[str]:
    """Return at most `most` lines of the diff. `rest`: the command that shows the others. `width` 0: no limit."""
    lines = list(_render_lines(diff, width))
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"  ({pluralize(len(lines) - most + 1, 'more line')}: {rest})"]


def _render_lines(diff: str, width: int) -> Iterator[str]:
    is_header = False
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            is_header = True
            yield f"  {to_one_line(_read_path(line))}"
        elif line.startswith("@@ "):
            is_header = False
        elif is_header and line.startswith("Binary "):
            yield f"{INDENT}(not text)"
        elif line and not (is_header and line.startswith(_HEADERS)) and not line.startswith("\\"):
            text = redact(clean(line)).replace("\n", " ").expandtabs(4)
            yield truncate_columns(f"{INDENT}{text}", width)


def _read_path(line: str) -> str:
    """Return the path in `diff --git a/PATH b/PATH`: without renames, both halves are the same."""
    words = line.removeprefix("diff --git ").strip('"')
    half = (len(words) - 1) // 2
    return words[:half].strip('"').removeprefix("a/")
