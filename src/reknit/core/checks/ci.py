"""Judges the CI of one commit: code failures, infrastructure failures, and what is still pending."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.checks.ci_log import NEEDS_A_PERSON, excerpt_log, is_infra
from reknit.core.checks.status import CiResult
from reknit.core.evidence.digest import excerpt
from reknit.core.finding import Finding
from reknit.core.forge.values import CiCheck
from reknit.core.runs.limits import PullLimits
from reknit.core.text.format import join_and_count, to_one_line

SUMMARY_BYTES = 2_000
SHOWN_NAMES = 3


@dataclass(frozen=True)
class _CheckGroups:
    """The checks that count, by the step that they need."""

    code: tuple[CiCheck, ...]
    """Failed because of the code, so a fix is needed."""
    again: tuple[CiCheck, ...]
    """Failed on CI infrastructure, to be re-run."""
    lost: tuple[CiCheck, ...]
    """Failed on CI infrastructure, and out of re-runs or not re-runnable."""
    persons: tuple[CiCheck, ...]
    """Waiting for a person."""
    pending: tuple[CiCheck, ...]


@dataclass(frozen=True)
class CiObservation:
    """The CI of one commit, as the forge shows it, and the re-runs that this run has started."""

    checks: Sequence[CiCheck]
    logs: Mapping[str, str]
    """Log of each failed check, by check name."""
    reruns: Mapping[str, int]
    """Number of re-runs that this run has started, by check name."""
    age_s: float
    """Time since the commit appeared on the forge, in seconds."""


def judge_ci(observation: CiObservation, *, required: Sequence[str], expected: bool, limits: PullLimits) -> CiResult:
    """Judge the checks of a commit. `expected`: the repository has CI, so no check at all is not a pass.

    A red check is fixed at once. A pending one may still turn red, so it is awaited before a lost check is called an
    error; a required check that has not appeared is not awaited first: it may depend on the one that failed.
    """
    checks, logs, age_s = observation.checks, observation.logs, observation.age_s
    if not checks and not required:
        return _judge_without_checks(expected=expected, age_s=age_s, limits=limits)
    groups = _group_checks(_select_checks(checks, required, limits), logs, observation.reruns, limits)
    all_checks = tuple(checks)
    if groups.code:
        return CiResult("fail", all_checks, _make_findings(groups.code, logs, required))
    if groups.pending or groups.again:
        # A job cannot be re-run while other jobs of its workflow are running.
        return CiResult(
            "pending", all_checks, infra_checks=() if groups.pending else groups.again, why=_explain_wait(groups)
        )
    if groups.lost or groups.persons:
        return CiResult("error", all_checks, why=_explain_error(groups))
    if absent := _list_absent(checks, required):
        return CiResult("pending", all_checks, why=f"{_join_names(absent)} is required and has not appeared")
    if expected and age_s < limits.ci_grace_s and not any(check.is_job for check in checks):
        return CiResult("pending", all_checks, why="only quick checks have reported so far")
    return CiResult("pass", all_checks)


def may_change_decision(checks: Sequence[CiCheck]) -> bool:
    """Return True if checking everything again could change the decision: CI is done, or a check has failed."""
    states = {check.state for check in checks}
    return "pending" not in states or bool(states & {"fail", "cancelled"})


def format_counts(ci: CiResult, required: Sequence[str] = ()) -> str:
    """Return a cell for a table: `4/4`, `3/3, 1 skipped`, the names of failed checks, or `… 2/4`."""
    if ci.status == "error":
        return "not seen"
    if ci.status == "fail":
        return _join_names([finding.subject for finding in ci.findings])
    total = len(ci.checks) + len(_list_absent(ci.checks, required))
    if not total:
        return "…" if ci.status == "pending" else "none"
    passed = sum(check.state == "pass" for check in ci.checks)
    skipped = sum(check.state == "skipped" for check in ci.checks)
    parts = [f"{passed}/{total - skipped}"] if skipped < total else []
    parts += [f"{skipped} skipped"] if skipped else []
    return f"{'… ' if ci.status == 'pending' else ''}{', '.join(parts)}"


def _judge_without_checks(*, expected: bool, age_s: float, limits: PullLimits) -> CiResult:
    if age_s < limits.ci_grace_s:
        return CiResult("pending", why="no check has appeared yet")
    if expected:
        why = f"no check appeared within {limits.ci_grace_s:.0f} s (checks.ci.grace_s), although this repository has CI"
        return CiResult("error", why=why)
    return CiResult("pass", why="this repository has no CI")


def _select_checks(checks: Sequence[CiCheck], required: Sequence[str], limits: PullLimits) -> list[CiCheck]:
    """Return the checks that count: all if none is known to be required, or CI would pass without evidence."""
    if not limits.ci_required_only or not required:
        return list(checks)
    return [check for check in checks if check.name in required]


def _group_checks(
    checks: Sequence[CiCheck], logs: Mapping[str, str], reruns: Mapping[str, int], limits: PullLimits
) -> _CheckGroups:
    persons = tuple(check for check in checks if check.word == NEEDS_A_PERSON)
    red = [check for check in checks if check.state in ("fail", "cancelled") and check not in persons]
    infra = [check for check in red if is_infra(check, logs.get(check.name, ""))]
    again = tuple(check for check in infra if check.is_job and reruns.get(check.name, 0) < limits.reruns)
    return _CheckGroups(
        code=tuple(check for check in red if check not in infra),
        again=again,
        lost=tuple(check for check in infra if check not in again),
        persons=persons,
        pending=tuple(check for check in checks if check.state == "pending" and check not in persons),
    )


def _make_findings(failed: Sequence[CiCheck], logs: Mapping[str, str], required: Sequence[str]) -> tuple[Finding, ...]:
    ordered = sorted(failed, key=lambda check: (check.name not in required, check.name))
    return tuple(
        Finding(f"C-{number}", "ci", _make_slug(check.name), check.name, message=_describe_failure(check, logs))
        for number, check in enumerate(ordered, 1)
    )


def _describe_failure(check: CiCheck, logs: Mapping[str, str]) -> str:
    text = excerpt_log(logs.get(check.name, "")) or excerpt(check.summary, SUMMARY_BYTES)
    return text or f"{to_one_line(check.name)} ended as {to_one_line(check.word)} without output"


def _list_absent(checks: Sequence[CiCheck], required: Sequence[str]) -> list[str]:
    present_names = {check.name for check in checks}
    return [name for name in dict.fromkeys(required) if name not in present_names]


def _explain_wait(groups: _CheckGroups) -> str:
    parts = [f"waiting for {_join_names([check.name for check in groups.pending])}"] if groups.pending else []
    if groups.again:
        names = _join_names([check.name for check in groups.again])
        parts.append(f"{names} failed on CI infrastructure and will be re-run")
    return "; ".join(parts)


def _explain_error(groups: _CheckGroups) -> str:
    parts = [f"{to_one_line(check.name)} waits for a person" for check in groups.persons[:SHOWN_NAMES]]
    if groups.lost:
        names = _join_names([check.name for check in groups.lost])
        parts.append(f"{names} failed on CI infrastructure and is not re-run (checks.ci.reruns)")
    return "; ".join(parts)


def _join_names(names: Sequence[str]) -> str:
    return join_and_count([to_one_line(name) for name in names], SHOWN_NAMES)


def _make_slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "check"
