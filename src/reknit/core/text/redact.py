"""Keeps secrets and hidden characters out of everything that is stored, shown or sent to a model."""

import base64
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

MIN_SECRET_CHARS = 6
"""A shorter known value would blank out ordinary words."""
MAX_ESCAPE_CHARS = 6
"""Length of the longest escape of one character: `\\u0041`."""
_ESCAPE = re.compile(rb'\\u00([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})|\\(["\\/])')

# A token starts where no token character precedes it; this also keeps the search linear on hostile text.
_START = r"(?<![\w-])"
_PLACEHOLDER = r"(?!\$|\{|<|\*|%|(?i:pass(word)?|secret|example|postgres|changeme|placeholder|redacted|your|xxx))"
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("AWS access key", re.compile(_START + r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])")),
    ("GitHub token", re.compile(_START + r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})")),
    ("GitLab token", re.compile(_START + r"glpat-[\w-]{20,}")),
    ("Anthropic key", re.compile(_START + r"sk-ant-[\w-]{20,}")),
    ("OpenAI key", re.compile(_START + r"sk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|[A-Za-z0-9]{48}(?![\w-]))")),
    ("Google key", re.compile(_START + r"AIza[\w-]{35}(?![\w-])")),
    ("npm token", re.compile(_START + r"npm_[A-Za-z0-9]{36}(?!\w)")),
    ("PyPI token", re.compile(_START + r"pypi-AgEI[\w-]{50,}")),
    ("Hugging Face token", re.compile(_START + r"hf_[A-Za-z]{34}(?!\w)")),
    ("Slack token", re.compile(_START + r"xox[abeoprs]-[\w-]{10,}")),
    ("Stripe key", re.compile(_START + r"[sr]k_live_[A-Za-z0-9]{16,}")),
    ("JSON web token", re.compile(_START + r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}")),
    (
        "private key",
        # Match up to the end of the key; if its end is cut off, match the lines that remain.
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?:[^-]|-(?!----)){0,20000}+-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:\s+[A-Za-z0-9+/=]{20,}+)*+)"
        ),
    ),
    (
        "password in an address",
        re.compile(
            r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"']{1,100}:" + _PLACEHOLDER + r"[^\s/@\"']{8,200}@",
            re.IGNORECASE,
        ),
    ),
    (
        "Authorization header",
        re.compile(
            r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s[\w+/=.~-]{16,}", re.IGNORECASE
        ),
    ),
)

# No rule matches without one of these. This check is fast, and there may be a million short texts.
_POSSIBLE_SECRET = re.compile(r"[\w+/=.~-]{12}|://|-----BEGIN")

# Only complete sequences match: a person must see the text after an unterminated one.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]{0,200}[ -/]{0,20}[@-~]|\][^\x07\x1b\n]{0,4000}(?:\x07|\x1b\\)"
    r"|[PX^_][^\x1b\n]{0,4000}\x1b\\|[@-OQ-WYZ\\])"
)
_UNUSUAL = re.compile(r"[^\n\t\x20-\x7e]")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
# Letters and marks by category, but rendered as nothing.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


@dataclass(frozen=True)
class Secret:
    """A secret with its value, which is only compared and never shown or stored."""

    kind: str
    value: str
    line: int


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield the secrets, kind by kind. They are recognised by fixed prefixes, not by their entropy."""
    for kind, pattern in _RULES:
        line, position = 1, 0
        for match in pattern.finditer(text):
            line, position = line + text.count("\n", position, match.start()), match.start()
            yield Secret(kind, match.group(), line)


def redact(text: str, known_secrets: Sequence[str] = ()) -> str:
    """Return the text without secrets, and without the known ones in their usual encodings.

    A value split by spaces or encrypted gets through: the real defence is that a box holds no secret.
    """
    for value in sorted((value for value in known_secrets if len(value) >= MIN_SECRET_CHARS), key=len, reverse=True):
        for form in list_encodings(value):
            text = text.replace(form, "[redacted]")
    if not _POSSIBLE_SECRET.search(text):
        return text
    for kind, pattern in _RULES:
        text = pattern.sub(f"[{kind} redacted]", text)
    return text


def clean(text: str) -> str:
    """Return plain text: no terminal escapes, no control characters but newline and tab, nothing invisible."""
    if text.isascii() and text.isprintable():
        return text
    return _UNUSUAL.sub(lambda match: "" if is_hidden(match[0]) else match[0], _ESCAPES.sub("", text))


def escape_hidden(text: str) -> str:
    """Return the whole text for a person to read: hidden characters are written as escapes."""
    return _UNUSUAL.sub(lambda match: _escape(match[0]) if is_hidden(match[0]) else match[0], text)


def is_hidden(character: str) -> bool:
    """Return True if it is a control, bidi or invisible character, except newline and tab."""
    if character in "\n\t":
        return False
    is_variation = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return is_variation or character in _BLANKS or unicodedata.category(character) in _HIDDEN_CATEGORIES


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def list_encodings(value: str) -> Iterator[str]:
    """Yield the forms in which a known secret may appear in a text."""
    raw = value.encode("utf-8", "surrogatepass")
    yield value
    yield value[::-1]
    yield quote(raw, safe="")
    yield raw.hex()
    yield raw.hex().upper()
    for offset in range(3):
        # The characters at both ends also encode bits of the neighbours, so they are left out of the comparison.
        encoded = base64.b64encode(b"\0" * offset + raw).decode()
        inner = encoded[(0, 2, 3)[offset] :].rstrip("=")
        inner = inner if (len(raw) + offset) % 3 == 0 else inner[:-1]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def unescape(text: bytes) -> bytes:
    """Return the text with the escapes of JSON and of URLs replaced by their characters."""
    if b"\\" not in text and b"%" not in text:
        return text
    return _ESCAPE.sub(lambda match: match[3] or bytes([int(match[1] or match[2], 16)]), text)


def build_spelling_pattern(form: bytes, *, in_any_case: bool = False) -> bytes:
    """Return a regular expression for the form in which any character may be escaped."""
    cases = (form.lower(), form.upper()) if in_any_case else (form,)
    return b"".join(_build_character_pattern(sorted({*characters})) for characters in zip(*cases, strict=True))


def _build_character_pattern(spellings: Sequence[int]) -> bytes:
    plain = b"".join(re.escape(bytes([byte])) for byte in spellings)
    return b"(?:\\\\?[%s]|(?i:\\\\u00|%%)(?i:%s))" % (plain, b"|".join(b"%02x" % byte for byte in spellings))


_HIDES_THE_REST = re.compile(r"^[ \t]*<!--.*\Z", re.DOTALL | re.MULTILINE)


def strip_hidden(text: str) -> str:
    """Remove invisible characters and all that a forge hides: HTML comments, closed or open at a line's start.

    An unclosed comment in the middle of a line is visible text; its opening is changed so that it hides nothing when
    the text is posted.
    """
    rest = _strip_closed_comments(clean(text))
    return _HIDES_THE_REST.sub("", rest).replace("<!--", "<! --").strip()


def _strip_closed_comments(text: str) -> str:
    """Remove closed comments in linear time. A regular expression would search again from each comment."""
    parts: list[str] = []
    place, begin = 0, text.find("<!--")
    while begin >= 0:
        end = text.find("-->", begin + 2)  # `<!-->` is a whole comment
        if end < 0:
            break
        parts.append(text[place:begin])
        place = end + 3
        begin = text.find("<!--", place)
    return "".join([*parts, text[place:]])
