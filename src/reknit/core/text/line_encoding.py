r"""Encodes any text as lines of a file that people edit (PROGRESS.txt, plans), and decodes it.

Most text is written as it is. Lines after the first are indented below their bullet, so that they never look like the
structure of an entry. All other cases use one escape, and decoding replaces nothing else:

`\u{1b}`  the character with this code: control characters, line separators other than a newline, characters that change
          the direction of text, lone surrogates; in text that must stay on one line, newlines too (`\u{a}`); in the
          heading of a fix the `/` of a reviewer's name and the `,` of an id.
`\u{}`    no character. It separates characters that have a meaning together or at the edge of a line: blanks at
          either end (`\u{}  text`), empty lines at either end, an empty text where one is needed, a `---` that begins a
          reason (`\u{}---`), ` -\u{} ` in a category, `*\u{}*` in an id, `a:\u{}12` if the file itself is named `a:12`,
          and the escape itself (`\u\u{}{1b}`).

A backslash before anything else is only a backslash.
"""

import re
from collections.abc import Sequence

BLANKS = " \t\r"
NOTHING = "\\u{}"

_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{0,6})\}")
HIDDEN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_LAST_CHARACTER = 0x10FFFF


def encode_line(text: str) -> str:
    """Encode the text as one line."""
    return _guard_end(_guard_start(_escape(text)))


def encode_lines(text: str) -> list[str]:
    """Encode each line. Callers indent every line but the first."""
    first, *rest = [_guard_end(_escape(line)) for line in text.split("\n")]
    if not rest:
        return [_guard_start(first)]
    *middle, last = rest
    return [_guard_start(first) or NOTHING, *middle, last or NOTHING]


def decode_lines(first: str, rest: Sequence[str], *, indent: int) -> str:
    """Decode these lines to one text; blanks and empty lines at its ends are layout."""
    lines = [first.strip(BLANKS), *(_outdent(line, indent) for line in rest)]
    return decode("\n".join(lines).strip("\n"))


def decode(text: str) -> str:
    """Replace each escape by its character."""
    return _ESCAPE.sub(_decode_character, text)


def _escape(text: str) -> str:
    return HIDDEN.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", text.replace("\\u{", f"\\u{NOTHING}{{"))


def _decode_character(match: re.Match[str]) -> str:
    code = int(match[1] or "0", 16)
    if not match[1]:
        return ""
    return chr(code) if code <= _LAST_CHARACTER else match[0]


def _guard_start(line: str) -> str:
    return NOTHING + line if line.startswith((" ", "\t")) else line


def _guard_end(line: str) -> str:
    return line + NOTHING if line.endswith((" ", "\t")) else line


def _outdent(line: str, indent: int) -> str:
    margin = line[:indent]
    return (margin.lstrip(BLANKS) + line[indent:]).rstrip(BLANKS)
