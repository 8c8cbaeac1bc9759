"""What `fix pr` saves about CI and reviews beside its checkpoints, so that nothing is done twice."""

import json
from collections.abc import Sequence

from reknit.core.forge.values import CiCheck
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services


def since(services: Services, spec: RunSpec, head: str) -> float:
    """When this run first looked at that commit."""
    name = f"since-{head}"
    if known := services.ledger.document(spec.run_id, name):
        return float(known)
    now = services.clock()
    services.ledger.put_document(spec.run_id, name, repr(now))
    return now


def reruns(services: Services, spec: RunSpec, head: str, name: str) -> int:
    return len(json.loads(services.ledger.document(spec.run_id, f"rerun-{head}-{name}") or "[]"))


def note_rerun(services: Services, spec: RunSpec, head: str, check: CiCheck) -> None:
    """Recorded by the check's id, so that noting it twice counts once."""
    name = f"rerun-{head}-{check.name}"
    known = json.loads(services.ledger.document(spec.run_id, name) or "[]")
    services.ledger.put_document(spec.run_id, name, json.dumps(sorted({*known, check.id})))


def last_checks(services: Services, spec: RunSpec, head: str, checks: Sequence[CiCheck]) -> tuple[str, ...]:
    """Names of the previous commit's checks; saves this commit's names for the next one."""
    known = json.loads(services.ledger.document(spec.run_id, "ci-names") or "{}")
    before = {sha: names for sha, names in known.items() if sha != head}
    names = sorted(set(known.get(head, ())) | {check.name for check in checks})
    last = dict(list(before.items())[-1:])
    services.ledger.put_document(spec.run_id, "ci-names", json.dumps({**last, head: names}))
    return tuple(name for names in last.values() for name in names)


def red_before(services: Services, spec: RunSpec, checks: Sequence[CiCheck]) -> tuple[str, ...]:
    """Names of the checks this run has ever seen red: each must be seen green before it counts as green."""
    known = json.loads(services.ledger.document(spec.run_id, "ci-red") or "[]")
    red = sorted({*known, *(check.name for check in checks if check.state == "fail")})
    services.ledger.put_document(spec.run_id, "ci-red", json.dumps(red))
    return tuple(red)


def settled(services: Services, spec: RunSpec) -> tuple[str, ...]:
    """Review findings that earlier rounds of this run dealt with, one line each."""
    return tuple(json.loads(services.ledger.document(spec.run_id, "settled") or "[]"))
