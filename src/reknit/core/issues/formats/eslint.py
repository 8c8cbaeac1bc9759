"""Reads what `eslint --format json` prints: one entry per file, even for files without a message."""

from collections.abc import Iterator

import msgspec

from reknit.core.issues.formats.json_reports import decode_document, decode_each
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    SUGGESTION_CHARS,
    Report,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

TOOL = "eslint"
FATAL = "fatal"
"""The rule for a file that eslint could not parse, and for comments that disable a rule that does not exist."""
_ERROR_SEVERITY = 2


class _EslintSuggestion(msgspec.Struct, gc=False):
    desc: str | None = None


class _EslintFix(msgspec.Struct, gc=False):
    """A fix, of which only the presence counts."""


class _EslintMessage(msgspec.Struct, gc=False, rename="camel"):
    message: str
    rule_id: str | None = None
    severity: int | None = None
    line: int | None = None
    column: int | None = None
    suggestions: list[_EslintSuggestion] | None = None
    fix: _EslintFix | None = None
    """Change that `--fix` would apply. A change of behaviour would be a suggestion."""


class _File(msgspec.Struct, gc=False, rename="camel"):
    file_path: str
    messages: list[msgspec.Raw]


_DOCUMENT = msgspec.json.Decoder(list[msgspec.Raw])
_FILE = msgspec.json.Decoder(_File)
_MESSAGE = msgspec.json.Decoder(_EslintMessage)


def read_report(data: Data) -> Report:
    """Read an ESLint document: a list of files with their messages."""
    return Report((TOOL,), _read_results(decode_document(_DOCUMENT, data)))


def _read_results(files: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for file in decode_each(_FILE, files):
        path = check_path(file.file_path)
        for message in decode_each(_MESSAGE, file.messages):
            descriptions = (suggestion.desc for suggestion in message.suggestions or ())
            yield ReportResult(
                tool=TOOL,
                rule=choose_rule_name(message.rule_id, FATAL),
                path=path,
                line=check_position(message.line),
                column=check_position(message.column),
                message=bound_text(message.message, MESSAGE_CHARS),
                weight="critical" if message.severity == _ERROR_SEVERITY else "important",
                suggestion=bound_text(next(filter(None, descriptions), None), SUGGESTION_CHARS),
                fixable=message.fix is not None,
            )
