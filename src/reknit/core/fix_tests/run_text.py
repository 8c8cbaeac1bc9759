"""Texts of a `fix tests` run: its heading, its ending and its receipts."""

from collections.abc import Mapping

from reknit.core.capability import StoredRun
from reknit.core.fix_tests.holdout import UNPROVEN_BY_HOLDOUT
from reknit.core.runs.ending import ENVIRONMENT, NO_SUCH_TEST
from reknit.core.runs.receipt import checked_lines, named_tests
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView
from reknit.core.text.format import counted, one_line, seconds, spent_of
from reknit.core.text.layout import field


def heading(spec: RunSpec) -> list[str]:
    cap = f"at most {counted(spec.limits.attempts, 'attempt')} per test and ${spec.limits.budget_usd:.2f}"
    return [f"{spec.run_id}  {', then '.join(agent.name for agent in spec.agents)}, {cap}"]


def ending_text(stored: StoredRun, width: int) -> str:
    run, receipts = stored.run, stored.receipts
    fixed, left = _count(run, "fixed"), _count(run, "left")
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    of = f"  {fixed} of {fixed + left}" if fixed + left else ""
    spent = spent_of(run.spent_usd, run.budget_usd)
    lines = [f"{run.ending}{of}   {len(stored.attempts)} attempt(s), {took}, {spent}"]
    if run.ending != "FIXED" or "left out" in run.reason:
        lines += field("why", one_line(run.reason), width)
    lines += [f"  commit  {str(receipt['commit'])[:7]} on reknit/{run.id}   {_seen(receipt)}" for receipt in receipts]
    lines += [f"  {'next' if number == 0 else '':<6}  {step}" for number, step in enumerate(_next_steps(stored))]
    return "\n".join(lines)


def _seen(receipt: Mapping[str, object]) -> str:
    by = "by exit code" if receipt["evidence"] == "exit code" else receipt["evidence"]
    return f"{named_tests(receipt)}   ({by})"


def _next_steps(stored: StoredRun) -> tuple[str, ...]:
    run = stored.run
    if stored.receipts:
        take = f"reknit apply {run.id}" if run.spec.get("on_top_of") else f"git merge reknit/{run.id}"
        return f"reknit show {run.id}", take, f"reknit undo {run.id}"
    explain = f"reknit explain {run.id}"
    if run.detail.get("cause") == ENVIRONMENT:
        return explain, "reknit fix tests    after you have fixed that"
    if run.ending == "UNVERIFIED" and not run.reason.startswith((NO_SUCH_TEST, UNPROVEN_BY_HOLDOUT)):
        return explain, "reknit doctor --compare    shows whether the tests run in the box as they do outside"
    if stored.attempts:
        return explain, f"reknit show {run.id} --attempt {len(stored.attempts)}    shows the last change"
    return (explain,)


def receipt_lines(receipt: Mapping[str, object]) -> list[str]:
    return [
        f"tests        {named_tests(receipt)}, seen by {receipt['evidence']}",
        f"red before   {one_line(str(receipt['red_before']))}",
        f"green after  {one_line(str(receipt['green_after']))}",
        f"red without  {receipt['red_without']}",
        *checked_lines(receipt),
    ]


def _count(run: RunView, key: str) -> int:
    found = run.detail.get(key)
    return len(found) if isinstance(found, list | tuple) else 0
