"""The events of a pull-request run, and what it writes into commits and threads."""

import json
from collections.abc import Mapping, Sequence

from reknit.core.causes.left_out import left_out_text
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.check_summary import MARKS, ci_shown, ci_state, review_state, tests_shown, tests_state
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.output.record import left_of
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, Turn, Wait
from reknit.core.forge.permission import FixBlocked
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import CiCheck, ForgeFailure, Pull, Remark
from reknit.core.runs.event import Event, Mark
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.text.commit_text import neutralize_commit_text
from reknit.core.text.format import counted, file_line, first_few, one_line, seconds

SUBJECT_CHARS = 100
BRIEF_CHARS = 48
"""Leaves room in a subject for the words around it."""
LISTED = 20


def as_json(document: Mapping[str, object]) -> str:
    return json.dumps(document, separators=(",", ":"))


def looked(number: int, pull: Pull, snapshot: PullSnapshot) -> Event:
    text = f"#{pull.number} {pull.title} at {snapshot.head[:7]}" + (
        f"; {snapshot.barred.sentence}" if snapshot.barred else ""
    )
    data: dict[str, object] = {"iteration": number, "head": snapshot.head, "base": snapshot.base, "pull": pull.number}
    return Event("look", "note", f"i{number} look", text, data)


def tests(number: int, seen: TestsResult) -> Event:
    flaky, state = f"; {len(seen.flaky)} flaky" if seen.flaky else "", tests_state(seen)
    named = f": {_some(seen.findings)}" if seen.findings else ""
    text = {
        "off": tests_shown(seen),
        "pass": f"{seen.passed} passed",
        "fail": f"{len(seen.findings)} failed, {seen.passed} passed{flaky}{named}",
        "error": f"not seen: {seen.why}" if seen.status == "error" else f"{seen.passed} passed{flaky}",
    }[state]
    left_out = f"; left out: {left_out_text(seen.left_out)}" if seen.left_out else ""
    took = f"  {seconds(seen.seconds)}" if seen.seconds else ""
    data: dict[str, object] = {
        "iteration": number, "check": "tests", "status": state, "passed": seen.passed,
        "failed": [finding.subject for finding in seen.findings], "output_tail": seen.output_tail,
    }  # fmt: skip
    return Event("check", MARKS[state], f"i{number} tests", f"{text}{left_out}{took}", data)


def ci(number: int, seen: CiResult) -> Event:
    state = ci_state(seen)
    text = {
        "off": seen.why or ci_shown(seen),
        "pass": f"passed: {ci_shown(seen)}",
        "fail": f"red: {_some(seen.findings)}",
        "pending": f"not done: {ci_shown(seen)}",
        "error": f"not seen: {seen.why}",
    }[state]
    checks = [{"name": check.name, "state": check.state, "url": check.url} for check in seen.checks]
    data: dict[str, object] = {"iteration": number, "check": "ci", "status": state, "checks": checks}
    return Event("check", MARKS[state], f"i{number} ci", text, data)


def review(number: int, seen: ReviewResult) -> Event:
    worth = [finding for finding in seen.findings if finding.weight != "minor"]
    state = review_state(seen)
    text = {
        "off": seen.why,
        "pass": "passed",
        "fail": f"{len(worth)} finding(s): {_worst(worth)}",
        "error": f"not seen: {seen.why}",
    }[state]
    found = [
        {"id": finding.id, "file": finding.file, "line": finding.line, "text": finding.message[:500]}
        for finding in seen.findings[:LISTED]
    ]
    data: dict[str, object] = {"iteration": number, "check": "review", "status": state, "findings": found}
    return Event("check", MARKS[state], f"i{number} review", text, data)


def review_begins(number: int, agent: str) -> Event:
    return Event("review", "..", f"i{number} review", f"{agent} reviews", {"iteration": number, "agent": agent})


def too_many_hops(pull: Pull, before: int) -> FixBlocked:
    why = f"{before} runs in a row have worked on {pull.head_ref!r} with no push by a person in between (loop.hops)"
    return FixBlocked(
        "hops", f"{why}; review what they did and push a commit of your own, then try again", read_only=True
    )


def proven(number: int, after: TestsResult, why: str) -> Event:
    text = why.partition("\n")[0] if why else f"{after.passed} passed with the fix"
    return Event("prove", "bad" if why else "ok", "prove", text, {"attempt": number, "holds": not why})


def pushed(move: Fix, commit: str, branch: str) -> Event:
    data: dict[str, object] = {"iteration": move.number, "commit": commit, "branch": branch}
    return Event("pushed", "ok", "push", f"{commit[:7]} to {branch}   {subject(move)}", data)


def barred_push(branch: str, words: str, run_id: str = "RUN", number: int | str = "N") -> FixBlocked:
    step = (
        f"`reknit show {run_id} --attempt {number} | git apply` applies the fix to the working tree of someone who may "
        "push it; or let reknit's identity bypass the branch protection"
    )
    return FixBlocked("protected", f"the branch {branch!r} rejected the push: {words[:300]}; {step}")


def rerun(check: CiCheck, answer: ForgeFailure | None) -> Event:
    data: dict[str, object] = {"check": check.name, "url": check.url}
    if answer:
        return Event("rerun", "bad", "ci", f"{check.name} could not be re-run: {answer.detail}", data)
    text = f"{check.name} failed on CI infrastructure ({check.word}); re-running"
    return Event("rerun", "wait", "ci", text, data)


def turned(turn: Turn) -> Event:
    review_word, tests_word, ci_word = turn.shown
    mark: Mark = "ok" if turn.commit or turn.did == "PR CLEAN" else "note"
    commit = f" ({turn.commit[:7]})" if turn.commit else ""
    text = f"review {review_word} · tests {tests_word} · ci {ci_word} › {turn.did}{commit}  ${turn.cost_usd:.2f}"
    data: dict[str, object] = {
        "iteration": turn.number, "head": turn.head, "review": turn.review, "tests": turn.tests, "ci": turn.ci,
        "did": turn.did, "commit": turn.commit, "cost_usd": round(turn.cost_usd, 6),
    }  # fmt: skip
    return Event("iteration", mark, f"i{turn.number}", text, data)


def waiting(wait: Wait, checks: ChecksSnapshot, until: float) -> Event:
    if wait.why == "error":
        text = f"some checks gave no result; looks again in {seconds(wait.seconds)}"
    else:
        text = f"waiting for CI ({ci_shown(checks.ci).removeprefix('… ')}), looks again every {seconds(wait.seconds)}"
    return Event("waiting", "wait", "waiting", text, {"why": wait.why, "until": until})


def hindered(failure: ForgeFailure, until: float, wait_s: float) -> Event:
    word = "the forge's limit" if failure.kind == "limited" else "the forge"
    text = f"waiting for {word} ({failure.detail[:120]}), retrying in {seconds(wait_s)}"
    return Event("waiting", "wait", "waiting", text, {"why": f"forge {failure.kind}", "until": until})


def not_reported(failure: ForgeFailure) -> Event:
    text = f"could not update the pull request: {failure.kind} {failure.detail[:160]}"
    return Event("report", "bad", "report", text, {"kind": failure.kind})


def proof_of(end: Pushed | NotPushed | None, findings: Sequence[Finding]) -> Proof | None:
    if end is None:
        return None
    if isinstance(end, Pushed):
        word: ProofWord = "proven" if is_shown_by_tests(findings) else "held"
        return Proof(word, f"pushed as {end.commit[:7]}", "junit")
    if end.refused:
        return Proof("refused", end.why, "junit", output_tail=end.feedback)
    # Without feedback for the next attempt nothing was wrong with the fix: it just was not pushed.
    word = "still_red" if end.feedback and not end.unproven else "unproven"
    return Proof(word, end.why, "junit", output_tail=end.feedback)


def brief(findings: Sequence[Finding]) -> str:
    """The main target of a fix, in a few words: `failing test test_total and 2 more`."""
    if not findings or findings[0].rule == "test-command":
        return "tests that cannot run"
    first = findings[0]
    alike = sum(finding.source == first.source for finding in findings)
    more = f" and {alike - 1} more" if alike > 1 else ""
    return f"{_kind(first)}{_short_name(first)}"[: BRIEF_CHARS - len(more)] + more


def is_shown_by_tests(findings: Sequence[Finding]) -> bool:
    """Whether our own test run before the push shows the repair: the fix was about exactly one red test.

    With several red tests it shows only that one of them passes; checks and reviews answer after the push.
    """
    return [finding.rule for finding in findings if finding.source == "tests"] == ["test-failed"]


def _kind(finding: Finding) -> str:
    if finding.source == "review":
        return "review of " if finding.file else ""
    return "failing test " if finding.source == "tests" else "failing check "


def _short_name(finding: Finding) -> str:
    return one_line(finding.subject).rsplit("::", 1)[-1]


def work_named(findings: Sequence[Finding]) -> str:
    """What an agent works on: `2 tests, lint, 1 review finding`."""
    named = [one_line(finding.subject)[:40] for finding in findings if finding.source == "ci"]
    counts = [sum(finding.source == source for finding in findings) for source in ("tests", "review")]
    tests, reviews = (
        [counted(count, word)] if count else [] for count, word in zip(counts, ("test", "review finding"), strict=True)
    )
    return ", ".join([*tests, *named[:3], *reviews]) or "tests that cannot run"


def subject(move: Fix) -> str:
    """Claims a repair only if the push required seeing it."""
    if is_shown_by_tests(move.findings):
        return f"fix: make {_short_name(move.findings[0])[:BRIEF_CHARS]} pass (iteration {move.number})"
    return f"fix: change for {brief(move.findings)} (iteration {move.number}, not yet confirmed)"


def commit_message(move: Fix, run_id: str, hop: int) -> str:
    lines = [f"- {one(finding)}" for finding in move.findings[:LISTED]]
    trailers = f"Reknit-Run: {run_id}\nReknit-Hop: {hop}"
    about = "\n".join(["Asked about:", *lines]) if lines else "Asked about tests that cannot run."
    return neutralize_commit_text(f"{subject(move)}\n\n{about}") + f"\n\n{trailers}\n"


def one(finding: Finding) -> str:
    """One finding on one line."""
    place = file_line(finding.file, finding.line)
    where = f" ({one_line(place)})" if place and place != finding.subject else ""
    return f"{one_line(finding.subject)[:160]}{where}"


def in_a_line(finding: Finding) -> str:
    return f"{one(finding)}: {one_line(finding.message)[:160]}"


def reply(commit: str, run_id: str) -> str:
    return f"{commit[:12]} changes this. (reknit {run_id})"


def as_remark(finding: Finding) -> Remark:
    return Remark(finding.remark, "thread", finding.author, is_bot=False, association="", text="", file=finding.file)


def _worst(findings: Sequence[Finding]) -> str:
    return first_few([left.place_and_text[:120] for left in left_of(findings)], between="; ")


def _some(findings: Sequence[Finding]) -> str:
    return first_few([one_line(finding.subject)[:80] for finding in findings])
