"""Text that a person wrote on a forge, as people see it there: without what only a machine would read."""

import re

from reknit.core.text.redact import clean

_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
"""`<!-->` is a whole comment."""


def strip_hidden(text: str) -> str:
    """Without invisible characters and HTML comments; an unclosed comment hides everything after it.

    GitHub hides that only from the start of a line; in the middle of one, what it shows is left out as well.
    """
    shown = _COMMENT.sub("", clean(text))
    return shown.partition("<!--")[0].strip()  # what surrounded a comment may have joined into another one
