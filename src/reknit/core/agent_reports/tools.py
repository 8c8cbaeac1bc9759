"""The tools an agent reports with: their names, fields and descriptions, by role."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.agent_reports.cases_tool import CASES
from reknit.core.agent_reports.fields import Field, IntegerRule, OneOf, RelativePath, Text
from reknit.core.agent_reports.finding_title import MOST_TITLE
from reknit.core.agent_reports.nested_fields import object_schema
from reknit.core.agent_reports.plan_tool import PLAN_FIELDS
from reknit.core.agent_reports.values import FixStatus, Role, Severity, Verdict

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
    Text(MOST_TITLE, shortest=0, one_line=True),
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

SUMMARY = Field("summary", "What you did and saw, in a few sentences, for a person.", Text(4_000))


@dataclass(frozen=True)
class ReportTool:
    name: str
    about: str
    fields: tuple[Field[Any], ...]

    def described(self) -> dict[str, object]:
        """As `tools/list` returns it."""
        # These keep clients from asking a person before every call: a report changes nothing but the report.
        hints = {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
        # Claude Code hides tools behind a search unless this is set; an agent must see the tools it has to call.
        meta = {"anthropic/alwaysLoad": True}
        document = {"name": self.name, "description": self.about, "inputSchema": object_schema(self.fields)}
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
    (STATUS, SUMMARY, QUESTION),
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
