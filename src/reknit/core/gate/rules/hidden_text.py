"""Rule against text that a reader cannot see: control, bidi and invisible characters."""

import re
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.line_diff import line_diff
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_code
from reknit.core.text.redact import is_hidden, visible

_UNUSUAL = re.compile(r"[^\t\x20-\x7e]")
# An emoji may have a colour selector, and be joined with others.
_EMOJI = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
# In Arabic script and those of India, a joiner between two letters decides how they are written, as in Persian.
_JOINED = "[\u0620-\u065f\u066e-\u06d3\u06d5\u06ee-\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08b4\u0900-\u0dff]"
_JOINERS = re.compile(f"(?<={_JOINED})[\u200c\u200d](?={_JOINED})")
# A soft hyphen, zero-width space, joiner or byte order mark, alone in a string that a program takes out or looks for.
# As a value of its own, such a string looks like an empty one.
_SOUGHT = re.compile(
    r"(?:replace|strip|trim|split|remove(?:prefix|suffix)|(?:starts|ends)_?with|\bsub)\w{0,20}\((?:[^\"'`()]{0,80},\s?)?([\"'`/])[\xad\u200b-\u200d\u2060\ufeff]\1",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"#|//|/\*|--|^\s*\*")
_PAGE_BREAK = "\f"
_EMOJI_PARTS = re.compile(f"(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<={_EMOJI})\ufe0f?(?:\u200d(?={_EMOJI}))?")


def hidden_text(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if _hidden_in(file.path) or "\n" in file.path or "\t" in file.path:
            yield Refusal("hidden-text", file.path, f"the name {file.path!a} contains hidden characters")
        new = sorted(_added(file))
        if new:
            names = ", ".join(visible(character) for character in new[:5])
            yield Refusal("hidden-text", file.path, f"the fix adds hidden characters to {file.path}: {names}")


def _added(file: FileChange) -> set[str]:
    """A character that this file already has on base is its authors' own, as in right-to-left text."""
    lines = () if b"\0" in (file.after or b"") else line_diff(file).added  # `unreadable` reports that it is not text
    if "\r\n" in file.text_before or file.before is None:
        lines = tuple(line.removesuffix("\r") for line in lines)
    # A page break on a line of its own divides a file into sections.
    reveal = _without_sought if is_code(file.path) else str
    found = {char for line in lines if line != _PAGE_BREAK for char in _hidden_in(_visible_parts(reveal(line)))}
    return found - (_hidden_in(file.text_before) - {"\r"}) if found else found


def _without_sought(line: str) -> str:
    """Return a line of code without the first invisible character that it seeks: `.replace('…', '')`."""
    match = _SOUGHT.search(line)
    return line if match is None or _COMMENT.search(line, 0, match.start()) else _SOUGHT.sub("", line, count=1)


def _visible_parts(line: str) -> str:
    """Without invisible characters that are part of what a reader sees."""
    return line if line.isascii() else _JOINERS.sub("", _EMOJI_PARTS.sub("", line))


def _hidden_in(text: str) -> set[str]:
    return {character for character in set(_UNUSUAL.findall(text)) if is_hidden(character)}
