"""`plan` as shared code sees it."""

from reknit.core.capability import AgentChoice, Capability
from reknit.core.plan import run_text

PLAN = Capability(
    kind="plan",
    workflow="plan.v1",
    function="reknit.workflows.plan.workflow:plan",
    agents=lambda spec: [AgentChoice(spec.agent, "--agent")],
    phases=run_text.PHASES,
    documents=("plan",),
    heading=run_text.heading,
    ending_text=run_text.ending_text,
    show_lines=run_text.show_lines,
    show_document=run_text.stored_plan,
    ending_document=run_text.stored_plan,
)
