"""Words and lists in the frontmatter of a plan: YAML that other programs read too, and back.

A word stands as it is if YAML would read it as the same word; anything else is a quoted string.
"""

import json
import re

from reknit.core.text.line_encoding import HIDDEN

_PLAIN = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9 ._/+,()-]*(?<! )")
_OTHER_TYPE = re.compile(
    r"(?i)null|true|false|yes|no|on|off|y|n|[-+.]?[0-9][0-9a-fxo_.:e+-]*|\.(?:inf|nan)|-{3}.*|\.{3}"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DOUBLE = re.compile(r'("(?:[^"\\]|\\.)*")[ \t]*(?:#.*)?')
_SINGLE = re.compile(r"'((?:[^']|'')*)'[ \t]*(?:#.*)?")
_COMMENT = re.compile(r"(?<![^ \t])#.*")
_UNSUPPORTED = re.compile(r"[|>&*!%@`{\[\"']")
_LIST = re.compile(r"\[(.*)\][ \t]*(?:#.*)?")
_LIST_ITEM = re.compile(r"""[ \t]*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'\[\]{}][^,\[\]{}]*)[ \t]*(,|$)""")


def print_scalar(text: str) -> str:
    if _DATE.fullmatch(text) or (_PLAIN.fullmatch(text) and not _OTHER_TYPE.fullmatch(text)):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def parse_scalar(written: str) -> str | None:
    """None: it is no single word or string."""
    written = written.strip(" \t")
    if found := _DOUBLE.fullmatch(written):
        return _from_json(found[1])
    if found := _SINGLE.fullmatch(written):
        return found[1].replace("''", "'")
    if _UNSUPPORTED.match(written):
        return None
    return _COMMENT.sub("", written, count=1).rstrip(" \t")


def parse_list(written: str) -> tuple[str, ...] | None:
    """Of one line: `[a, "b"]`; a single word is a list of it."""
    whole = _LIST.fullmatch(written.strip(" \t"))
    if not whole:
        word = parse_scalar(written)
        return None if word is None else (word,) if word else ()
    items: list[str] = []
    rest, at = whole[1].strip(" \t"), 0
    while at < len(rest):
        found = _LIST_ITEM.match(rest, at)
        item = parse_scalar(found[1]) if found else None
        if not found or item is None:
            return None
        items.append(item)
        at = found.end()
    return tuple(items)


def _from_json(written: str) -> str | None:
    try:
        value = json.loads(written)
    except ValueError:
        return None
    return str(value)
