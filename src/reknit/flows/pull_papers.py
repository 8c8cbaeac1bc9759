"""What the pull-request loop keeps beside its checkpoints: results by content, so that nothing is looked at twice."""

import json
from collections.abc import Sequence
from typing import TypeVar

from reknit.core.course import Sight
from reknit.core.diff_cut import cut_diff
from reknit.core.forge import CiCheck
from reknit.core.run import RunSpec
from reknit.flows.codec import CODEC
from reknit.flows.services import Services
from reknit.ports import TrustedRepository

T = TypeVar("T")

CONVENTIONS = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
CONVENTIONS_BYTES = 4_000
DIFF_BYTES = 60_000
"""Of the diff in the prompt; a reader can open every file."""


def keep(services: Services, spec: RunSpec, name: str, value: T, errors: int = 0) -> T:
    """What could not be seen is kept apart, by how often it was tried: it may be seen the next time."""
    failed = getattr(value, "status", "") == "error"
    services.ledger.put_document(spec.run_id, f"{name}-error-{errors}" if failed else name, CODEC.serialize(value))
    return value


def kept(services: Services, spec: RunSpec, name: str, errors: int = 0) -> object | None:
    found = services.ledger.document(spec.run_id, name) or services.ledger.document(
        spec.run_id, f"{name}-error-{errors}"
    )
    return CODEC.deserialize(found) if found else None


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
    """By the check's id, so that one noted twice counts once."""
    name = f"rerun-{head}-{check.name}"
    known = json.loads(services.ledger.document(spec.run_id, name) or "[]")
    services.ledger.put_document(spec.run_id, name, json.dumps(sorted({*known, check.id})))


def last_checks(services: Services, spec: RunSpec, head: str, checks: Sequence[CiCheck]) -> tuple[str, ...]:
    """Names of the checks that the commit before this one had; those of this one are kept for the next."""
    known = json.loads(services.ledger.document(spec.run_id, "ci-names") or "{}")
    before = {sha: names for sha, names in known.items() if sha != head}
    names = sorted(set(known.get(head, ())) | {check.name for check in checks})
    last = dict(list(before.items())[-1:])
    services.ledger.put_document(spec.run_id, "ci-names", json.dumps({**last, head: names}))
    return tuple(name for names in last.values() for name in names)


def red_before(services: Services, spec: RunSpec, checks: Sequence[CiCheck]) -> tuple[str, ...]:
    """Names of the checks this run has ever seen red: none of them is green until it was seen green."""
    known = json.loads(services.ledger.document(spec.run_id, "ci-red") or "[]")
    red = sorted({*known, *(check.name for check in checks if check.state == "fail")})
    services.ledger.put_document(spec.run_id, "ci-red", json.dumps(red))
    return tuple(red)


def settled(services: Services, spec: RunSpec) -> tuple[str, ...]:
    """What earlier rounds of this run were told and dealt with, one line each."""
    return tuple(json.loads(services.ledger.document(spec.run_id, "settled") or "[]"))


def conventions(repository: TrustedRepository, base: str) -> str:
    """From the base, never from the head: the pull request must not write its own rules."""
    found = [(name, repository.read(base, name).strip()) for name in CONVENTIONS]
    told = "\n\n".join(f"# {name}\n{text}" for name, text in found if text)
    return told.encode()[:CONVENTIONS_BYTES].decode("utf-8", "ignore")


def change_facts(repository: TrustedRepository, title: str, sight: Sight) -> dict[str, object]:
    """What every reader of a pull request is told of it."""
    return {
        "title": title,
        "base_ref": sight.base_ref,
        "diff": cut_diff(repository.diff(sight.base, sight.head), DIFF_BYTES),
        "conventions": conventions(repository, sight.base),
        "files": repository.change(sight.base, sight.head).paths,
    }
