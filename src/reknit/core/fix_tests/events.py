"""The events and commit messages of `fix tests`."""

from collections.abc import Sequence

from reknit.core.causes.cause import LeftOut, render_left_out
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.holdout import Holdout
from reknit.core.fix_tests.task import FixTests
from reknit.core.forge.permission import HOP
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.feedback import find_telling_line
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.checks import describe_check_run
from reknit.core.testing.report import TestReport
from reknit.core.text.forge_text import neutralize_commit_text
from reknit.core.text.format import format_seconds, join_few, pluralize, to_one_line

_RUN_SUBJECTS = {
    "look": "the finding",
    "again": "what turned green",
    "source": "",
    "whole": "",
    "without": "what turned green",
}


def report_start(spec: RunSpec) -> Event:
    """Return the first event: the task and its limits."""
    scope = (
        f"{len(spec.task_as(FixTests).named_tests)} named test(s)"
        if spec.task_as(FixTests).named_tests
        else "every red test"
    )
    text = f"{scope}, at most {pluralize(spec.limits.attempts, 'attempt')} each, at most ${spec.limits.budget_usd:.2f}"
    data: dict[str, object] = {
        "base": spec.base,
        "agent": spec.agent.name,
        "budget_usd": spec.limits.budget_usd,
        "repository": spec.repository,
    }
    return Event("started", "note", spec.run_id, text, data)


def report_baseline(baseline: Baseline, base: str) -> Event:
    """Return the event for the state before any change."""
    data: dict[str, object] = {
        "status": baseline.status,
        "findings": [
            {"id": finding.id, "test": finding.subject, "also": list(finding.also)} for finding in baseline.findings
        ],
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
        return Event("baseline", "bad", "baseline", f"blocked: {render_left_out(baseline.left_out)}", data)
    if baseline.status == "green":
        repeats = "" if baseline.runs == 1 else f" in each of {baseline.runs} runs"
        text = f"{baseline.passing_count} passed at {base[:7]}{repeats}"
        return Event("baseline", "ok", "baseline", text, data)
    others = [f"{baseline.passing_count} pass"]
    if baseline.flaky:
        others.append(f"{len(baseline.flaky)} flaky, left out ({join_few([*map(to_one_line, baseline.flaky)])})")
    if baseline.red_elsewhere:
        others.append(f"{len(baseline.red_elsewhere)} red, not asked for")
    if environment_count := sum(len(tests) for tests, *_ in baseline.left_out):
        others.append(f"{environment_count} red, not the code's fault")
    if baseline.seen_in:
        others.append(f"only what was red in {baseline.seen_in} was run")
    if baseline.not_run:
        others.append(f"{len(baseline.not_run)} project(s) without a result")
    count = sum(len(finding.tests) for finding in baseline.findings)
    causes = len(baseline.findings)
    if count > causes:
        others.insert(0, pluralize(causes, "likely cause"))
    repeats = "" if baseline.runs == 1 else f" in each of {baseline.runs} runs"
    text = f"{count} red at {base[:7]}{repeats}; {', '.join(others)}  {format_seconds(baseline.seconds)}"
    return Event("baseline", "ok", "baseline", text, data)


def report_suite_run(report: TestReport, *, alone: bool) -> Event:
    """Return the event for one run of the suite on base, which shows progress if the suite is slow."""
    scope = "the red tests alone" if alone else "the whole suite"
    count = f"{len(report.passed)} passed, {len(report.failed)} failed"
    text = f"{scope}: {report.why or count}  {format_seconds(report.seconds)}"
    data: dict[str, object] = {"alone": alone, "passed": len(report.passed), "failed": len(report.failed)}
    return Event("suite", "note", "tests", text, data)


def report_holdout_start(number: int, agent: str) -> Event:
    """Return the event for the call of the agent that writes hold-out cases."""
    text = f"{agent} writes further test cases; it does not see the fix"
    return Event("holdout_begins", "..", "hold-out", text, {"attempt": number, "agent": agent})


def report_holdout(number: int, holdout: Holdout) -> Event:
    """Return the event for a hold-out. It has the whole text of the cases, because a person decides who is right."""
    mark: Mark = "bad" if holdout.word == "disagreed" else "note"
    data: dict[str, object] = {
        "attempt": number, "holdout": holdout.word, "sentence": holdout.sentence,
        "cases": [vars(case) for case in holdout.cases],
    }  # fmt: skip
    return Event("holdout", mark, "hold-out", holdout.sentence, data)


def describe_run(label: str, *, alone: bool) -> str:
    """Describe a test run of the verification for people. `label`: its name in `workflows/fix_tests`."""
    if check_description := describe_check_run(label):
        return check_description
    label = label.removesuffix("-whole")
    is_with = label in ("look", "source", "whole", "again") or label.partition("-")[2].startswith("with-")
    subject = _RUN_SUBJECTS.get(label) or "what became red"
    tests = f"{subject}, alone" if alone else "the whole suite"
    change = "with the change" if is_with else "without the change"
    return f"{tests}, {change}" + (" but not the tests it adds" if label == "source" else "")


def report_left_out(number: int, left_out: LeftOut) -> Event:
    """Return the event for tests that the environment broke."""
    tests, why, remedy = left_out
    data: dict[str, object] = {"tests": [*tests], "why": why, "remedy": remedy}
    return Event("left_out", "note", f"left out {number}", render_left_out([left_out]), data)


def report_flaky(tests: Sequence[str]) -> Event:
    """Return the event for tests that passed in a second run."""
    summary = join_few([*map(to_one_line, tests)])
    return Event(
        "flaky",
        "note",
        "flaky",
        f"passed when it was run again, so it is flaky and left out: {summary}",
        {"tests": [*tests]},
    )


def report_finding(finding: Finding) -> Event:
    """Return the event for one finding."""
    more = f" and {len(finding.also)} more" if finding.also else ""
    text = f"{finding.subject}{more}   {find_telling_line(finding)}".rstrip()
    return Event(
        "finding", "note", finding.id, text, {"id": finding.id, "test": finding.subject, "also": list(finding.also)}
    )


def report_more_findings(findings: Sequence[Finding]) -> Event:
    """Return the event for findings beyond the listed ones."""
    ids = [finding.id for finding in findings]
    return Event("findings", "note", "…", f"and {len(ids)} more, to {ids[-1]}", {"ids": ids})


def explain_remembered(run_id: str) -> str:
    """Explain that an earlier run already gave up on the same task."""
    text = f"nothing changed since {run_id} ended DEFERRED (same tree, tests and agents), so no agent was called"
    return f"{text}; use --again to try anyway"


def render_commit_subject(finding: Finding, attempt: int, fixed: Sequence[str] = (), bug: str = "") -> str:
    """Render the first line of the commit message. `bug`: the id that a person gave to the bug."""
    test_id = next((test for test in finding.tests if test in fixed), finding.subject)
    test = to_one_line(test_id.rsplit("::", 1)[-1])
    return neutralize_commit_text(f"fix{f'({bug})' if bug else ''}: make {test} pass (attempt {attempt})"[:100])


def render_commit_message(finding: Finding, attempt: int, run_id: str, fixed: Sequence[str], bug: str = "") -> str:
    """Render the commit message with the proven tests and the trailers."""
    trailers = f"Reknit-Run: {run_id}\nReknit-Finding: {finding.fingerprint}\nReknit-Hop: {HOP}"
    proven = "\n".join(f"- {to_one_line(test)[:300]}" for test in fixed[:20])
    subject = render_commit_subject(finding, attempt, fixed, bug)
    message = f"{subject}\n\nRed before, green after, red again without it:\n{neutralize_commit_text(proven)}"
    return f"{message}\n\n{trailers}\n"
