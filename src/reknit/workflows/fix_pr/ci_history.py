"""Facts about CI and reviews that `fix pr` saves beside its checkpoints, so that nothing is done twice."""

import json
from collections.abc import Sequence

from reknit.core.forge.values import CiCheck
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services


def read_first_look(services: Services, spec: RunSpec, head: str) -> float:
    """Return the time at which this run first looked at that commit."""
    name = f"since-{head}"
    if saved := services.ledger.document(spec.run_id, name):
        return float(saved)
    now = services.clock()
    services.ledger.put_document(spec.run_id, name, repr(now))
    return now


def count_reruns(services: Services, spec: RunSpec, head: str, name: str) -> int:
    """Return how often this run had the check run again on that commit."""
    return len(json.loads(services.ledger.document(spec.run_id, f"rerun-{head}-{name}") or "[]"))


def note_rerun(services: Services, spec: RunSpec, head: str, check: CiCheck) -> None:
    """Record a re-run by the check's id, so that noting it twice counts once."""
    name = f"rerun-{head}-{check.name}"
    check_ids = json.loads(services.ledger.document(spec.run_id, name) or "[]")
    services.ledger.put_document(spec.run_id, name, json.dumps(sorted({*check_ids, check.id})))


def remember_check_names(services: Services, spec: RunSpec, head: str, checks: Sequence[CiCheck]) -> tuple[str, ...]:
    """Return the names of the previous commit's checks, and save those of this commit for the next one."""
    names_by_head = json.loads(services.ledger.document(spec.run_id, "ci-names") or "{}")
    before = {sha: names for sha, names in names_by_head.items() if sha != head}
    names = sorted(set(names_by_head.get(head, ())) | {check.name for check in checks})
    last = dict(list(before.items())[-1:])
    services.ledger.put_document(spec.run_id, "ci-names", json.dumps({**last, head: names}))
    return tuple(name for names in last.values() for name in names)


def remember_red_checks(services: Services, spec: RunSpec, checks: Sequence[CiCheck]) -> tuple[str, ...]:
    """Return the checks that this run has ever seen red: each must be seen green before it counts as green."""
    names = json.loads(services.ledger.document(spec.run_id, "ci-red") or "[]")
    red = sorted({*names, *(check.name for check in checks if check.state == "fail")})
    services.ledger.put_document(spec.run_id, "ci-red", json.dumps(red))
    return tuple(red)


def load_settled_findings(services: Services, spec: RunSpec) -> tuple[str, ...]:
    """Return the review findings that earlier rounds of this run dealt with, one line each."""
    return tuple(json.loads(services.ledger.document(spec.run_id, "settled") or "[]"))
