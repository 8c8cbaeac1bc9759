"""Rules about the content of files: a person can read and see all of it, and it has no secret."""

import re
import sys
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.languages.python.tests import parse
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_code, is_python
from reknit.core.syntax import diff_lines
from reknit.core.text.redact import Secret, escape_hidden, find_secrets, is_hidden

_COMPILED = (
    ".so", ".pyd", ".dll", ".dylib", ".pyc", ".pyo", ".class", ".jar", ".war", ".wasm", ".node", ".exe", ".o", ".a",
    ".egg", ".whl", ".zip",
)  # fmt: skip
_COOKIE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
_PLAIN_ENCODINGS = frozenset({"utf8", "utf8sig", "ascii", "usascii"})
# Example keys in the documentation of vendors, and the example token of jwt.io.
_EXAMPLE = re.compile(r"A[KS]IA[0-9A-Z]*EXAMPLE|eyJ[\w-]+\.eyJzdWIiOiIxMjM0NTY3ODkwIi[\w-]*\.[\w-]+")
_OF_A_KEY = re.compile(r"[A-Za-z0-9+/=]{24,}")
# Hosts that nobody can own (RFC 2606), and the local machine.
_EXAMPLE_HOST = re.compile(
    r"(?:(?:[\w-]{1,63}\.){0,8}(?:example(?:\.(?:com|org|net))?|localhost|invalid|test)|127\.0\.0\.1|\[::1\])(?![\w-]|\.\w)",
    re.IGNORECASE,
)
_FEW_CHARACTERS = 4
"""Minimum number of different characters in a secret; with fewer, it is a placeholder such as `xxxx`."""
_UNUSUAL = re.compile(r"[^\t\x20-\x7e]")
# An emoji may have a colour selector, and be joined with others.
_EMOJI = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
# In Arabic script and those of India, a joiner between two letters decides how they are written, as in Persian.
_JOINED = "[\u0620-\u065f\u066e-\u06d3\u06d5\u06ee-\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08b4\u0900-\u0dff]"
_JOINERS = re.compile(f"(?<={_JOINED})[\u200c\u200d](?={_JOINED})")
# A soft hyphen, zero-width space, joiner or byte order mark, alone in a string that a program removes or searches for.
# Anywhere else, such a string looks like an empty one.
_SOUGHT = re.compile(
    r"(?:replace|strip|trim|split|remove(?:prefix|suffix)|(?:starts|ends)_?with|\bsub)\w{0,20}\((?:[^\"'`()]{0,80},\s?)?([\"'`/])[\xad\u200b-\u200d\u2060\ufeff]\1",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"#|//|/\*|--|^\s*\*")
_PAGE_BREAK = "\f"
_EMOJI_PARTS = re.compile(f"(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<={_EMOJI})\ufe0f?(?:\u200d(?={_EMOJI}))?")


def find_unreadable(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse content that a person cannot read."""
    for file in change.files:
        why = "" if file.after is None or file.before == file.after else _explain_unreadable(file, file.after)
        if why:
            yield Refusal("unreadable", file.path, f"{file.path} {why}")


def _explain_unreadable(file: FileChange, after: bytes) -> str:
    if file.path.lower().endswith(_COMPILED):
        return "is compiled or packed; a fix must be source that a person can read"
    if b"\0" in after:
        return "is not text; a fix must be source that a person can read"
    why = _explain_unreadable_python(file, after) if is_python(file.path) else ""
    if why or (is_python(file.path) and _detect_encoding(after) not in _PLAIN_ENCODINGS):
        return why
    return "is not UTF-8" if not _is_utf8(after) and _is_utf8(file.before or b"") else ""


def _explain_unreadable_python(file: FileChange, after: bytes) -> str:
    encoding = _detect_encoding(after)
    if encoding != _detect_encoding(file.before or b"") and encoding not in _PLAIN_ENCODINGS:
        return f"is now encoded in {encoding}, which can hide code; use UTF-8"
    if parse(file.text_after) is None and parse(file.text_before) is not None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"cannot be parsed as Python {version}, which reknit uses to read source"
    return ""


def _detect_encoding(source: bytes) -> str:
    """Return the encoding that Python detects from the first two lines."""
    cookie = _COOKIE.match(source)
    return re.sub(r"[-_.]", "", cookie[1].decode("ascii", "replace")).lower() if cookie else "utf8"


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def find_new_secrets(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse secrets that base does not have."""
    for file in change.files:
        secrets = list(find_secrets(file.text_after))
        old = {secret.value for secret in find_secrets(file.text_before)} if secrets else set()
        for secret in secrets:
            if secret.value not in old and not _is_example(secret) and not _is_for_an_example(secret, file.text_after):
                yield Refusal(
                    "secret-added", file.path, f"line {secret.line} of {file.path} looks like a secret ({secret.kind})"
                )


def _is_example(secret: Secret) -> bool:
    if secret.kind == "private key":
        return not _OF_A_KEY.search(secret.value.replace("PRIVATE KEY", ""))
    body = re.split(r"[_:\s-]", secret.value)[-1]
    return bool(_EXAMPLE.fullmatch(secret.value)) or len(set(body)) < _FEW_CHARACTERS


def _is_for_an_example(secret: Secret, text: str) -> bool:
    """Return True if every address with this password is an example."""
    hosts = text.split(secret.value)[1:] if secret.kind == "password in an address" else [""]
    return all(map(_EXAMPLE_HOST.match, hosts))


def find_hidden_text(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse hidden characters that base does not have."""
    for file in change.files:
        if _find_hidden(file.path) or "\n" in file.path or "\t" in file.path:
            yield Refusal("hidden-text", file.path, f"the name {file.path!a} contains hidden characters")
        new = sorted(_find_added_characters(file))
        if new:
            names = ", ".join(escape_hidden(character) for character in new[:5])
            yield Refusal("hidden-text", file.path, f"the fix adds hidden characters to {file.path}: {names}")


def _find_added_characters(file: FileChange) -> set[str]:
    """Return added hidden characters. Those that the file has on base may be added, as in right-to-left text."""
    lines = () if b"\0" in (file.after or b"") else diff_lines(file).added  # `unreadable` reports that it is not text
    if "\r\n" in file.text_before or file.before is None:
        lines = tuple(line.removesuffix("\r") for line in lines)
    # A page break on a line of its own divides a file into sections.
    reveal = _strip_sought if is_code(file.path) else str
    characters = {char for line in lines if line != _PAGE_BREAK for char in _find_hidden(_strip_joiners(reveal(line)))}
    return characters - (_find_hidden(file.text_before) - {"\r"}) if characters else characters


def _strip_sought(line: str) -> str:
    """Return a line of code without the first invisible character that it searches for: `.replace('…', '')`."""
    match = _SOUGHT.search(line)
    return line if match is None or _COMMENT.search(line, 0, match.start()) else _SOUGHT.sub("", line, count=1)


def _strip_joiners(line: str) -> str:
    """Remove invisible characters that are part of visible ones."""
    return line if line.isascii() else _JOINERS.sub("", _EMOJI_PARTS.sub("", line))


def _find_hidden(text: str) -> set[str]:
    return {character for character in set(_UNUSUAL.findall(text)) if is_hidden(character)}
