"""Text that a person wrote on a forge, as people see it there: without what only a machine would read."""

import re

from reknit.core.text.redact import clean

_HIDES_THE_REST = re.compile(r"^[ \t]*<!--.*\Z", re.DOTALL | re.MULTILINE)


def strip_hidden(text: str) -> str:
    """Without invisible characters and what a forge hides: HTML comments, and all after one that begins a line and is
    never closed. Elsewhere in a line, an unclosed one is text for people; it is written so that it hides nothing."""
    shown = _without_closed_comments(clean(text))
    return _HIDES_THE_REST.sub("", shown).replace("<!--", "<! --").strip()


def _without_closed_comments(text: str) -> str:
    """Linear; a regular expression would search for the end again from every comment that has none."""
    kept: list[str] = []
    place = 0
    while (begin := text.find("<!--", place)) >= 0 and (
        end := text.find("-->", begin + 2)
    ) >= 0:  # `<!-->` is a whole one
        kept.append(text[place:begin])
        place = end + 3
    return "".join([*kept, text[place:]])
