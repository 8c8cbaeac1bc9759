"""The tool with which an agent that has not seen a fix proposes further test cases."""

from reknit.core.agent_reports.fields import Field, FieldReader, RelativePath, Text
from reknit.core.agent_reports.nested_fields import ListOf, ObjectOf
from reknit.core.agent_reports.values import CaseProposal, HeldOutCase

MOST_CASES = 5
_ID = 500
_TEXT = 8_000
_LINE = 300

_CASE_FIELDS = (
    Field("test", "The id of its one test, written exactly like the id of the failing test.", Text(_ID, one_line=True)),
    Field(
        "path", "A new file in the folder that you were given; relative to the top of the repository.", RelativePath()
    ),
    Field("text", "The whole file: imports and the one test.", Text(_TEXT)),
    Field("about", "What it checks, and which test or document says so.", Text(_LINE, one_line=True)),
)
CASES = Field(
    "cases",
    "One file per case; an empty list if nothing says how other inputs must behave.",
    ListOf(
        ObjectOf(
            _CASE_FIELDS,
            lambda values: HeldOutCase(values["test"], values["path"], f"{values['text']}\n", values["about"]),
            HeldOutCase("", "", "", ""),
        ),
        MOST_CASES,
        least=0,
    ),
)


def read_cases(reading: FieldReader) -> CaseProposal:
    return CaseProposal(reading.take(CASES))
