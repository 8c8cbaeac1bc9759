"""Rule that a fix is readable: text in a known encoding, Python that parses, nothing compiled."""

import re
import sys
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.python_tests import parse
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_python

_COMPILED = (
    ".so", ".pyd", ".dll", ".dylib", ".pyc", ".pyo", ".class", ".jar", ".war", ".wasm", ".node", ".exe", ".o", ".a",
    ".egg", ".whl", ".zip",
)  # fmt: skip
_COOKIE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
_PLAIN_ENCODINGS = frozenset({"utf8", "utf8sig", "ascii", "usascii"})


def unreadable(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        why = "" if file.after is None or file.before == file.after else _unreadable(file, file.after)
        if why:
            yield Refusal("unreadable", file.path, f"{file.path} {why}")


def _unreadable(file: FileChange, after: bytes) -> str:
    if file.path.lower().endswith(_COMPILED):
        return "is compiled or packed; a fix must be source that a person can read"
    if b"\0" in after:
        return "is not text; a fix must be source that a person can read"
    why = _unreadable_python(file, after) if is_python(file.path) else ""
    if why or (is_python(file.path) and _encoding(after) not in _PLAIN_ENCODINGS):
        return why
    return "is not UTF-8" if not _is_utf8(after) and _is_utf8(file.before or b"") else ""


def _unreadable_python(file: FileChange, after: bytes) -> str:
    encoding = _encoding(after)
    if encoding != _encoding(file.before or b"") and encoding not in _PLAIN_ENCODINGS:
        return f"is now encoded in {encoding}, which can hide code; use UTF-8"
    if parse(file.text_after) is None and parse(file.text_before) is not None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"cannot be parsed as Python {version}, which reknit uses to read source"
    return ""


def _encoding(source: bytes) -> str:
    """As Python detects it, from the first two lines."""
    cookie = _COOKIE.match(source)
    return re.sub(r"[-_.]", "", cookie[1].decode("ascii", "replace")).lower() if cookie else "utf8"


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
