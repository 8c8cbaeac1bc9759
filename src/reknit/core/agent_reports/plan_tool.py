"""The tool with which an agent proposes a plan. Its fields are those of `PlanProposal`, and no others are accepted."""

from reknit.core.agent_reports.fields import Field, FieldReader, IntegerRule, OneOf, Text
from reknit.core.agent_reports.nested_fields import ListOf, ObjectOf, TextOrNull
from reknit.core.agent_reports.values import Effort, PlannedTask, PlanProposal

_EFFORTS: tuple[Effort, ...] = ("S", "M", "L")
_NAME = 60
_SENTENCE = 1_000
_LINE = 300
MOST_TASKS = 50
MOST_CRITERIA = 50

TASK_TITLE = Field("title", "What is to be done, with the paths of the files.", Text(_LINE, one_line=True))
TASK_EFFORT = Field("effort", "S, M or L.", OneOf(_EFFORTS))
TASK_IMPACT = Field("impact", "What it is worth: S, M or L, or a few words.", Text(_LINE, one_line=True))
_TASK_FIELDS = (TASK_TITLE, TASK_EFFORT, TASK_IMPACT)

PRIMARY = Field("primary", "The name of the variant that should do the work.", Text(_NAME, one_line=True))
RATIONALE = Field("primary_rationale", "Why, in one sentence.", Text(_SENTENCE, one_line=True))
ALTERNATE = Field("alternate", "The variant to use instead in some case, or null.", TextOrNull(_NAME))
ALTERNATE_WHEN = Field("alternate_when", "In which case, in one sentence, or null.", TextOrNull(_SENTENCE))
TASKS = Field(
    "tasks",
    "The work, in order.",
    ListOf(
        ObjectOf(
            _TASK_FIELDS,
            lambda values: PlannedTask(values["title"], values["effort"], values["impact"]),
            PlannedTask("", "S", ""),
        ),
        MOST_TASKS,
    ),
)
CRITERIA = Field(
    "acceptance_criteria",
    "How it will be known that the work is done: each one sentence that a program can check.",
    ListOf(Text(_LINE, one_line=True), MOST_CRITERIA),
)
CONFIDENCE = Field("confidence", "How sure you are of this plan.", IntegerRule(0, 100))

PLAN_FIELDS = (PRIMARY, RATIONALE, ALTERNATE, ALTERNATE_WHEN, TASKS, CRITERIA, CONFIDENCE)


def read_proposal(reading: FieldReader) -> PlanProposal:
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
        reading.object("alternate_when: expected text exactly if alternate is not null")
    return proposal
