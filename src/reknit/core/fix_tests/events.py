"""The texts of `fix tests` for people, in one place where they can be tested and reworded."""

from collections.abc import Sequence

from reknit.core.causes.left_out import LeftOut, left_out_text
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.holdout import Holdout
from reknit.core.forge.run_chain import HOP
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.feedback import telling_line
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.runs import what_checks_ran
from reknit.core.testing.report import TestReport
from reknit.core.text.commit_text import neutralize_commit_text
from reknit.core.text.format import counted, first_few, one_line, seconds


def opening(spec: RunSpec) -> Event:
    named = f"{len(spec.named)} named test(s)" if spec.named else "every red test"
    text = f"{named}, at most {counted(spec.limits.attempts, 'attempt')} each, at most ${spec.limits.budget_usd:.2f}"
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
        "findings": [{"id": each.id, "test": each.subject, "also": list(each.also)} for each in baseline.findings],
        "left_out": [{"tests": [*tests], "why": why, "remedy": how} for tests, why, how in baseline.left_out],
        "doubts": [{"tests": [*tests], "why": why, "remedy": how} for tests, why, how in baseline.doubts],
        "flaky": list(baseline.flaky),
        "red_elsewhere": len(baseline.red_elsewhere),
        "passing": baseline.passing_count,
        "evidence": baseline.evidence,
        "output_tail": baseline.output_tail,
    }
    if baseline.status == "unseen":
        return Event("baseline", "bad", "baseline", f"not seen: {baseline.why}", data)
    if baseline.status == "blocked":
        return Event("baseline", "bad", "baseline", f"blocked: {left_out_text(baseline.left_out)}", data)
    if baseline.status == "green":
        text = f"{baseline.passing_count} passed {baseline.runs} of {baseline.runs} on {base[:7]}"
        return Event("baseline", "ok", "baseline", text, data)
    others = [f"{baseline.passing_count} pass"]
    if baseline.flaky:
        others.append(f"{len(baseline.flaky)} flaky, left out ({first_few([*map(one_line, baseline.flaky)])})")
    if baseline.red_elsewhere:
        others.append(f"{len(baseline.red_elsewhere)} red, not asked for")
    if not_ours := sum(len(tests) for tests, *_ in baseline.left_out):
        others.append(f"{not_ours} red, not the code's fault")
    if baseline.seen_in:
        others.append(f"only what was red in {baseline.seen_in} was run")
    if baseline.not_run:
        others.append(f"{len(baseline.not_run)} project(s) without a result")
    count = sum(len(finding.tests) for finding in baseline.findings)
    causes = len(baseline.findings)
    if count > causes:
        others.insert(0, counted(causes, "likely cause"))
    often = f"{baseline.runs} of {baseline.runs}"
    text = f"{count} red {often} on {base[:7]}; {', '.join(others)}  {seconds(baseline.seconds)}"
    return Event("baseline", "ok", "baseline", text, data)


def suite_ran(report: TestReport, *, alone: bool) -> Event:
    """For a slow suite: how far the baseline is."""
    what = "the red tests alone" if alone else "the whole suite"
    count = f"{len(report.passed)} passed, {len(report.failed)} failed"
    text = f"{what}: {report.why or count}  {seconds(report.seconds)}"
    data: dict[str, object] = {"alone": alone, "passed": len(report.passed), "failed": len(report.failed)}
    return Event("suite", "note", "tests", text, data)


def holdout_begins(number: int, agent: str) -> Event:
    text = f"{agent} writes further test cases; it does not see the fix"
    return Event("holdout_begins", "..", "hold-out", text, {"attempt": number, "agent": agent})


def holdout_said(number: int, holdout: Holdout) -> Event:
    """With the whole text of the cases: a person decides who is right."""
    mark: Mark = "bad" if holdout.word == "disagreed" else "note"
    data: dict[str, object] = {
        "attempt": number, "holdout": holdout.word, "sentence": holdout.sentence,
        "cases": [vars(case) for case in holdout.cases],
    }  # fmt: skip
    return Event("holdout", mark, "hold-out", holdout.sentence, data)


_WITH = {"look": "the finding", "again": "what turned green", "source": "", "whole": "", "without": "what turned green"}


def what_ran(label: str, *, alone: bool) -> str:
    """A run in verification, for people. `label`: as `workflows/fix_tests` names it."""
    if of_checks := what_checks_ran(label):
        return of_checks
    label = label.removesuffix("-whole")
    is_with = label in ("look", "source", "whole", "again") or label.partition("-")[2].startswith("with-")
    which = _WITH.get(label) or "what became red"
    tests = f"{which}, alone" if alone else "the whole suite"
    change = "with the change" if is_with else "without the change"
    return f"{tests}, {change}" + (" but not the tests it adds" if label == "source" else "")


def tests_left_out(number: int, left_out: LeftOut) -> Event:
    tests, why, remedy = left_out
    data: dict[str, object] = {"tests": [*tests], "why": why, "remedy": remedy}
    return Event("left_out", "note", f"left out {number}", left_out_text([left_out]), data)


def flaky_seen(tests: Sequence[str]) -> Event:
    named = first_few([*map(one_line, tests)])
    return Event(
        "flaky",
        "note",
        "flaky",
        f"passed when it was run again, so it is flaky and left out: {named}",
        {"tests": [*tests]},
    )


def finding_seen(finding: Finding) -> Event:
    more = f" and {len(finding.also)} more" if finding.also else ""
    text = f"{finding.subject}{more}   {telling_line(finding)}".rstrip()
    return Event(
        "finding", "note", finding.id, text, {"id": finding.id, "test": finding.subject, "also": list(finding.also)}
    )


def more_findings(findings: Sequence[Finding]) -> Event:
    ids = [finding.id for finding in findings]
    return Event("findings", "note", "…", f"and {len(ids)} more, to {ids[-1]}", {"ids": ids})


def remembered(run_id: str) -> str:
    text = f"nothing changed since {run_id} ended DEFERRED (same tree, tests and agents), so no agent was called"
    return f"{text}; use --again to try anyway"


def commit_subject(finding: Finding, attempt: int, fixed: Sequence[str] = ()) -> str:
    named = next((test for test in finding.tests if test in fixed), finding.subject)
    test = one_line(named.rsplit("::", 1)[-1])
    return neutralize_commit_text(f"fix: make {test} pass (attempt {attempt})"[:100])


def commit_message(finding: Finding, attempt: int, run_id: str, fixed: Sequence[str]) -> str:
    trailers = f"Reknit-Run: {run_id}\nReknit-Finding: {finding.fingerprint}\nReknit-Hop: {HOP}"
    proven = "\n".join(f"- {one_line(test)[:300]}" for test in fixed[:20])
    listed = neutralize_commit_text(proven)
    said = f"{commit_subject(finding, attempt, fixed)}\n\nRed before, green after, red again without it:\n{listed}"
    return f"{said}\n\n{trailers}\n"
