"""The first part of a run on the backlog: tools fix what they can, and what is left is packed for agents."""

from dataclasses import replace

from reknit.core.fix_issues import tool_text
from reknit.core.fix_issues.progress import BacklogProgress
from reknit.core.fix_issues.step_results import ToolProof
from reknit.core.fix_issues.tool_decision import Fixable, first_queue, for_agents
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues import tool_steps


async def fixed_by_tools(spec: RunSpec, progress: BacklogProgress) -> tuple[RunSpec, BacklogProgress]:
    """The run with batches of what is left, and what was kept."""
    found = await tool_steps.look(spec)
    progress, queue = replace(progress, gone=found.gone), first_queue(found)
    while part := queue.next:
        progress, kept = await _tried(spec, progress, queue.tries + 1, part)
        queue = queue.accepted() if kept else queue.refused()
    batches = await tool_steps.rebatch(spec, (*found.gone, *progress.by_tools))
    return replace(spec, issues=for_agents(spec.issues_target, batches)), progress


async def _tried(
    spec: RunSpec, progress: BacklogProgress, number: int, part: tuple[Fixable, ...]
) -> tuple[BacklogProgress, bool]:
    made = await tool_steps.fix(spec, progress.head, number, part)
    proof = ToolProof(made.why, 0.0)
    if not made.why:
        gate = await tool_steps.judge(spec, progress.head, made)
        why = tool_text.refused(gate)
        proof = ToolProof(why, 0.0) if why else await tool_steps.prove(spec, number, part, made)
    await tool_steps.record(spec, number, part, proof)
    after = progress.with_tool_fixes(proof.fixes, made.after, made.at, made.seconds + proof.seconds)
    return after, not proof.why
