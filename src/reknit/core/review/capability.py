"""`review` as shared code sees it."""

from reknit.core.capability import AgentChoice, Capability, StoredRun, list_fixers
from reknit.core.checks.criteria import CRITERIA_DOCUMENT, get_criteria_document
from reknit.core.review import run_text
from reknit.core.review.findings import DOCUMENT, to_annotations, to_sarif
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec


def _list_agents(spec: RunSpec) -> list[AgentChoice]:
    """Return the agents of a run; a review that only reports needs no fixer."""
    target = spec.task_as(ReviewChange)
    readers = {agent.name: agent for _, agent in target.reviewers}
    choices = [AgentChoice(agent, "--agent") for agent in readers.values()]
    return choices if target.report_only else [*list_fixers(spec), *choices]


def _to_document(stored: StoredRun) -> dict[str, object]:
    return {"review": stored.documents.get(DOCUMENT) or None, **get_criteria_document(stored)}


REVIEW = Capability(
    kind="review",
    lands="branch",
    if_kept=", so its issues stay RESOLVED",
    agents=_list_agents,
    runs_tests=True,
    phases=run_text.PHASES,
    heading=run_text.render_heading,
    ending_text=run_text.render_ending,
    receipt_lines=run_text.render_receipt,
    documents=(DOCUMENT, CRITERIA_DOCUMENT),
    show_lines=run_text.show_lines,
    show_document=_to_document,
    ending_document=_to_document,
    reports={"sarif": to_sarif, "github": to_annotations},
)
