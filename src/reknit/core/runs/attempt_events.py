"""Events that every loop records about its set-up and its attempts."""

from collections.abc import Sequence

from reknit.core.agents.call import AgentCall, RateLimited, outcome_word
from reknit.core.check_answer import answers_text
from reknit.core.errors import InternalError, LoginNeeded, ReknitError
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict, advice_lines
from reknit.core.gate.waiver import use_text
from reknit.core.runs.ending import ENVIRONMENT, LOGIN, Ending
from reknit.core.runs.event import Event, Mark
from reknit.core.setup.run_text import failed_text, ready_text, typed, unknown_commit
from reknit.core.setup.values import Setup, SetupFailed
from reknit.core.testing.proof import Proof
from reknit.core.text.format import first_and_more, first_few, one_line, seconds


def attempt_begins(number: int, finding: Finding, strategy: str, agent: str) -> Event:
    data: dict[str, object] = {"attempt": number, "finding": finding.id, "strategy": strategy, "agent": agent}
    about = one_line(finding.subject) if finding.source == "tool" else finding.id
    return Event("attempt", "..", f"attempt {number}", f"{strategy:<7} {agent} works on {about}", data)


def attempt_made(number: int, strategy: str, agent: str, call: AgentCall, paths: Sequence[str]) -> Event:
    what = first_few(paths) or "changed nothing"
    word = outcome_word(call.outcome)
    detail = getattr(call.outcome, "detail", "")
    ended = "" if word == "done" else f" ({word}: {detail[-200:]})" if detail else f" ({word})"
    text = f"{strategy:<7} {agent}{ended}: {what}  {seconds(call.seconds)}  ${call.usage.cost_usd:.2f}"
    data: dict[str, object] = {
        "attempt": number, "strategy": strategy, "outcome": word, "files": list(paths), "cost_usd": call.usage.cost_usd,
        "seconds": round(call.seconds, 2), "gateway_refused": list(call.refusals),
    }  # fmt: skip
    mark: Mark = "ok" if word == "done" else "wait" if isinstance(call.outcome, RateLimited) else "bad"
    return Event("attempt_ended", mark, f"attempt {number}", text, data)


def files_ignored(number: int, paths: Sequence[str]) -> Event:
    text = f"not part of the change, because the repository ignores them: {first_few([*map(one_line, paths)])}"
    return Event("files_ignored", "note", f"attempt {number}", text, {"attempt": number, "files": list(paths)})


def gate_said(number: int, verdict: GateVerdict) -> Event:
    data: dict[str, object] = {
        "attempt": number,
        "accepted": verdict.accepted,
        "refusals": [{"rule": r.rule, "path": r.path, "sentence": r.sentence} for r in verdict.refusals],
        "allowed": [*map(use_text, verdict.allowed)],
        "advice": [{"rule": r.rule, "path": r.path, "sentence": r.sentence} for r in verdict.advice],
    }
    size = f"{verdict.files} file(s), +{verdict.added} -{verdict.removed}"
    if verdict.accepted:
        refused = first_and_more([*map(use_text, verdict.allowed)], 2) if verdict.allowed else "none refused"
        advice = advice_lines(verdict.advice)
        noted = f"; noted: {first_and_more(advice, 1)}" if advice else ""
        return Event("gate", "ok", "gate", f"{size}; {len(verdict.rules)} rules, {refused}{noted}", data)
    first = verdict.refusals[0]
    more = f" (and {len(verdict.refusals) - 1} more)" if len(verdict.refusals) > 1 else ""
    return Event("gate", "bad", "gate", f"refused [{first.rule}]: {first.sentence}{more}", data)


def proof_said(number: int, proof: Proof) -> Event:
    data: dict[str, object] = {
        "attempt": number, "proof": proof.word, "fixed": list(proof.fixed), "regressed": list(proof.regressed),
        "evidence": proof.evidence, "remembered": proof.remembered, "flaky": list(proof.flaky),
        "checks": [{"check": each.check, "answer": each.word, "saw": each.sentence} for each in proof.checks],
    }  # fmt: skip
    mark: Mark = "ok" if proof.word == "proven" else "bad"
    took = "the same tree as before, not run again" if proof.remembered else seconds(proof.seconds)
    said = f"; {answers_text(proof.checks)}" if proof.checks and proof.word == "proven" else ""
    return Event("verify", mark, "verify", f"{proof.sentence}{said}  {took}", data)


def waiting(limited: RateLimited, agent: str, until: float, wait_s: float) -> Event:
    why = {"rate_limited": f"rate limited by {agent}", "overloaded": f"{agent} is overloaded"}
    cause = why.get(limited.why, f"{agent} is unreachable")
    text = f"{cause}; retrying in {seconds(wait_s)} (not counted as an attempt)"
    return Event("waiting", "wait", "waiting", text, {"why": limited.why, "until": until, "wait_s": round(wait_s, 1)})


def falling_over(limited: RateLimited, agent: str, after: str, wait_s: float) -> Event:
    text = f"{agent} would wait {seconds(wait_s)} ({limited.why}); {after} takes over (not counted as an attempt)"
    return Event("fall_over", "wait", "fall-over", text, {"why": limited.why, "from": agent, "to": after})


def gateway_refused(number: int, refusal: str) -> Event:
    return Event("gateway", "bad", "gateway", f"refused: {refusal}", {"attempt": number, "refused": refusal})


def given_up(status: str) -> Ending:
    return Ending("FAILED", f"internal error in reknit: the engine stopped retrying this run ({status})")


def broken(problem: Exception) -> Ending:
    """The ending of a run whose step raised: a person can act on a known error; any other is a bug of ours."""
    if isinstance(problem, ReknitError) and not isinstance(problem, InternalError):
        cause = LOGIN if isinstance(problem, LoginNeeded) else problem.name
        return Ending("BLOCKED", f"{problem.what}. {problem.help}".removesuffix(". "), cause)
    return Ending("FAILED", f"reknit failed, not your code: {type(problem).__name__}: {problem}"[:600])


def landed(commit: str, branch: str, subject: str) -> Event:
    text = f"{commit[:7]} on {branch}    {subject}"
    return Event("landed", "ok", "commit", text, {"commit": commit, "branch": branch})


def set_up_done(
    setups: Sequence[Setup], seconds: float, changed: Sequence[str] = (), refused: Sequence[str] = ()
) -> Event:
    """`seconds`: 0 if everything was installed by an earlier run. `changed`, `refused`: as in `ready_text`."""
    data: dict[str, object] = {"commands": [setup.command for setup in setups], "seconds": round(seconds, 2)}
    return Event("set_up", "ok", "set-up", ready_text(setups, seconds, changed, refused), data)


def set_up_begins(setups: Sequence[Setup]) -> Event:
    data: dict[str, object] = {"commands": [setup.command for setup in setups]}
    return Event("set_up_begins", "..", "set-up", typed(setups), data)


def set_up_unknown(setups: Sequence[Setup], commit: str) -> Ending:
    return Ending("BLOCKED", unknown_commit(setups, commit), ENVIRONMENT)


def set_up_failed(failed: SetupFailed) -> Ending:
    return Ending("BLOCKED", failed_text(failed), ENVIRONMENT)
