"""The `fix pr` capability for shared code: its agents, its texts for people, and its stored documents."""

from collections.abc import Mapping
from typing import Any

from reknit.core.capability import AgentChoice, Capability, StoredRun, list_fixers
from reknit.core.checks.criteria import CRITERIA_DOCUMENT, add_criteria, get_criteria_document, render_criteria
from reknit.core.fix_pr.output import run_text
from reknit.core.fix_pr.output.documents import to_state_document
from reknit.core.fix_pr.output.record import Record, read_record
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.runs.spec import RunSpec

_CHECKS = ("review", "tests", "ci")


def _list_agents(spec: RunSpec) -> list[AgentChoice]:
    reviewer = spec.task_as(FixPullRequest).reviewer
    return list_fixers(spec) + (
        [AgentChoice(reviewer, "--review-agent")] if reviewer and reviewer not in spec.agents else []
    )


def _read_course(stored: StoredRun) -> Mapping[str, Any]:
    return stored.documents.get("course", {})


def _read_record(stored: StoredRun) -> Record:
    return read_record(_read_course(stored))


def _build_document(stored: StoredRun) -> dict[str, object]:
    return {"course": _read_course(stored), **get_criteria_document(stored)}


def _read_checks(stored: StoredRun) -> Mapping[str, Mapping[str, Any]]:
    return {check: stored.documents.get(f"check.{check}", {}) for check in _CHECKS}


FIX_PR = Capability(
    kind="fix pr",
    lands="pull request",
    agents=_list_agents,
    runs_tests=True,
    phases=run_text.PHASES,
    documents=("course", CRITERIA_DOCUMENT, *(f"check.{check}" for check in _CHECKS)),
    heading=run_text.format_heading,
    view="pull request table",
    ending_text=lambda stored, width: add_criteria(
        run_text.format_ending(stored.run, len(stored.attempts), _read_record(stored), width), stored, width
    ),
    show_lines=lambda stored, width: [
        *run_text.format_run(stored.run, _read_record(stored), width),
        *render_criteria(stored, width),
    ],
    explain_lines=lambda stored, _width: run_text.explain_run(stored.run, _read_record(stored), _read_checks(stored)),
    receipt_lines=run_text.format_receipt,
    show_document=_build_document,
    ending_document=_build_document,
    state_document=lambda stored: to_state_document(stored.run, _read_course(stored), _read_checks(stored)),
)
