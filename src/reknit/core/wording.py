"""Every text a person reads, made here, so that it can be tested and reworded in one place."""

import re
from collections import Counter
from collections.abc import Sequence

from reknit.core.agent_call import AgentCall, Done, Limited, Outcome
from reknit.core.baseline import Baseline
from reknit.core.checks import WHOLE_SUITE
from reknit.core.endings import LOGIN, Ending
from reknit.core.errors import InternalError, LoginNeeded, ReknitError
from reknit.core.events import Event, Mark
from reknit.core.evidence import excerpt
from reknit.core.findings import Finding
from reknit.core.inert import inert
from reknit.core.redact import clean
from reknit.core.run import RunSpec
from reknit.core.verdict import GateVerdict, Proof

HOP = 1
FEEDBACK_BYTES = 1_500
"""Of what was printed: more would be a transcript."""
_FAILURE = re.compile(r"error|fail|panick|assert|expected|exception", re.IGNORECASE)


def seconds(value: float) -> str:
    if value < 10:
        return f"{value:.1f} s"
    if value < 100:
        return f"{value:.0f} s"
    return f"{int(value // 60)}m{int(value % 60):02d}s"


def one_line(text: str) -> str:
    """A test's name is the repository's word: it must not add lines to ours."""
    return " ".join(clean(text).split())


def outcome_word(outcome: Outcome) -> str:
    return "done" if isinstance(outcome, Done) else outcome.why


def opening(spec: RunSpec) -> Event:
    named = f"{len(spec.named)} named test(s)" if spec.named else "every red test"
    text = f"{named}, at most {spec.limits.attempts} attempts each, at most ${spec.limits.budget_usd:.2f}"
    data: dict[str, object] = {
        "base": spec.base,
        "agent": spec.agent.name,
        "budget_usd": spec.limits.budget_usd,
        "repository": spec.repository,
    }
    return Event("started", "note", spec.run_id, text, data)


def baseline_seen(baseline: Baseline, base: str) -> Event:
    data: dict[str, object] = {
        "status": baseline.status,
        "findings": [{"id": finding.id, "test": finding.subject} for finding in baseline.findings],
        "flaky": list(baseline.flaky),
        "red_elsewhere": len(baseline.red_elsewhere),
        "passing": baseline.passing_count,
        "evidence": baseline.evidence,
        "output_tail": baseline.output_tail,
    }
    if baseline.status == "unseen":
        return Event("baseline", "bad", "baseline", f"not seen: {baseline.why}", data)
    if baseline.status == "green":
        text = f"{baseline.passing_count} passed {baseline.runs} of {baseline.runs} on {base[:7]}"
        return Event("baseline", "ok", "baseline", text, data)
    others = [f"{baseline.passing_count} pass"]
    if baseline.flaky:
        others.append(f"{len(baseline.flaky)} flaky, left out")
    if baseline.red_elsewhere:
        others.append(f"{len(baseline.red_elsewhere)} red, not asked for")
    count = len(baseline.findings)
    often = f"{baseline.runs} of {baseline.runs}"
    text = f"{count} red {often} on {base[:7]}; {', '.join(others)}  {seconds(baseline.seconds)}"
    return Event("baseline", "ok", "baseline", text, data)


def finding_seen(finding: Finding) -> Event:
    text = f"{finding.subject}   {telling_line(finding)}".rstrip()
    return Event("finding", "note", finding.id, text, {"id": finding.id, "test": finding.subject})


def more_findings(findings: Sequence[Finding]) -> Event:
    ids = [finding.id for finding in findings]
    return Event("findings", "note", "…", f"and {len(ids)} more, to {ids[-1]}", {"ids": ids})


def telling_line(finding: Finding) -> str:
    """A test's own first words; of a whole command's output the last line that speaks of a failure."""
    words = [line.strip()[:100] for line in finding.message.splitlines() if line.strip()]
    if finding.subject != WHOLE_SUITE or not words:
        return words[0] if words else ""
    return next((line for line in reversed(words) if _FAILURE.search(line)), words[-1])


def attempt_begins(number: int, finding: Finding, strategy: str, agent: str) -> Event:
    data: dict[str, object] = {"attempt": number, "finding": finding.id, "strategy": strategy, "agent": agent}
    about = one_line(finding.subject) if finding.source == "tool" else finding.id
    return Event("attempt", "..", f"attempt {number}", f"{strategy:<7} {agent} works on {about}", data)


def attempt_made(number: int, strategy: str, agent: str, call: AgentCall, paths: Sequence[str]) -> Event:
    what = ", ".join(paths[:3]) + (" …" if len(paths) > 3 else "") if paths else "changed nothing"
    word = outcome_word(call.outcome)
    detail = getattr(call.outcome, "detail", "")
    ended = "" if word == "done" else f" ({word}: {detail[-200:]})" if detail else f" ({word})"
    text = f"{strategy:<7} {agent}{ended}: {what}  {seconds(call.seconds)}  ${call.usage.cost_usd:.2f}"
    data: dict[str, object] = {
        "attempt": number, "strategy": strategy, "outcome": word, "files": list(paths), "cost_usd": call.usage.cost_usd,
        "seconds": round(call.seconds, 2), "gateway_refused": list(call.refusals),
    }  # fmt: skip
    mark: Mark = "ok" if word == "done" else "wait" if isinstance(call.outcome, Limited) else "bad"
    return Event("attempt_ended", mark, f"attempt {number}", text, data)


def gate_said(number: int, verdict: GateVerdict) -> Event:
    data: dict[str, object] = {
        "attempt": number,
        "accepted": verdict.accepted,
        "refusals": [{"rule": r.rule, "path": r.path, "sentence": r.sentence} for r in verdict.refusals],
    }
    size = f"{verdict.files} file(s), +{verdict.added} -{verdict.removed}"
    if verdict.accepted:
        return Event("gate", "ok", "gate", f"{size}; {len(verdict.rules)} rules, none refused", data)
    first = verdict.refusals[0]
    more = f" (and {len(verdict.refusals) - 1} more)" if len(verdict.refusals) > 1 else ""
    return Event("gate", "bad", "gate", f"refused [{first.rule}]: {first.sentence}{more}", data)


def proof_said(number: int, proof: Proof) -> Event:
    data: dict[str, object] = {
        "attempt": number, "proof": proof.word, "fixed": list(proof.fixed), "regressed": list(proof.regressed),
        "evidence": proof.evidence, "remembered": proof.remembered,
    }  # fmt: skip
    mark: Mark = "ok" if proof.word == "proven" else "bad"
    took = "the same tree as before, not run again" if proof.remembered else seconds(proof.seconds)
    return Event("verify", mark, "verify", f"{proof.sentence}  {took}", data)


def waiting(limited: Limited, agent: str, until: float, wait_s: float) -> Event:
    word = {"rate_limited": "limit", "overloaded": "overload", "unreachable": "connection"}[limited.why]
    text = f"waiting for the {agent} {word}, goes on in {seconds(wait_s)}; no attempt is used up"
    return Event("waiting", "wait", "waiting", text, {"why": limited.why, "until": until, "wait_s": round(wait_s, 1)})


def falling_over(limited: Limited, agent: str, after: str, wait_s: float) -> Event:
    text = f"{agent} would have to wait {seconds(wait_s)} ({limited.why}); {after} takes over, no attempt is used up"
    return Event("fall_over", "wait", "fall-over", text, {"why": limited.why, "from": agent, "to": after})


def gateway_refused(number: int, refusal: str) -> Event:
    return Event("gateway", "bad", "gateway", f"refused: {refusal}", {"attempt": number, "refused": refusal})


def remembered(run_id: str) -> str:
    told = f"nothing changed since {run_id} ended DEFERRED (same tree, tests and agents), so no agent was called"
    return f"{told}; with --again it is tried anew"


def given_up(status: str) -> Ending:
    return Ending("FAILED", f"reknit failed, not your code: the engine gave the run up ({status})")


def broken(problem: Exception) -> Ending:
    """A run whose step raised: a person can help with what reknit knows by name; the rest is a bug of ours."""
    if isinstance(problem, ReknitError) and not isinstance(problem, InternalError):
        cause = LOGIN if isinstance(problem, LoginNeeded) else problem.name
        return Ending("BLOCKED", f"{problem.what}. {problem.help}".removesuffix(". "), cause)
    return Ending("FAILED", f"reknit failed, not your code: {type(problem).__name__}: {problem}"[:600])


def landed(commit: str, branch: str, subject: str) -> Event:
    text = f"{commit[:7]} on {branch}    {subject}"
    return Event("landed", "ok", "commit", text, {"commit": commit, "branch": branch})


def commit_subject(finding: Finding, attempt: int) -> str:
    test = one_line(finding.subject.rsplit("::", 1)[-1])
    return inert(f"fix: make {test} pass (attempt {attempt})"[:100])


def commit_message(finding: Finding, attempt: int, run_id: str, fixed: Sequence[str]) -> str:
    trailers = f"Reknit-Run: {run_id}\nReknit-Finding: {finding.fingerprint}\nReknit-Hop: {HOP}"
    proven = "\n".join(f"- {one_line(test)[:300]}" for test in fixed[:20])
    said = f"{commit_subject(finding, attempt)}\n\nRed before, green after, red again without it:\n{inert(proven)}"
    return f"{said}\n\n{trailers}\n"


def feedback(gate: GateVerdict | None, proof: Proof | None, outcome: Outcome) -> str:
    """What the next attempt is told about this one: reasons, never a transcript."""
    ended = f"The attempt ended as: {outcome_word(outcome)}"
    cut_short = [] if isinstance(outcome, Done) else [ended]
    if gate and not gate.accepted:
        return "\n".join([*cut_short, "The change was refused by the gate:", *_reasons(gate)])
    if proof and proof.word != "proven":
        failed = f"The change was verified and did not hold: {proof.sentence}"
        return "\n".join([*cut_short, failed, excerpt(proof.output_tail, FEEDBACK_BYTES)]).strip()
    return ended


def _reasons(gate: GateVerdict) -> list[str]:
    """The first of each rule: ten files refused for one reason need one sentence."""
    first = {refusal.rule: refusal.sentence for refusal in reversed(gate.refusals)}
    often = Counter(refusal.rule for refusal in gate.refusals)
    return [
        f"- {first[rule]}" + (f" (and {count - 1} more of this kind)" if count > 1 else "")
        for rule, count in often.items()
    ]
