"""Text that a person wrote on a forge, as people see it there: without what only a machine would read."""

import re

from reknit.core.text.redact import clean

_HIDES_THE_REST = re.compile(r"^[ \t]*<!--.*\Z", re.DOTALL | re.MULTILINE)


def strip_hidden(text: str) -> str:
    """Without invisible characters and without what a forge hides: HTML comments, and everything after a comment that
    starts a line and is never closed.

    An unclosed comment in the middle of a line is visible text; its opening is changed so that it hides nothing when
    the text is posted.
    """
    shown = _without_closed_comments(clean(text))
    return _HIDES_THE_REST.sub("", shown).replace("<!--", "<! --").strip()


def _without_closed_comments(text: str) -> str:
    """In linear time: a regular expression would search for the end again from every comment that has none."""
    kept: list[str] = []
    place, begin = 0, text.find("<!--")
    while begin >= 0:
        end = text.find("-->", begin + 2)  # `<!-->` is a whole comment
        if end < 0:
            break
        kept.append(text[place:begin])
        place = end + 3
        begin = text.find("<!--", place)
    return "".join([*kept, text[place:]])
