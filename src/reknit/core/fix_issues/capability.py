"""The `fix issues` capability for shared code: its agents, its texts for people, and its stored documents."""

from reknit.core.capability import AgentChoice, Capability, list_fixers
from reknit.core.checks.criteria import CRITERIA_DOCUMENT, add_criteria, get_criteria_document, render_criteria
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.forecast import render_heading
from reknit.core.fix_issues.task import FixIssues
from reknit.core.runs.spec import RunSpec


def _list_agents(spec: RunSpec) -> list[AgentChoice]:
    challenger = spec.task_as(FixIssues).challenger
    return list_fixers(spec) + ([AgentChoice(challenger, "--challenger")] if challenger else [])


FIX_ISSUES = Capability(
    kind="fix issues",
    lands="branch",
    if_kept=", so its issues stay RESOLVED",
    agents=_list_agents,
    runs_tests=True,
    phases=run_text.PHASES,
    heading=render_heading,
    documents=(CRITERIA_DOCUMENT,),
    ending_text=lambda stored, width: add_criteria(
        "\n".join(run_text.render_ending(stored.run, stored.receipts, len(stored.attempts), width)), stored, width
    ),
    show_lines=render_criteria,
    show_document=get_criteria_document,
    ending_document=get_criteria_document,
    receipt_lines=run_text.render_receipt,
)
