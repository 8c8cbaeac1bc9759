"""`fix pr` as shared code sees it."""

from collections.abc import Mapping
from typing import Any

from reknit.core.capability import AgentChoice, Capability, StoredRun, fixer_choices
from reknit.core.fix_pr.output import run_text
from reknit.core.fix_pr.output.documents import state_document
from reknit.core.fix_pr.output.record import Record, record_in
from reknit.core.runs.spec import RunSpec

_CHECKS = ("review", "tests", "ci")


def _agents(spec: RunSpec) -> list[AgentChoice]:
    reviewer = spec.pull_target.reviewer
    return fixer_choices(spec) + (
        [AgentChoice(reviewer, "--reviewer")] if reviewer and reviewer not in spec.agents else []
    )


def _course(stored: StoredRun) -> Mapping[str, Any]:
    return stored.documents.get("course", {})


def _record(stored: StoredRun) -> Record:
    return record_in(_course(stored))


def _checks(stored: StoredRun) -> Mapping[str, Mapping[str, Any]]:
    return {check: stored.documents.get(f"check.{check}", {}) for check in _CHECKS}


FIX_PR = Capability(
    kind="fix pr",
    workflow="pull_request.v1",
    function="reknit.workflows.fix_pr.workflow:pull_request",
    on_cancel="reknit.workflows.fix_pr.record_steps:tell",
    lands="pull request",
    agents=_agents,
    runs_tests=True,
    phases=run_text.PHASES,
    documents=("course", *(f"check.{check}" for check in _CHECKS)),
    heading=run_text.heading,
    view="pull request table",
    ending_text=lambda stored, width: run_text.ending_text(stored.run, len(stored.attempts), _record(stored), width),
    show_lines=lambda stored, width: run_text.show_lines(stored.run, _record(stored), width),
    explain_lines=lambda stored, _width: run_text.explain_lines(stored.run, _record(stored), _checks(stored)),
    receipt_lines=run_text.receipt_lines,
    show_document=lambda stored: {"course": _course(stored)},
    ending_document=lambda stored: {"course": _course(stored)},
    state_document=lambda stored: state_document(stored.run, _course(stored), _checks(stored)),
)
