"""Words of others in Markdown on a forge: shown as they are, with no mark-up, no link and nobody called by name."""

import re

_GAP = "&#8203;"
"""Draws nothing. As an entity, so that whatever takes out hidden characters leaves it in."""
_MARKUP = "&<>\\`*_[]|~$"
# A forge makes links and calls of the rendered text, so that an escape alone would not stop them.
_SPECIAL = re.compile(rf"[{re.escape(_MARKUP)}]|@|#(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=\bGH-)(?=\d)", re.IGNORECASE)


def plain(text: str) -> str:
    """For running text and table cells; not for the start of a line, where `#` or `-` would mean something."""
    return _SPECIAL.sub(lambda match: _harmless(match[0]), text)


def code(text: str) -> str:
    """As code; not for table cells, where a `|` would end it."""
    inside = text.replace("`", "'").replace("<!--", "<! --").strip()
    return f"`{inside}`" if inside else ""


def prose(text: str) -> str:
    """Our own sentence with commands in backticks and words of others in it: whatever those hold, it stays text."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return plain(text)
    return "".join(code(part) if index % 2 else plain(part) for index, part in enumerate(parts))


def _harmless(found: str) -> str:
    return f"&#{ord(found)};" if found and found in _MARKUP else f"{found}{_GAP}"
