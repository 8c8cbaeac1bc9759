"""What a backlog run will do and may cost, shown before anything is spent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.gate.needed_waivers import not_allowed_text
from reknit.core.issues.model import Issue
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import Batch, IssuesTarget, RunSpec
from reknit.core.text.format import first_and_more, one_line
from reknit.core.text.truncate import truncate_columns

FILES_SHOWN = 2
IDS_SHOWN = 5
_NONE: Mapping[str, str] = {}


def calls(target: IssuesTarget, limits: Limits) -> tuple[int, int]:
    """Agent calls of a run in which everything succeeds at the first try, and the maximum."""
    batches, rounds = len(target.batches), target.limits.rounds
    if target.challenger is None:
        return batches, batches * limits.attempts
    challenges = rounds * target.limits.challenger_tries
    return batches + 1, batches * limits.attempts + challenges + (rounds - 1) * limits.attempts


def batch_line(batch: Batch, issues: Sequence[Issue], width: int = 0) -> str:
    """`width` of the terminal; 0: there is none."""
    files = list(dict.fromkeys(one_line(issue.path) for issue in issues if issue.id in batch.issues))
    size = f"{batch.points:>3} points  {len(batch.issues)} issue{'s' if len(batch.issues) > 1 else ' '}"
    names = first_and_more([f"I-{issue}" for issue in batch.issues], IDS_SHOWN, " ")
    line = f"  B-{batch.number:<4} {batch.kind:<8}  {size}  {names}  {first_and_more(files, FILES_SHOWN)}"
    return truncate_columns(line, width)


@dataclass(frozen=True)
class KnownBeforeRun:
    """What is known before a run, besides its plan."""

    fix_usd: float | None
    """Average cost of a fixer call here; None: there is no history."""
    challenge_usd: float | None
    """The same for a challenger call."""
    others: int
    """Open issues that are neither in the run nor counted below."""
    absent: int | None
    """Open issues that no tool reports any more; None: too many are open to count; they are in `others`."""
    passed_over: Mapping[str, int]
    """Reason -> number of issues left out for it."""


def heading(spec: RunSpec) -> list[str]:
    target = spec.issues_target
    size = f"{len(target.issues)} issue(s) in {len(target.batches)} batch(es), at most ${spec.limits.budget_usd:.2f}"
    return [f"{spec.run_id}  {size}", f"  {who(target, [agent.name for agent in spec.agents])}"]


def who(target: IssuesTarget, fixers: Sequence[str], unready: Mapping[str, str] = _NONE) -> str:
    """`unready`: agent -> why it cannot start now."""
    text = f"{', then '.join(fixers)} fixes{_unready(fixers, unready)}"
    if target.challenger is None:
        return f"{text}; no challenger: {target.unchallenged}"
    judge, mark, rounds = target.challenger.name, f"{target.limits.threshold_0_100:g}", target.limits.rounds
    return f"{text}, {judge} challenges ({mark} of 100, at most {rounds} rounds){_unready([judge], unready)}"


def _unready(agents: Sequence[str], unready: Mapping[str, str]) -> str:
    if len(agents) == 1:
        return f" ({unready[agents[0]]})" if agents[0] in unready else ""
    whys = "; ".join(f"{agent} {unready[agent]}" for agent in agents if agent in unready)
    return f" ({whys})" if whys else ""


def expected_usd(target: IssuesTarget, prospect: KnownBeforeRun) -> float | None:
    """Cost of a run in which everything succeeds at the first try; None: some calls have no history."""
    if prospect.fix_usd is None:
        return None
    fixes = len(target.batches) * prospect.fix_usd
    if target.challenger is None:
        return fixes
    return None if prospect.challenge_usd is None else fixes + prospect.challenge_usd


def _cost(target: IssuesTarget, prospect: KnownBeforeRun) -> str:
    expected = expected_usd(target, prospect)
    if expected is not None:
        return f"about ${expected:.2f} based on earlier calls here"
    if prospect.fix_usd is None:
        return "no history here yet"
    fixes = len(target.batches) * prospect.fix_usd
    return f"about ${fixes:.2f} for the fixer based on earlier calls here, no history for the challenger yet"


def forecast_lines(target: IssuesTarget, limits: Limits, prospect: KnownBeforeRun) -> list[str]:
    least, most = calls(target, limits)
    lines = [
        f"  calls     {least} if all goes well, at most {most}",
        f"  cost      {_cost(target, prospect)}; at most ${limits.budget_usd:.2f}",
    ]
    if target.tools:
        lines.append(
            f"  tools     {' and '.join(target.tools)} first, if installed: what they fix safely costs no call"
        )
    left_out = {**prospect.passed_over, "absent: their tools no longer report them": prospect.absent}
    lines += [f"  left out  {count} {why}" for why, count in left_out.items() if count]
    if said := not_allowed_text(target.not_allowed):
        lines.append(f"  allow     {said}")
    if prospect.others:
        unknown = ", including absent ones" if prospect.absent is None else ""
        lines.append(f"  others    {prospect.others} more are open but not selected{unknown}")
    return lines


def forecast_document(
    target: IssuesTarget,
    limits: Limits,
    prospect: KnownBeforeRun,
    fixers: Sequence[str],
    unready: Mapping[str, str] = _NONE,
) -> dict[str, object]:
    least, most = calls(target, limits)
    expected, fix_usd, challenge_usd = expected_usd(target, prospect), prospect.fix_usd, prospect.challenge_usd
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
        "left_out": dict(prospect.passed_over),
        "not_allowed": {**vars(target.not_allowed), "allow": list(target.not_allowed.allow)},
    }
