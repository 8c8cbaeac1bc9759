"""Texts about tools in a backlog run: events, feedback for agents, what the receipt says."""

from collections.abc import Collection, Iterable, Sequence

from reknit.core.fix_issues.decision import NO_LONGER
from reknit.core.fix_issues.progress import BacklogProgress, ToolFix
from reknit.core.fix_issues.tool_decision import Fixable, ToolCheck, ToolPlan
from reknit.core.fix_issues.tools.look import ToolLook, ToolReport
from reknit.core.fix_issues.tools.registry import source_of
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue
from reknit.core.runs.event import Event
from reknit.core.text.format import counted, first_and_more, one_line

SHOWN = 10
STILL = "the tools still report all of it"
NOTHING_CHANGED = "the tools changed nothing"


def looked(look: ToolLook, found: ToolPlan) -> Event:
    fixable = sum(len(each.issues) for each in found.fixable)
    parts = [f"{report.label}: {report.why}" if report.why else report.label for report in look.reports]
    text = f"{'; '.join(parts)}; safe fixes for {counted(fixable, 'issue')}"
    if found.gone:
        gone = first_and_more([f"I-{issue}" for issue in found.gone], SHOWN)
        text += f"; no longer reported, so left as they are: {gone}"
    data: dict[str, object] = {
        "tools": {report.tool: report.why or report.version for report in look.reports},
        "fixable": [f"I-{issue}" for each in found.fixable for issue in each.issues],
        "gone": [f"I-{issue}" for issue in found.gone],
    }
    return Event("tools_looked", "note", "tools", text, data)


def refused(gate: GateVerdict) -> str:
    """Empty: it was not."""
    return "" if gate.accepted else f"the gate refused it: {gate.refusals[0].sentence}"


def names(part: Sequence[Fixable]) -> str:
    """`ruff (F401, I001)`"""
    tools: dict[str, list[str]] = {}
    for each in part:
        tools.setdefault(each.tool, []).append(each.rule)
    return ", ".join(f"{tool} ({first_and_more([*dict.fromkeys(rules)], 3)})" for tool, rules in tools.items())


def tool_fixed(number: int, part: Sequence[Fixable], why: str, fixes: Sequence[ToolFix]) -> Event:
    """`why`: it was not accepted; empty: it was."""
    data: dict[str, object] = {
        "number": number,
        "accepted": not why,
        "issues": {fix.by: [f"I-{issue}" for issue in fix.issues] for fix in fixes},
    }
    if why:
        text = f"the fixes of {names(part)} were not accepted: {one_line(why.splitlines()[0])[:300]}"
        return Event("tool_fix", "bad", "tools", text, data | {"output_tail": why[-2000:]})
    said = [f"{fix.by} fixed {counted(len(fix.issues), 'issue')}" for fix in fixes]
    return Event("tool_fix", "ok", "tools", f"{', '.join(said)}; no test turned red, no agent was called", data)


def still_reported(look: ToolLook, still: Collection[int], issues: Iterable[Issue]) -> str:
    """Why a fix is not accepted, for the agent and for people."""
    lines = []
    for issue in issues:
        if issue.id in still:
            by = [report.label for report in look.reports if source_of(issue, report.tool)]
            lines.append(
                f"- {issue.name} {one_line(issue.rule)[:80]} {one_line(issue.path)}: {one_line(issue.message)[:200]}"
                f" ({', '.join(by)})"
            )
    more = [f"- and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    count = counted(len(lines), "issue")
    head = f"the tools still report {count} after this change, maybe in another file, or cannot read it:"
    return "\n".join([head, *lines[:SHOWN], *more])


def refused_by_tools(number: int, why: str) -> Event:
    data: dict[str, object] = {"attempt": number, "output_tail": why[-2000:]}
    return Event("tools_checked", "bad", "tools", why.splitlines()[0].rstrip(":"), data)


def no_result(failed: Sequence[ToolReport]) -> str:
    """Why a change is not accepted after which a tool fails that did not fail before."""
    said = "; ".join(f"{one_line(report.label)}: {one_line(report.why)[:300]}" for report in failed)
    return f"a tool that reported an issue gives no result on this change, but does on the code before it: {said}"


def receipt_lines_of(
    progress: BacklogProgress, checked: ToolCheck, look: ToolLook, done: Collection[int]
) -> tuple[str, ...]:
    """What tools fixed and what they said in the end about the issues of the commit."""
    by_tools = progress.by_tools
    tools = dict.fromkeys(by_tools[issue] for issue in done if issue in by_tools)
    lines = [
        f"{tool} fixed {', '.join(f'I-{issue}' for issue in done if by_tools.get(issue) == tool)}" for tool in tools
    ]
    if silent := [issue for issue in checked.silent if issue in done]:
        labels = [report.label for report in look.reports if not report.why]
        lines.append(f"run again, {', '.join(labels)} no longer report {counted(len(silent), 'issue')} of {len(done)}")
    unchecked = [issue for issue in checked.unchecked if issue in done]
    if unchecked:
        whys = [f"{report.tool}: {one_line(report.why)[:200]}" for report in look.reports if report.why]
        whys += [
            f"{report.tool} did not look for {first_and_more(report.unknown, SHOWN)}"
            for report in look.reports
            if report.unknown
        ]
        reason = "; ".join(whys) or "they were not reported before the fix, or their files were not read"
        lines.append(f"not checked again: {first_and_more([f'I-{issue}' for issue in unchecked], SHOWN)} ({reason})")
    if progress.gone:
        lines.append(f"{first_and_more([f'I-{issue}' for issue in progress.gone], SHOWN)} {NO_LONGER}")
    return tuple(lines)
