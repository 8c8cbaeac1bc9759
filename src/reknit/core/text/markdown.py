"""Untrusted text in Markdown on a forge: shown literally, with no markup, no links and no mentions."""

import re

_GAP = "&#8203;"
"""A zero-width space. As an entity, so that filters for hidden characters leave it in."""
_MARKUP = "&<>\\`*_[]|~$"
# A forge makes links and mentions from the rendered text, so an escape alone would not stop them.
_SPECIAL = re.compile(rf"[{re.escape(_MARKUP)}]|@|#(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=\bGH-)(?=\d)", re.IGNORECASE)


def plain(text: str) -> str:
    """For running text and table cells; not for the start of a line, where `#` or `-` would be markup."""
    return _SPECIAL.sub(lambda match: _harmless(match[0]), text)


def code(text: str) -> str:
    """As code; not for table cells, where a `|` would end it."""
    inside = text.replace("`", "'").replace("<!--", "<! --").strip()
    return f"`{inside}`" if inside else ""


def prose(text: str) -> str:
    """Our own sentence with commands in backticks and untrusted text in it: whatever that contains, it stays text."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return plain(text)
    return "".join(code(part) if index % 2 else plain(part) for index, part in enumerate(parts))


def _harmless(found: str) -> str:
    return f"&#{ord(found)};" if found and found in _MARKUP else f"{found}{_GAP}"
