"""Defines the MCP tools with which agents report, by role, and reads the plans and test cases that they get."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.agent_reports.fields import Field, FieldReader, IntegerRule, OneOf, RelativePath, Text
from reknit.core.agent_reports.nested_fields import ListOf, ObjectOf, TextOrNull, to_object_schema
from reknit.core.agent_reports.values import (
    MAX_TITLE_CHARS,
    Effort,
    FixStatus,
    HeldOutCase,
    PlannedTask,
    PlanProposal,
    Role,
    Severity,
    Verdict,
)

MAX_TASKS = 50
MAX_CRITERIA = 50
MAX_CASES = 5
MAX_FILES = 20
_NAME = 60
_LINE = 300
_ID = 500
_SENTENCE = 1_000
_TEXT = 8_000
"""Longest texts, in characters."""

_EFFORTS: tuple[Effort, ...] = ("S", "M", "L")
_SEVERITIES: tuple[Severity, ...] = ("blocking", "warning", "suggestion")
_VERDICTS: tuple[Verdict, ...] = ("passed", "needs_work")
_STATUSES: tuple[FixStatus, ...] = ("fixed", "gave_up", "question")

CATEGORY = Field(
    "category",
    "The kind of problem in a word or two: correctness, security, performance, tests, style …",
    Text(60, one_line=True),
)
SEVERITY = Field(
    "severity",
    "blocking: must be fixed before merge. warning: should be fixed. suggestion: optional improvement.",
    OneOf(_SEVERITIES),
)
FILE = Field("file", "Path of the file, relative to the top of the repository.", RelativePath())
LINE = Field("line", "Line in the file as it is now, counted from 1; 0 means the whole file.", IntegerRule(0))
ISSUE = Field("issue", "What is wrong and what it leads to.", Text(4_000))
SUGGESTION = Field("suggestion", "How to fix it, if you know.", Text(4_000, shortest=0), default="")
EFFORT = Field("effort", "Effort to fix it: 1 is one line, 5 is a redesign.", IntegerRule(1, 5), default=3)
TITLE = Field(
    "title",
    "The problem in one line, as in the subject of a commit; if left out, the first sentence of the issue.",
    Text(MAX_TITLE_CHARS, shortest=0, one_line=True),
    default="",
)
FILES = Field("files", "How many files a fix has to change.", IntegerRule(1), default=1)

VERDICT = Field(
    "verdict",
    "passed: it can be merged as is; not allowed with a blocking finding. needs_work: it cannot.",
    OneOf(_VERDICTS),
)
SCORE = Field("score", "Quality of the whole: 0 is unusable, 100 is flawless.", IntegerRule(0, 100))

STATUS = Field(
    "status",
    "fixed: you fixed it. gave_up: you could not. question: you cannot continue without an answer from a person.",
    OneOf(_STATUSES),
)
QUESTION = Field(
    "question", "Only with status `question`: what a person must answer.", Text(2_000, shortest=0), default=""
)

CHANGE_TITLE = Field(
    "title",
    "What you changed in one line, as in the subject of a commit: imperative, about 50 characters, no names of people, "
    "no issue numbers; if left out, the first sentence of the summary.",
    Text(MAX_TITLE_CHARS, shortest=0, one_line=True),
    default="",
)

SUMMARY = Field("summary", "What you did and saw, in a few sentences, for a person.", Text(4_000))

TASK_TITLE = Field("title", "What is to be done.", Text(_LINE, one_line=True))
TASK_EFFORT = Field("effort", "S, M or L.", OneOf(_EFFORTS))
TASK_IMPACT = Field("impact", "What it is worth: S, M or L, or a few words.", Text(_LINE, one_line=True))
_PATHS = ListOf(RelativePath(), MAX_FILES, least=0)
TASK_FILES = Field("files", "Files to change: they are there, or an earlier task adds them.", _PATHS, default=())
TASK_NEW_FILES = Field("new_files", "Files to add.", _PATHS, default=())
TASK_FIELDS = (TASK_TITLE, TASK_EFFORT, TASK_IMPACT, TASK_FILES, TASK_NEW_FILES)

PRIMARY = Field("primary", "The name of the variant that should do the work.", Text(_NAME, one_line=True))
RATIONALE = Field("primary_rationale", "Why, in one sentence.", Text(_SENTENCE, one_line=True))
ALTERNATE = Field("alternate", "The variant to use instead in some case, or null.", TextOrNull(_NAME))
ALTERNATE_WHEN = Field("alternate_when", "In which case, in one sentence, or null.", TextOrNull(_SENTENCE))
TASKS = Field(
    "tasks",
    "The work, in order.",
    ListOf(
        ObjectOf(
            TASK_FIELDS,
            lambda values: PlannedTask(**values),
            PlannedTask("", "S", ""),
        ),
        MAX_TASKS,
    ),
)
CRITERIA = Field(
    "acceptance_criteria",
    "How a program will know that the work is done: each `run: COMMAND`, `test: FILE` or `file: PATH contains TEXT`.",
    ListOf(Text(_LINE, one_line=True), MAX_CRITERIA),
)
CONFIDENCE = Field("confidence", "How sure you are of this plan.", IntegerRule(0, 100))

PLAN_FIELDS = (PRIMARY, RATIONALE, ALTERNATE, ALTERNATE_WHEN, TASKS, CRITERIA, CONFIDENCE)


def read_proposal(reading: FieldReader) -> PlanProposal:
    """Read a proposed plan. An alternate variant and its condition belong together."""
    proposal = PlanProposal(
        primary=reading.take(PRIMARY),
        primary_rationale=reading.take(RATIONALE),
        alternate=reading.take(ALTERNATE),
        alternate_when=reading.take(ALTERNATE_WHEN),
        tasks=reading.take(TASKS),
        acceptance_criteria=reading.take(CRITERIA),
        confidence_0_100=reading.take(CONFIDENCE),
    )
    if not reading.problems and bool(proposal.alternate) != bool(proposal.alternate_when):
        reading.add_problem("alternate_when: expected text exactly if alternate is not null")
    return proposal


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
        MAX_CASES,
        least=0,
    ),
)


@dataclass(frozen=True)
class ReportTool:
    """An MCP tool: its name, its description and its fields."""

    name: str
    about: str
    fields: tuple[Field[Any], ...]

    def to_document(self) -> dict[str, object]:
        """Return the entry of the tool in `tools/list`."""
        # These keep clients from asking a person before every call: a report changes nothing but the report.
        hints = {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
        # Without this, Claude Code hides tools behind a search; an agent must see the tools that it has to call.
        meta = {"anthropic/alwaysLoad": True}
        document = {"name": self.name, "description": self.about, "inputSchema": to_object_schema(self.fields)}
        return {**document, "annotations": hints, "_meta": meta}


REPORT_FINDING = ReportTool(
    "report_finding",
    "Report one problem you found. Call it once per problem, then call finish_review.",
    (CATEGORY, SEVERITY, FILE, LINE, ISSUE, SUGGESTION, EFFORT, TITLE, FILES),
)
FINISH_REVIEW = ReportTool(
    "finish_review",
    "End the review with your verdict. Call it once, after all findings; if you call it again, the last call counts.",
    (VERDICT, SCORE, SUMMARY),
)
FINISH_FIX = ReportTool(
    "finish_fix",
    "Report how your work ended. You must call it once, at the very end; if you call it again, the last call counts.",
    (STATUS, SUMMARY, QUESTION, CHANGE_TITLE),
)

PROPOSE_PLAN = ReportTool(
    "propose_plan",
    "Give the plan as one JSON object: the arguments of this call. Call it once; an unknown field is refused.",
    PLAN_FIELDS,
)

PROPOSE_CASES = ReportTool(
    "propose_cases",
    "Give your test cases. Call it once, at the very end; if you call it again, the last call counts.",
    (CASES,),
)

TOOLS: Mapping[Role, tuple[ReportTool, ...]] = {
    "review": (REPORT_FINDING, FINISH_REVIEW),
    "fix": (FINISH_FIX,),
    "plan": (PROPOSE_PLAN,),
    "holdout": (PROPOSE_CASES,),
}
FINISH: Mapping[Role, ReportTool] = {
    "review": FINISH_REVIEW,
    "fix": FINISH_FIX,
    "plan": PROPOSE_PLAN,
    "holdout": PROPOSE_CASES,
}
"""The call each role must end with."""

INSTRUCTIONS: Mapping[Role, str] = {
    "review": "If you were asked for a review: report each problem with report_finding and end with finish_review. "
    "Only these calls count, not prose.",
    "fix": "When your work is done, call finish_fix. Only this call counts, not prose.",
    "plan": "Give your plan by calling propose_plan once. Only this call counts, not prose.",
    "holdout": "Give your test cases by calling propose_cases. Only this call counts, not prose.",
}
