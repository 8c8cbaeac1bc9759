"""Text that a person wrote on a forge, as people see it there: without what only a machine would read."""

import re

from reknit.core.text.redact import clean

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def strip_hidden(text: str) -> str:
    """Without HTML comments and invisible characters."""
    while (shorter := _COMMENT.sub("", text)) != text:
        text = shorter  # what remains may have joined into another one
    return clean(text).strip()
