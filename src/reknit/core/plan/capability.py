"""`plan` as shared code sees it."""

from reknit.core.capability import AgentChoice, Capability
from reknit.core.plan import run_text

PLAN = Capability(
    kind="plan",
    agents=lambda spec: [AgentChoice(spec.agent, "--agent")],
    phases=run_text.PHASES,
    documents=("plan",),
    heading=run_text.render_heading,
    ending_text=run_text.render_ending,
    show_lines=run_text.show_lines,
    show_document=run_text.read_stored_plan,
    ending_document=run_text.read_stored_plan,
)
