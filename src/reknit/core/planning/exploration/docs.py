"""The documents of a repository: which of its files they are, and what their first bytes tell."""

from collections.abc import Sequence

from reknit.core.planning.context import Doc
from reknit.core.planning.exploration.frontmatter import fields_of

FIRST_BYTES = 4096
MOST_DOCS = 1_000
_EXTENSIONS = (".md", ".markdown", ".mdx")
_LONGEST_CHARACTER = 4


def documents_among(paths: Sequence[str]) -> tuple[str, ...]:
    """Markdown at the root, then below docs/."""
    found = (path for path in paths if path.lower().endswith(_EXTENSIONS) and ("/" not in path or path[:5] == "docs/"))
    return tuple(sorted(found, key=lambda path: ("/" in path, path)))


def doc_of(path: str, begun: bytes | str) -> Doc:
    """`begun`: its first bytes, or why they could not be read."""
    if isinstance(begun, str):
        return Doc(path, problem=begun)
    text = text_of(begun)
    return Doc(path, problem="it is not UTF-8 text") if text is None else Doc(path, *fields_of(text))


def text_of(begun: bytes) -> str | None:
    """None: it is not UTF-8. The last character may be cut."""
    try:
        return begun.decode("utf-8")
    except UnicodeDecodeError as broken:
        is_cut = len(begun) >= FIRST_BYTES and broken.start > len(begun) - _LONGEST_CHARACTER
        return begun[: broken.start].decode("utf-8") if is_cut else None
