"""Reads what `eslint --format json` prints: one entry per file, even for files without a message."""

from collections.abc import Iterator

import msgspec

from reknit.core.issues.formats.bounds import MESSAGE_CHARS, SUGGESTION_CHARS, bounded, counted, path_text, rule_name
from reknit.core.issues.formats.json_reports import document, each
from reknit.core.issues.formats.report import Report
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

TOOL = "eslint"
FATAL = "fatal"
"""The rule for a file that eslint could not parse, and for comments that disable a rule that does not exist."""
_ERROR = 2


class _EslintSuggestion(msgspec.Struct, gc=False):
    desc: str | None = None


class _EslintFix(msgspec.Struct, gc=False):
    """What it would change is not needed."""


class _EslintMessage(msgspec.Struct, gc=False, rename="camel"):
    message: str
    rule_id: str | None = None
    severity: int | None = None
    line: int | None = None
    column: int | None = None
    suggestions: list[_EslintSuggestion] | None = None
    fix: _EslintFix | None = None
    """Only what `--fix` would apply; what changes behaviour is a suggestion."""


class _File(msgspec.Struct, gc=False, rename="camel"):
    file_path: str
    messages: list[msgspec.Raw]


_ALL = msgspec.json.Decoder(list[msgspec.Raw])
_FILE = msgspec.json.Decoder(_File)
_MESSAGE = msgspec.json.Decoder(_EslintMessage)


def report(data: Data) -> Report:
    return Report((TOOL,), _found(document(_ALL, data)))


def _found(files: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for file in each(_FILE, files):
        path = path_text(file.file_path)
        for one in each(_MESSAGE, file.messages):
            described = (suggestion.desc for suggestion in one.suggestions or ())
            yield ReportResult(
                tool=TOOL,
                rule=rule_name(one.rule_id, FATAL),
                path=path,
                line=counted(one.line),
                column=counted(one.column),
                message=bounded(one.message, MESSAGE_CHARS),
                weight="critical" if one.severity == _ERROR else "important",
                suggestion=bounded(next(filter(None, described), None), SUGGESTION_CHARS),
                fixable=one.fix is not None,
            )
