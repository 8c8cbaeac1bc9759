"""What a run on the backlog will do and may cost, told before anything is spent."""

from collections.abc import Mapping, Sequence

from reknit.core.issue import Issue
from reknit.core.limits import Limits
from reknit.core.run import Batch, IssuesTarget
from reknit.core.wording import one_line

FILES_SHOWN = 2


def calls(target: IssuesTarget, limits: Limits) -> tuple[int, int]:
    """Agent calls of a run in which everything goes well at once, and the most there can be."""
    batches, rounds = len(target.batches), target.limits.rounds
    if target.challenger is None:
        return batches, batches * limits.attempts
    challenges = rounds * target.limits.challenger_tries
    return batches + 1, batches * limits.attempts + challenges + (rounds - 1) * limits.attempts


def batch_line(batch: Batch, issues: Sequence[Issue]) -> str:
    files = list(dict.fromkeys(issue.path for issue in issues if issue.id in batch.issues))
    more = f" and {len(files) - FILES_SHOWN} more" if len(files) > FILES_SHOWN else ""
    where = ", ".join(one_line(file) for file in files[:FILES_SHOWN]) + more
    size = f"{batch.points:>3} points  {len(batch.issues)} issue{'s' if len(batch.issues) > 1 else ' '}"
    return f"  B-{batch.number:<4} {batch.kind:<8}  {size}  {where}"


def forecast_lines(
    target: IssuesTarget, limits: Limits, *, others: int, call_usd: float | None, passed_over: Mapping[str, int]
) -> list[str]:
    least, most = calls(target, limits)
    cap = f"at most ${limits.budget_usd:.2f}"
    history = "no history here yet" if call_usd is None else f"about ${least * call_usd:.2f} by the calls seen here"
    lines = [f"  calls     {least} if all goes well, at most {most}", f"  cost      {history}; {cap}"]
    if others:
        lines.append(f"  others    {others} open issue(s) are not in this run")
    lines += [f"  left out  {count} {why}" for why, count in passed_over.items()]
    return lines


def forecast_document(
    target: IssuesTarget, limits: Limits, *, others: int, call_usd: float | None, passed_over: Mapping[str, int]
) -> dict[str, object]:
    least, most = calls(target, limits)
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
        "challenger": target.challenger.name if target.challenger else None,
        "unchallenged": target.unchallenged or None,
        "calls": {"least": least, "most": most},
        "forecast_usd": None if call_usd is None else round(least * call_usd, 4),
        "budget_usd": limits.budget_usd,
        "others": others,
        "left_out": dict(passed_over),
    }
