"""What people see of the tests before any change, and after one that must not turn a test red."""

from reknit.core.causes.left_out import left_out_text
from reknit.core.checks.status import TestsResult
from reknit.core.runs.event import Event
from reknit.core.text.format import seconds


def tests_before(seen: TestsResult, base: str) -> Event:
    data: dict[str, object] = {"status": seen.status, "passing": seen.passed, "red": len(seen.findings)}
    if seen.status == "error":
        return Event("baseline", "bad", "baseline", f"not seen: {seen.why}", {**data, "output_tail": seen.output_tail})
    red = f", {len(seen.findings)} red before any change" if seen.findings else ""
    left_out = f"; left out: {left_out_text(seen.left_out)}" if seen.left_out else ""
    text = f"{seen.passed} passed on {base[:7]}{red}{left_out}  {seconds(seen.seconds)}"
    return Event("baseline", "ok", "baseline", text, data)


def tests_after(attempt: int, after: TestsResult, why: str) -> Event:
    data: dict[str, object] = {"attempt": attempt, "holds": not why, "passing": after.passed}
    if why:
        return Event("verify", "bad", "verify", f"does not hold: {why.splitlines()[0]}", data)
    text = f"{after.passed} passed, no new failures  {seconds(after.seconds)}"
    return Event("verify", "ok", "verify", text, data)
