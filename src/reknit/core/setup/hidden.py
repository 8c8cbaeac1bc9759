"""Parts of a registry's address that may be a login: a box sees other text of the same length in their place."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

_LEAST_CHARS = 12
_RUN = re.compile(r"[A-Za-z0-9]{20}")


def hidden_parts(path: str) -> tuple[str, ...]:
    """Folders of the path that do not look like words. One too many does no harm: the proxy puts each back."""
    return tuple(dict.fromkeys(part for part in path.split("/") if _may_be_login(part)))


def shown(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, _instead_of(part))
    return text


def restored(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(_instead_of(part), part)
    return text


def shown_in(chunks: Iterable[bytes], parts: Sequence[str]) -> Iterator[bytes]:
    """The same for an answer that arrives in pieces; its length stays the same."""
    pairs = [(part.encode(), _instead_of(part).encode()) for part in parts]
    back = max((len(part) for part, _ in pairs), default=1) - 1
    kept = b""
    for chunk in chunks:
        kept += chunk
        for part, instead in pairs:
            kept = kept.replace(part, instead)
        if ready := kept[: max(0, len(kept) - back)]:
            yield ready
            kept = kept[len(ready) :]
    if kept:
        yield kept


def _instead_of(part: str) -> str:
    """Different for different parts; six digits of a hash say nothing about a login of twelve characters or more."""
    return f"hidden{hashlib.sha256(part.encode()).hexdigest()[:6]}".ljust(len(part), "x")


def _may_be_login(part: str) -> bool:
    if len(part) < _LEAST_CHARS:
        return False
    has_mixed_case = part != part.lower() and part != part.upper()
    return any(character.isdigit() for character in part) or has_mixed_case or _RUN.search(part) is not None
