"""The hidden first line by which reknit recognises its own comments."""

import re

from reknit.core.errors import InternalError

LONGEST = 65_000
"""GitHub accepts 65,536 characters."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/#@-]{0,199}")
_ANY = re.compile(rf"\s*<!-- reknit:{_KEY.pattern} -->")
_CUT = "\n\n… (cut: too long for a comment)"


def mark(key: str) -> str:
    if not _KEY.fullmatch(key) or "--" in key:
        raise InternalError("comment-key", f"{key!r} cannot be the key of a comment")
    return f"<!-- reknit:{key} -->"


def marked(key: str, body: str) -> str:
    """The marker comes first, so that quoted text cannot pass for it and truncation cannot lose it."""
    text = f"{mark(key)}\n{body.strip()}"
    return text if len(text) <= LONGEST else text[: LONGEST - len(_CUT)] + _CUT


def has_mark(key: str, body: str) -> bool:
    return body.lstrip().startswith(mark(key))


def is_marked(body: str) -> bool:
    """With any key."""
    return _ANY.match(body) is not None


def is_same(one: str, other: str) -> bool:
    """GitHub may return different line endings."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
