"""Makes untrusted text safe on a forge: in Markdown, in commit messages, and in workflow commands."""

import re
from dataclasses import dataclass
from typing import Literal

from reknit.core.text.redact import redact

_ZERO_WIDTH_SPACE = "&#8203;"
"""An entity, because filters for hidden characters would remove the character itself."""
_MARKUP = "&<>\\`*_[]|~$"
# A forge makes links and mentions from the rendered text, so an escape alone would not stop them.
_SPECIAL = re.compile(rf"[{re.escape(_MARKUP)}]|@|#(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=\bGH-)(?=\d)", re.IGNORECASE)


def escape_markdown(text: str) -> str:
    """Escape text inside a line or a table cell. At the start of a line `#` or `-` would still be markup."""
    return _SPECIAL.sub(lambda match: _neutralize(match[0]), text)


def to_code_span(text: str) -> str:
    """Return the text as inline code. Do not use it in table cells, where a `|` would end the cell."""
    inside = text.replace("`", "'").replace("<!--", "<! --").strip()
    return f"`{inside}`" if inside else ""


def escape_prose(text: str) -> str:
    """Escape a sentence of reknit that contains commands in backticks and untrusted text."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape_markdown(text)
    return "".join(to_code_span(part) if index % 2 else escape_markdown(part) for index, part in enumerate(parts))


def _neutralize(characters: str) -> str:
    is_markup = bool(characters) and characters in _MARKUP
    return f"&#{ord(characters)};" if is_markup else f"{characters}{_ZERO_WIDTH_SPACE}"


_BRACKETS = re.compile(r"\[([^\[\]\n]{1,200})\]")
_CI_COMMAND = re.compile(r"skip|no.?ci|issue:|(?<![a-z])ci(?![a-z])", re.IGNORECASE)
_NO_CI = re.compile(r"(?<!\*)\*{3,}+(?=no_ci)|(?<=no_ci)\*{3,}", re.IGNORECASE)
_SKIP_CHECKS = re.compile(r"(skip-checks)[\s:]*:", re.IGNORECASE)
_ISSUE = re.compile(r"(?:#|\bg[hl]-)(?=\d)", re.IGNORECASE)
_URL = re.compile(r"://\S+")
_ISSUE_IN_URL = re.compile(r"(/(?:issues(?:/incident)?|work_items|pull|merge_requests)/)(?=\d)")
_MENTION = re.compile(r"@(?=\w)")


def neutralize_commit_text(message: str) -> str:
    """Remove the effect of CI-skip markers, mentions and issue references. Other brackets stay: `test_price[2]`."""
    text = _BRACKETS.sub(lambda match: f"({match[1]})" if _CI_COMMAND.search(match[1]) else match[0], redact(message))
    text = _SKIP_CHECKS.sub(r"\1", _NO_CI.sub("", text))
    text = _URL.sub(lambda match: _ISSUE_IN_URL.sub(r"\1no. ", match[0]), text)
    return _MENTION.sub("(at)", _ISSUE.sub("no. ", text))


_ANGLES = str.maketrans("<>", "‹›")
_LINK = re.compile(r"(?<=\])(?=\()|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=javascript)(?=:)", re.IGNORECASE)


def neutralize_quote(text: str) -> str:
    """Remove HTML and links from a stranger's words: a forge offers commit messages as the text of a pull request."""
    return _LINK.sub(" ", text.translate(_ANGLES))


AnnotationLevel = Literal["error", "warning", "notice"]


@dataclass(frozen=True)
class WorkflowAnnotation:
    """A message that GitHub shows at a line of a file."""

    level: AnnotationLevel
    title: str
    text: str
    file: str = ""
    line: int = 0


def render_annotation(annotation: WorkflowAnnotation) -> str:
    """Return the workflow command that shows it: `::error file=shop/a.py,line=7,title=…::…`."""
    place = [f"file={_escape_property(annotation.file)}"] if annotation.file else []
    place += [f"line={annotation.line}"] if annotation.file and annotation.line else []
    properties = ",".join([*place, f"title={_escape_property(annotation.title)}"])
    return f"::{annotation.level} {properties}::{_escape_data(annotation.text)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
