"""Texts about tools in a backlog run: events, feedback for agents, and lines of the receipt."""

from collections.abc import Collection, Iterable, Sequence

from reknit.core.fix_issues.decision import NO_LONGER
from reknit.core.fix_issues.progress import BacklogProgress, ToolFix
from reknit.core.fix_issues.tool_decision import Fixable, ToolCheck, ToolPlan
from reknit.core.fix_issues.tools.lint_tool import find_source
from reknit.core.fix_issues.tools.look import ToolLook, ToolReport
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue
from reknit.core.runs.event import Event
from reknit.core.text.format import join_and_count, pluralize, to_one_line

SHOWN = 10
ALL_STILL_REPORTED = "the tools still report all of it"
NOTHING_CHANGED = "the tools changed nothing"


def report_look(look: ToolLook, plan: ToolPlan) -> Event:
    """Return the event for the first reports of the tools."""
    fixable = sum(len(fixable_rule.issues) for fixable_rule in plan.fixable)
    parts = [f"{report.label}: {report.why}" if report.why else report.label for report in look.reports]
    text = f"{'; '.join(parts)}; safe fixes for {pluralize(fixable, 'issue')}"
    if plan.absent_issues:
        absent = join_and_count([f"I-{issue}" for issue in plan.absent_issues], SHOWN)
        text += f"; no longer reported, so left as they are: {absent}"
    data: dict[str, object] = {
        "tools": {report.tool: report.why or report.version for report in look.reports},
        "fixable": [f"I-{issue}" for fixable_rule in plan.fixable for issue in fixable_rule.issues],
        "gone": [f"I-{issue}" for issue in plan.absent_issues],
    }
    return Event("tools_looked", "note", "tools", text, data)


def explain_gate_refusal(gate: GateVerdict) -> str:
    """Return why the gate refused a fix; empty: it did not."""
    return "" if gate.is_accepted else f"the gate refused it: {gate.refusals[0].sentence}"


def name_fixes(part: Sequence[Fixable]) -> str:
    """Return tools with their rules: `ruff (F401, I001)`."""
    tools: dict[str, list[str]] = {}
    for fixable in part:
        tools.setdefault(fixable.tool, []).append(fixable.rule)
    return ", ".join(f"{tool} ({join_and_count([*dict.fromkeys(rules)], 3)})" for tool, rules in tools.items())


def report_tool_fix(number: int, part: Sequence[Fixable], why: str, fixes: Sequence[ToolFix]) -> Event:
    """Return the event for a fix of tools. `why`: why it was not accepted; empty: it was."""
    data: dict[str, object] = {
        "number": number,
        "accepted": not why,
        "issues": {fix.by: [f"I-{issue}" for issue in fix.issues] for fix in fixes},
    }
    if why:
        text = f"the fixes of {name_fixes(part)} were not accepted: {to_one_line(why.splitlines()[0])[:300]}"
        return Event("tool_fix", "bad", "tools", text, data | {"output_tail": why[-2000:]})
    parts = [f"{fix.by} fixed {pluralize(len(fix.issues), 'issue')}" for fix in fixes]
    return Event("tool_fix", "ok", "tools", f"{', '.join(parts)}; no test turned red, no agent was called", data)


def explain_still_reported(look: ToolLook, still: Collection[int], issues: Iterable[Issue]) -> str:
    """List the issues that tools still report after a change, for the agent and for people."""
    lines = []
    for issue in issues:
        if issue.id in still:
            by = [report.label for report in look.reports if find_source(issue, report.tool)]
            lines.append(
                f"- {issue.name} {to_one_line(issue.rule)[:80]} {to_one_line(issue.path)}: "
                f"{to_one_line(issue.message)[:200]} ({', '.join(by)})"
            )
    more = [f"- and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    count = pluralize(len(lines), "issue")
    heading = f"the tools still report {count} after this change, maybe in another file, or cannot read it:"
    return "\n".join([heading, *lines[:SHOWN], *more])


def report_refused_by_tools(number: int, why: str) -> Event:
    """Return the event for a change that tools refuse."""
    data: dict[str, object] = {"attempt": number, "output_tail": why[-2000:]}
    return Event("tools_checked", "bad", "tools", why.splitlines()[0].rstrip(":"), data)


def explain_no_result(failed: Sequence[ToolReport]) -> str:
    """Say why a change is refused: a tool that gave a result before it gives none after it."""
    reasons = "; ".join(f"{to_one_line(report.label)}: {to_one_line(report.why)[:300]}" for report in failed)
    return f"a tool that reported an issue gives no result on this change, but does on the code before it: {reasons}"


def render_tool_receipt(
    progress: BacklogProgress, checked: ToolCheck, look: ToolLook, landed_issues: Collection[int]
) -> tuple[str, ...]:
    """Return lines of the receipt: the fixes of tools, and what tools last reported about the commit's issues."""
    by_tools = progress.by_tools
    tools = dict.fromkeys(by_tools[issue] for issue in landed_issues if issue in by_tools)
    lines = [
        f"{tool} fixed {', '.join(f'I-{issue}' for issue in landed_issues if by_tools.get(issue) == tool)}"
        for tool in tools
    ]
    if silent := [issue for issue in checked.silent if issue in landed_issues]:
        labels = [report.label for report in look.reports if not report.why]
        lines.append(
            f"run again, {', '.join(labels)} no longer report {pluralize(len(silent), 'issue')} of {len(landed_issues)}"
        )
    unchecked = [issue for issue in checked.unchecked if issue in landed_issues]
    if unchecked:
        reasons = [f"{report.tool}: {to_one_line(report.why)[:200]}" for report in look.reports if report.why]
        reasons += [
            f"{report.tool} did not look for {join_and_count(report.unknown, SHOWN)}"
            for report in look.reports
            if report.unknown
        ]
        reason = "; ".join(reasons) or "they were not reported before the fix, or their files were not read"
        lines.append(f"not checked again: {join_and_count([f'I-{issue}' for issue in unchecked], SHOWN)} ({reason})")
    if progress.absent_issues:
        lines.append(f"{join_and_count([f'I-{issue}' for issue in progress.absent_issues], SHOWN)} {NO_LONGER}")
    return tuple(lines)
