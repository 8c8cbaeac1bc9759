"""`review` as shared code sees it."""

from reknit.core.capability import AgentChoice, Capability, StoredRun, fixer_choices
from reknit.core.checks.criteria import SAVED, criteria_of
from reknit.core.review import run_text
from reknit.core.review.output.findings import DOCUMENT, as_annotations, as_sarif
from reknit.core.runs.spec import RunSpec


def _agents(spec: RunSpec) -> list[AgentChoice]:
    """A review that only reports needs no fixer."""
    target = spec.review_target
    readers = {agent.name: agent for _, agent in target.reviewers}
    asked = [AgentChoice(agent, "--agent") for agent in readers.values()]
    return asked if target.report_only else [*fixer_choices(spec), *asked]


def _document(stored: StoredRun) -> dict[str, object]:
    return {"review": stored.documents.get(DOCUMENT) or None, **criteria_of(stored)}


REVIEW = Capability(
    kind="review",
    workflow="review.v1",
    function="reknit.workflows.review.workflow:review",
    lands="branch",
    if_kept=", so its issues stay RESOLVED",
    agents=_agents,
    runs_tests=True,
    phases=run_text.PHASES,
    heading=run_text.heading,
    ending_text=run_text.ending_text,
    receipt_lines=run_text.receipt_lines,
    documents=(DOCUMENT, SAVED),
    show_lines=run_text.show_lines,
    show_document=_document,
    ending_document=_document,
    reports={"sarif": as_sarif, "github": as_annotations},
)
