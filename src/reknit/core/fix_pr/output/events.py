"""The events of a pull-request run, and its texts for commits and review threads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reknit.core.agent_reports.values import Report
from reknit.core.causes.cause import render_left_out
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import (
    MARKS,
    ChecksSnapshot,
    classify_ci,
    classify_review,
    classify_tests,
    summarize_ci,
    summarize_tests,
)
from reknit.core.fix_pr.output.record import to_remaining_findings
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, Turn, Wait, list_target_tests
from reknit.core.forge.permission import FixBlocked, PullSnapshot
from reknit.core.forge.values import CiCheck, ForgeFailure, Pull, Remark
from reknit.core.runs.commits.message import CommitFacts, write_message, write_subject
from reknit.core.runs.event import Event, Mark
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.text.format import format_location, format_seconds, join_few, pluralize, to_one_line

LISTED = 20


def to_json(document: Mapping[str, object]) -> str:
    """Encode a document without spaces."""
    return json.dumps(document, separators=(",", ":"))


def report_look(number: int, pull: Pull, snapshot: PullSnapshot) -> Event:
    """Report the start of an iteration: the pull request and its head."""
    text = f"#{pull.number} {pull.title} at {snapshot.head[:7]}" + (
        f"; {snapshot.barred.sentence}" if snapshot.barred else ""
    )
    data: dict[str, object] = {"iteration": number, "head": snapshot.head, "base": snapshot.base, "pull": pull.number}
    return Event("look", "note", f"i{number} look", text, data)


def report_tests(number: int, result: TestsResult) -> Event:
    """Report the result of the tests."""
    flaky, state = f"; {len(result.flaky)} flaky" if result.flaky else "", classify_tests(result)
    subjects = f": {_format_subjects(result.findings)}" if result.findings else ""
    text = {
        "off": summarize_tests(result),
        "pass": f"{result.passed} passed",
        "fail": f"{len(result.findings)} failed, {result.passed} passed{flaky}{subjects}",
        "error": f"not seen: {result.why}" if result.status == "error" else f"{result.passed} passed{flaky}",
    }[state]
    left_out = f"; left out: {render_left_out(result.left_out)}" if result.left_out else ""
    took = f"  {format_seconds(result.seconds)}" if result.seconds else ""
    data: dict[str, object] = {
        "iteration": number, "check": "tests", "status": state, "passed": result.passed,
        "failed": [finding.subject for finding in result.findings], "output_tail": result.output_tail,
    }  # fmt: skip
    return Event("check", MARKS[state], f"i{number} tests", f"{text}{left_out}{took}", data)


def report_ci(number: int, result: CiResult) -> Event:
    """Report the result of CI."""
    state = classify_ci(result)
    text = {
        "off": result.why or summarize_ci(result),
        "pass": f"passed: {summarize_ci(result)}",
        "fail": f"red: {_format_subjects(result.findings)}",
        "pending": f"not done: {summarize_ci(result)}",
        "error": f"not seen: {result.why}",
    }[state]
    checks = [{"name": check.name, "state": check.state, "url": check.url} for check in result.checks]
    data: dict[str, object] = {"iteration": number, "check": "ci", "status": state, "checks": checks}
    return Event("check", MARKS[state], f"i{number} ci", text, data)


def report_review(number: int, result: ReviewResult) -> Event:
    """Report the result of the review, with its first findings."""
    worth = [finding for finding in result.findings if finding.weight != "minor"]
    state = classify_review(result)
    text = {
        "off": result.why,
        "pass": "passed",
        "fail": f"{len(worth)} finding(s): {_format_worst(worth)}",
        "error": f"not seen: {result.why}",
    }[state]
    finding_documents = [
        {"id": finding.id, "file": finding.file, "line": finding.line, "text": finding.message[:500]}
        for finding in result.findings[:LISTED]
    ]
    data: dict[str, object] = {"iteration": number, "check": "review", "status": state, "findings": finding_documents}
    return Event("check", MARKS[state], f"i{number} review", text, data)


def report_review_start(number: int, agent: str) -> Event:
    """Report that an agent starts to review."""
    return Event("review", "..", f"i{number} review", f"{agent} reviews", {"iteration": number, "agent": agent})


def block_for_hops(pull: Pull, before: int) -> FixBlocked:
    """Block the fix because too many runs in a row have worked on the branch."""
    why = f"{before} runs in a row have worked on {pull.head_ref!r} with no push by a person in between (loop.hops)"
    return FixBlocked(
        "hops", f"{why}; review what they did and push a commit of your own, then try again", read_only=True
    )


def report_verification(number: int, after: TestsResult, why: str) -> Event:
    """Report if the tests prove the fix. `why`: the reason if they do not."""
    text = why.partition("\n")[0] if why else f"{after.passed} passed with the fix"
    return Event("prove", "bad" if why else "ok", "prove", text, {"attempt": number, "holds": not why})


def report_push(number: int, commit: str, branch: str, subject: str) -> Event:
    """Report a pushed fix. `subject`: of its commit."""
    data: dict[str, object] = {"iteration": number, "commit": commit, "branch": branch}
    return Event("pushed", "ok", "push", f"{commit[:7]} to {branch}   {subject}", data)


def block_for_protection(branch: str, words: str, run_id: str = "RUN", number: int | str = "N") -> FixBlocked:
    """Block the fix because the branch is protected. `words`: the forge's own message."""
    step = (
        f"`reknit show {run_id} --attempt {number} | git apply` applies the fix to the working tree of someone who may "
        "push it; or let reknit's identity bypass the branch protection"
    )
    return FixBlocked("protected", f"the branch {branch!r} rejected the push: {words[:300]}; {step}")


def report_rerun(check: CiCheck, answer: ForgeFailure | None) -> Event:
    """Report that a CI check runs again, or why it cannot."""
    data: dict[str, object] = {"check": check.name, "url": check.url}
    if answer:
        return Event("rerun", "bad", "ci", f"{check.name} could not be re-run: {answer.detail}", data)
    text = f"{check.name} failed on CI infrastructure ({check.word}); re-running"
    return Event("rerun", "wait", "ci", text, data)


def report_turn(turn: Turn) -> Event:
    """Report a finished iteration on one line."""
    review_word, tests_word, ci_word = turn.summaries
    mark: Mark = "ok" if turn.commit or turn.did == "PR CLEAN" else "note"
    commit = f" ({turn.commit[:7]})" if turn.commit else ""
    text = f"review {review_word} · tests {tests_word} · ci {ci_word} › {turn.did}{commit}  ${turn.cost_usd:.2f}"
    data: dict[str, object] = {
        "iteration": turn.number, "head": turn.head, "review": turn.review, "tests": turn.tests, "ci": turn.ci,
        "did": turn.did, "commit": turn.commit, "cost_usd": round(turn.cost_usd, 6),
    }  # fmt: skip
    return Event("iteration", mark, f"i{turn.number}", text, data)


def report_wait(wait: Wait, checks: ChecksSnapshot, until: float) -> Event:
    """Report a wait for CI or for a check without a result. `until`: Unix time."""
    if wait.why == "error":
        text = f"some checks gave no result; looks again in {format_seconds(wait.seconds)}"
    else:
        summary = summarize_ci(checks.ci).removeprefix("… ")
        text = f"waiting for CI ({summary}), looks again every {format_seconds(wait.seconds)}"
    return Event("waiting", "wait", "waiting", text, {"why": wait.why, "until": until})


def report_forge_wait(failure: ForgeFailure, until: float, wait_s: float) -> Event:
    """Report a wait for the forge. `until`: Unix time."""
    word = "the forge's limit" if failure.kind == "limited" else "the forge"
    text = f"waiting for {word} ({failure.detail[:120]}), retrying in {format_seconds(wait_s)}"
    return Event("waiting", "wait", "waiting", text, {"why": f"forge {failure.kind}", "until": until})


def report_failed_update(failure: ForgeFailure) -> Event:
    """Report that the comment or check run could not be updated."""
    text = f"could not update the pull request: {failure.kind} {failure.detail[:160]}"
    return Event("report", "bad", "report", text, {"kind": failure.kind})


def to_proof(end: Pushed | NotPushed | None, findings: Sequence[Finding]) -> Proof | None:
    """Return the proof that the result of a push is; None if there was none."""
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


def is_shown_by_tests(findings: Sequence[Finding]) -> bool:
    """Return True if our own test run before the push shows the repair: the fix was about exactly one red test.

    With several red tests it shows only that one of them passes; checks and reviews answer after the push.
    """
    return [finding.rule for finding in findings if finding.source == "tests"] == ["test-failed"]


def _shorten_subject(finding: Finding) -> str:
    return to_one_line(finding.subject).rsplit("::", 1)[-1]


def describe_work(findings: Sequence[Finding]) -> str:
    """Describe the work of an agent: `2 tests, lint, 1 review finding`."""
    check_names = [to_one_line(finding.subject)[:40] for finding in findings if finding.source == "ci"]
    counts = [sum(finding.source == source for finding in findings) for source in ("tests", "review")]
    tests, reviews = (
        [pluralize(count, word)] if count else []
        for count, word in zip(counts, ("test", "review finding"), strict=True)
    )
    return ", ".join([*tests, *check_names[:3], *reviews]) or "tests that cannot run"


def format_commit_message(move: Fix, run_id: str, hop: int, paths: Sequence[str], report: Report | None) -> str:
    """Format the commit message. It claims a repair only if the tests have to show it before the push."""
    findings, is_shown = tuple(replace(finding, id="") for finding in move.findings), is_shown_by_tests(move.findings)
    facts = CommitFacts(findings, tuple(paths), report, is_proven=is_shown)
    repaired = tuple(finding for finding in findings if finding.source == "tests") if is_shown else findings
    subject = write_subject("fix:", replace(facts, findings=repaired), f" (iteration {move.number})")
    return write_message(subject, facts, _describe_proof(move), [f"Reknit-Run: {run_id}", f"Reknit-Hop: {hop}"])


def _describe_proof(move: Fix) -> str:
    """Describe what our own runs show before the push; the commit is not pushed if they do not."""
    tests = list_target_tests(move)
    unbroken = "no test that passed before fails with this change"
    others = sorted({_OTHER_JUDGES[finding.source] for finding in move.findings if finding.source in _OTHER_JUDGES})
    after = f"; {' and '.join(others)} {'look' if others[1:] else 'looks'} at it after the push" if others else ""
    if is_shown_by_tests(move.findings):
        return f"{_shorten_subject(move.findings[0])} fails without this change and passes with it{after}."
    if tests:
        return f"at least one of the {len(tests)} tests fails without this change and passes with it, and {unbroken}."
    return f"{unbroken}{after}."


_OTHER_JUDGES = {"ci": "CI", "review": "the review"}


def format_finding(finding: Finding) -> str:
    """Format a finding on one line, without its message."""
    place = format_location(finding.file, finding.line)
    location = f" ({to_one_line(place)})" if place and place != finding.subject else ""
    return f"{to_one_line(finding.subject)[:160]}{location}"


def format_finding_line(finding: Finding) -> str:
    """Format a finding on one line, with its message."""
    return f"{format_finding(finding)}: {to_one_line(finding.message)[:160]}"


def format_reply(commit: str, run_id: str) -> str:
    """Format the reply to a review thread that the commit answers."""
    return f"{commit[:12]} changes this. (reknit {run_id})"


def to_remark(finding: Finding) -> Remark:
    """Return the review thread that the finding was read from."""
    return Remark(finding.remark, "thread", finding.author, is_bot=False, association="", text="", file=finding.file)


def _format_worst(findings: Sequence[Finding]) -> str:
    return join_few([failure.place_and_text[:120] for failure in to_remaining_findings(findings)], between="; ")


def _format_subjects(findings: Sequence[Finding]) -> str:
    return join_few([to_one_line(finding.subject)[:80] for finding in findings])
