"""Rule against text that a reader cannot see: control, bidi and invisible characters."""

import re
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.line_diff import line_diff
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.text.redact import is_hidden, visible

_UNUSUAL = re.compile(r"[^\t\x20-\x7e]")
# An emoji may have a colour selector, and be joined with others.
_EMOJI = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
# In Arabic script and those of India, a joiner between two letters decides how they are written, as in Persian.
_JOINED = "[\u0620-\u065f\u066e-\u06d3\u06d5\u06ee-\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08b4\u0900-\u0dff]"
_JOINERS = re.compile(f"(?<={_JOINED})[\u200c\u200d](?={_JOINED})")
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
    found = {character for line in lines if line != _PAGE_BREAK for character in _hidden_in(_visible_parts(line))}
    return found - (_hidden_in(file.text_before) - {"\r"}) if found else found


def _visible_parts(line: str) -> str:
    """Without invisible characters that are part of what a reader sees."""
    return line if line.isascii() else _JOINERS.sub("", _EMOJI_PARTS.sub("", line))


def _hidden_in(text: str) -> set[str]:
    return {character for character in set(_UNUSUAL.findall(text)) if is_hidden(character)}
