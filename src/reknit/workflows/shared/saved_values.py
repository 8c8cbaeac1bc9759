"""Values that a run saves as documents: too large for a checkpoint, or needed again."""

from typing import TypeVar

from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services

T = TypeVar("T")


def save_value(services: Services, spec: RunSpec, name: str, value: T, errors: int = 0) -> T:
    """An error is saved separately, under the number of earlier errors: the next try may succeed."""
    failed = getattr(value, "status", "") == "error"
    services.ledger.put_document(spec.run_id, f"{name}-error-{errors}" if failed else name, CODEC.serialize(value))
    return value


def load_value(services: Services, spec: RunSpec, name: str, errors: int = 0) -> object | None:
    found = services.ledger.document(spec.run_id, name) or services.ledger.document(
        spec.run_id, f"{name}-error-{errors}"
    )
    return CODEC.deserialize(found) if found else None
