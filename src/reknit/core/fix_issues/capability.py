"""`fix issues` as shared code sees it."""

from reknit.core.capability import AgentChoice, Capability, fixer_choices
from reknit.core.checks.criteria import SAVED, criteria_lines, criteria_of
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.forecast import heading
from reknit.core.runs.spec import RunSpec


def _agents(spec: RunSpec) -> list[AgentChoice]:
    challenger = spec.issues_target.challenger
    return fixer_choices(spec) + ([AgentChoice(challenger, "--challenger")] if challenger else [])


FIX_ISSUES = Capability(
    kind="fix issues",
    workflow="backlog.v1",
    function="reknit.workflows.fix_issues.workflow:backlog",
    lands="branch",
    if_kept=", so its issues stay RESOLVED",
    agents=_agents,
    runs_tests=True,
    phases=run_text.PHASES,
    heading=heading,
    documents=(SAVED,),
    ending_text=lambda stored, width: "\n".join(
        [
            *run_text.ending_lines(stored.run, stored.receipts, len(stored.attempts), width),
            *criteria_lines(stored, width),
        ]
    ),
    show_lines=criteria_lines,
    show_document=criteria_of,
    ending_document=criteria_of,
    receipt_lines=run_text.receipt_lines,
)
