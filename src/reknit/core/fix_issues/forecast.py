"""Forecasts the work and the cost of a backlog run before anything is spent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.gate.needed_waivers import explain_not_allowed
from reknit.core.issues.model import Issue
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import join_and_count, pluralize, to_one_line
from reknit.core.text.truncate import truncate_columns

FILES_SHOWN = 2
IDS_SHOWN = 5
_NO_AGENTS: Mapping[str, str] = {}


def count_calls(target: FixIssues, limits: Limits) -> tuple[int, int]:
    """Return the number of agent calls if everything succeeds at the first try, and the maximum."""
    batches, rounds = len(target.batches), target.limits.rounds
    if target.challenger is None:
        return batches, batches * limits.attempts
    challenges = rounds * target.limits.challenger_tries
    return batches + 1, batches * limits.attempts + challenges + (rounds - 1) * limits.attempts


def render_batch(batch: Batch, issues: Sequence[Issue], width: int = 0) -> str:
    """Render one batch. `width` of the terminal; 0: there is none."""
    files = list(dict.fromkeys(to_one_line(issue.path) for issue in issues if issue.id in batch.issues))
    size = f"{batch.points:>3} points  {len(batch.issues)} issue{'s' if len(batch.issues) > 1 else ' '}"
    names = join_and_count([f"I-{issue}" for issue in batch.issues], IDS_SHOWN, " ")
    line = f"  B-{batch.number:<4} {batch.kind:<8}  {size}  {names}  {join_and_count(files, FILES_SHOWN)}"
    return truncate_columns(line, width)


@dataclass(frozen=True)
class RunProspect:
    """Facts about costs and other issues that are known before a run."""

    fix_usd: float | None
    """Average cost of a fixer call here in US dollars; None: there is no history."""
    challenge_usd: float | None
    """Average cost of a challenger call here in US dollars; None: there is no history."""
    others: int
    """Number of open issues that are neither in the run nor counted below."""
    absent: int | None
    """Number of open issues that no tool reports any more; None: too many to count, so `others` includes them."""
    skip_counts: Mapping[str, int]
    """Number of issues left out, by reason."""


def render_heading(spec: RunSpec) -> list[str]:
    """Return the first lines of the run: its size, its budget and its agents."""
    target = spec.task_as(FixIssues)
    size = f"{len(target.issues)} issue(s) in {len(target.batches)} batch(es)"
    if plan := target.variant:
        size = f"plan {plan.topic} as {plan.name}: {pluralize(len(target.issues), 'task')}"
    budget = f"at most ${spec.limits.budget_usd:.2f}"
    return [f"{spec.run_id}  {size}, {budget}", f"  {describe_agents(target, [agent.name for agent in spec.agents])}"]


def describe_agents(target: FixIssues, fixers: Sequence[str], unready: Mapping[str, str] = _NO_AGENTS) -> str:
    """Say who fixes and who challenges. `unready`: agent -> why it cannot start now."""
    text = f"{', then '.join(fixers)} fixes{_explain_unready(fixers, unready)}"
    if target.challenger is None:
        return f"{text}; no challenger: {target.unchallenged}"
    judge, mark, rounds = target.challenger.name, f"{target.limits.threshold_0_100:g}", target.limits.rounds
    return f"{text}, {judge} challenges ({mark} of 100, at most {rounds} rounds){_explain_unready([judge], unready)}"


def _explain_unready(agents: Sequence[str], unready: Mapping[str, str]) -> str:
    if len(agents) == 1:
        return f" ({unready[agents[0]]})" if agents[0] in unready else ""
    reasons = "; ".join(f"{agent} {unready[agent]}" for agent in agents if agent in unready)
    return f" ({reasons})" if reasons else ""


def estimate_usd(target: FixIssues, prospect: RunProspect) -> float | None:
    """Return the cost if everything succeeds at the first try; None: some calls have no history."""
    if prospect.fix_usd is None:
        return None
    fixes = len(target.batches) * prospect.fix_usd
    if target.challenger is None:
        return fixes
    return None if prospect.challenge_usd is None else fixes + prospect.challenge_usd


def _describe_cost(target: FixIssues, prospect: RunProspect) -> str:
    expected = estimate_usd(target, prospect)
    if expected is not None:
        return f"about ${expected:.2f} based on earlier calls here"
    if prospect.fix_usd is None:
        return "no history here yet"
    fixes = len(target.batches) * prospect.fix_usd
    return f"about ${fixes:.2f} for the fixer based on earlier calls here, no history for the challenger yet"


def render_forecast(target: FixIssues, limits: Limits, prospect: RunProspect) -> list[str]:
    """Return the lines about calls, costs, tools and issues left out."""
    least, most = count_calls(target, limits)
    lines = [
        f"  calls     {least} if all goes well, at most {most}",
        f"  cost      {_describe_cost(target, prospect)}; at most ${limits.budget_usd:.2f}",
    ]
    if target.tools:
        lines.append(
            f"  tools     {' and '.join(target.tools)} first, if installed: what they fix safely costs no call"
        )
    left_out = {**prospect.skip_counts, "absent: their tools no longer report them": prospect.absent}
    lines += [f"  left out  {count} {why}" for why, count in left_out.items() if count]
    if not_allowed := explain_not_allowed(target.not_allowed):
        lines.append(f"  allow     {not_allowed}")
    if prospect.others:
        unknown = ", including absent ones" if prospect.absent is None else ""
        lines.append(f"  others    {prospect.others} more are open but not selected{unknown}")
    return lines


def build_forecast_document(
    target: FixIssues,
    limits: Limits,
    prospect: RunProspect,
    fixers: Sequence[str],
    unready: Mapping[str, str] = _NO_AGENTS,
) -> dict[str, object]:
    """Return the forecast as a JSON document."""
    least, most = count_calls(target, limits)
    expected, fix_usd, challenge_usd = estimate_usd(target, prospect), prospect.fix_usd, prospect.challenge_usd
    return {
        "schema": 1,
        "issues": len(target.issues),
        "batches": [
            {
                "batch": batch.number,
                "kind": batch.kind,
                "points": batch.points,
                "issues": [f"I-{issue}" for issue in batch.issues],
            }
            for batch in target.batches
        ],
        "tools": list(target.tools),
        "fixer": fixers[0],
        "fallback": list(fixers[1:]),
        "challenger": target.challenger.name if target.challenger else None,
        "unready": dict(unready),
        "unchallenged": target.unchallenged or None,
        "calls": {"least": least, "most": most},
        "forecast_usd": None if expected is None else round(expected, 4),
        "call_usd": {
            "fixer": None if fix_usd is None else round(fix_usd, 4),
            "challenger": None if challenge_usd is None else round(challenge_usd, 4),
        },
        "budget_usd": limits.budget_usd,
        "others": prospect.others,
        "absent": prospect.absent,
        "left_out": dict(prospect.skip_counts),
        "not_allowed": {**vars(target.not_allowed), "allow": list(target.not_allowed.allow)},
    }
