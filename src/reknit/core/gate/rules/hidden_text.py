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
    if "\r\n" in file.text_before:
        lines = tuple(line.removesuffix("\r") for line in lines)
    found = {character for line in lines for character in _hidden_in(_EMOJI_PARTS.sub("", line))}
    return found - (_hidden_in(file.text_before) - {"\r"}) if found else found


def _hidden_in(text: str) -> set[str]:
    return {character for character in set(_UNUSUAL.findall(text)) if is_hidden(character)}
