"""Events that every loop records about its set-up and its attempts."""

from collections.abc import Sequence

from reknit.core.agents.call import AgentCall, RateLimited, to_outcome_word
from reknit.core.check_answer import render_answers
from reknit.core.errors import InternalError, LoginNeededError, ReknitError
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict, render_advice
from reknit.core.gate.waiver import render_use
from reknit.core.runs.ending import ENVIRONMENT, LOGIN, Ending
from reknit.core.runs.event import Event, Mark
from reknit.core.setup.layers import Setup, SetupFailed
from reknit.core.setup.run_text import format_failure, format_ready, format_setups, format_unknown_commit
from reknit.core.testing.proof import Proof
from reknit.core.text.format import format_seconds, join_and_count, join_few, pluralize, to_one_line


def announce_attempt(number: int, finding: Finding, strategy: str, agent: str) -> Event:
    """Return the event that an attempt begins."""
    data: dict[str, object] = {"attempt": number, "finding": finding.id, "strategy": strategy, "agent": agent}
    names = {"tool": to_one_line(finding.subject), "tests": to_one_line(finding.subject.rsplit("::", 1)[-1])}
    about = names.get(finding.source, finding.id)
    return Event("attempt", "..", f"attempt {number}", f"{strategy:<7} {agent} works on {about}", data)


def report_attempt(number: int, strategy: str, agent: str, call: AgentCall, paths: Sequence[str]) -> Event:
    """Return the event that an agent has ended its work."""
    changes = join_few(paths) or "changed nothing"
    word = to_outcome_word(call.outcome)
    detail = getattr(call.outcome, "detail", "")
    ended = "" if word == "done" else f" ({word}: {detail[-200:]})" if detail else f" ({word})"
    text = f"{strategy:<7} {agent}{ended}: {changes}  {format_seconds(call.seconds)}  ${call.usage.cost_usd:.2f}"
    data: dict[str, object] = {
        "attempt": number, "strategy": strategy, "outcome": word, "files": list(paths), "cost_usd": call.usage.cost_usd,
        "seconds": round(call.seconds, 2), "gateway_refused": list(call.refusals),
    }  # fmt: skip
    mark: Mark = "ok" if word == "done" else "wait" if isinstance(call.outcome, RateLimited) else "bad"
    return Event("attempt_ended", mark, f"attempt {number}", text, data)


def report_ignored_files(number: int, paths: Sequence[str]) -> Event:
    """Return the event that files are left out because the repository ignores them."""
    text = f"not part of the change, because the repository ignores them: {join_few([*map(to_one_line, paths)])}"
    return Event("files_ignored", "note", f"attempt {number}", text, {"attempt": number, "files": list(paths)})


def report_gate(number: int, verdict: GateVerdict) -> Event:
    """Return the event of the gate's verdict."""
    data: dict[str, object] = {
        "attempt": number,
        "accepted": verdict.is_accepted,
        "refusals": [{"rule": r.rule, "path": r.path, "sentence": r.sentence} for r in verdict.refusals],
        "allowed": [*map(render_use, verdict.allowed)],
        "advice": [{"rule": r.rule, "path": r.path, "sentence": r.sentence} for r in verdict.advice],
    }
    size = f"{pluralize(verdict.files, 'file')}, +{verdict.added} -{verdict.removed}"
    if verdict.is_accepted:
        refused = join_and_count([*map(render_use, verdict.allowed)], 2) if verdict.allowed else "none refused"
        advice = render_advice(verdict.advice)
        noted = f"; noted: {join_and_count(advice, 1)}" if advice else ""
        return Event("gate", "ok", "gate", f"{size}; {len(verdict.rules)} rules, {refused}{noted}", data)
    first = verdict.refusals[0]
    more = f" (and {len(verdict.refusals) - 1} more)" if len(verdict.refusals) > 1 else ""
    return Event("gate", "bad", "gate", f"refused [{first.rule}]: {first.sentence}{more}", data)


def report_proof(number: int, proof: Proof) -> Event:
    """Return the event of the tests' verdict."""
    data: dict[str, object] = {
        "attempt": number, "proof": proof.word, "fixed": list(proof.fixed), "regressed": list(proof.regressed),
        "evidence": proof.evidence, "remembered": proof.remembered, "flaky": list(proof.flaky),
        "checks": [{"check": check.check, "answer": check.word, "saw": check.sentence} for check in proof.checks],
    }  # fmt: skip
    mark: Mark = "ok" if proof.word == "proven" else "bad"
    took = "the same tree as before, not run again" if proof.remembered else format_seconds(proof.seconds)
    checks = f"; {render_answers(proof.checks)}" if proof.checks and proof.word == "proven" else ""
    return Event("verify", mark, "verify", f"{proof.sentence}{checks}  {took}", data)


def report_wait(limited: RateLimited, agent: str, until: float, wait_s: float) -> Event:
    """Return the event that the run waits for a provider."""
    why = {"rate_limited": f"rate limited by {agent}", "overloaded": f"{agent} is overloaded"}
    cause = why.get(limited.why, f"{agent} is unreachable")
    text = f"{cause}; retrying in {format_seconds(wait_s)} (not counted as an attempt)"
    return Event("waiting", "wait", "waiting", text, {"why": limited.why, "until": until, "wait_s": round(wait_s, 1)})


def report_fall_over(limited: RateLimited, agent: str, after: str, wait_s: float) -> Event:
    """Return the event that another agent takes over."""
    text = (
        f"{agent} would wait {format_seconds(wait_s)} ({limited.why}); {after} takes over (not counted as an attempt)"
    )
    return Event("fall_over", "wait", "fall-over", text, {"why": limited.why, "from": agent, "to": after})


def report_gateway_refusal(number: int, refusal: str) -> Event:
    """Return the event that the gateway refused a request."""
    return Event("gateway", "bad", "gateway", f"refused: {refusal}", {"attempt": number, "refused": refusal})


def end_given_up_run(status: str) -> Ending:
    """Return the ending of a run that the engine no longer retries."""
    return Ending("FAILED", f"internal error in reknit: the engine stopped retrying this run ({status})")


def end_broken_run(problem: Exception) -> Ending:
    """Return the ending of a run whose step raised: a person can act on a known error; any other is our bug."""
    if isinstance(problem, ReknitError) and not isinstance(problem, InternalError):
        cause = LOGIN if isinstance(problem, LoginNeededError) else problem.name
        return Ending("BLOCKED", f"{problem.message}. {problem.help}".removesuffix(". "), cause)
    return Ending("FAILED", f"reknit failed, not your code: {type(problem).__name__}: {problem}"[:600])


def report_landing(commit: str, branch: str, subject: str) -> Event:
    """Return the event that a commit was made."""
    text = f"{commit[:7]} on {branch}    {subject}"
    return Event("landed", "ok", "commit", text, {"commit": commit, "branch": branch})


def report_set_up(
    setups: Sequence[Setup], seconds: float, changed: Sequence[str] = (), refused: Sequence[str] = ()
) -> Event:
    """Return the event that the dependencies are installed. `seconds`: 0 if an earlier run installed them."""
    data: dict[str, object] = {"commands": [setup.command for setup in setups], "seconds": round(seconds, 2)}
    return Event("set_up", "ok", "set-up", format_ready(setups, seconds, changed, refused), data)


def announce_set_up(setups: Sequence[Setup]) -> Event:
    """Return the event that the installation of the dependencies begins."""
    data: dict[str, object] = {"commands": [setup.command for setup in setups]}
    return Event("set_up_begins", "..", "set-up", format_setups(setups), data)


def end_unknown_set_up(setups: Sequence[Setup], commit: str) -> Ending:
    """Return the ending of a run whose set-up belongs to a commit that cannot be fetched."""
    return Ending("BLOCKED", format_unknown_commit(setups, commit), ENVIRONMENT)


def end_failed_set_up(failed: SetupFailed) -> Ending:
    """Return the ending of a run whose dependencies cannot be installed."""
    return Ending("BLOCKED", format_failure(failed), ENVIRONMENT)
