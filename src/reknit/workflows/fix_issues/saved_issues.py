"""What `fix issues` saves beside its checkpoints."""

from reknit.core.issues.model import Issue
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services

NAME = "issues"


def keep_issues(services: Services, spec: RunSpec, issues: tuple[Issue, ...]) -> None:
    """As they were when the run claimed them: later changes in the ledger do not affect its work."""
    services.ledger.put_document(spec.run_id, NAME, CODEC.serialize(issues))


def kept_issues(services: Services, spec: RunSpec) -> tuple[Issue, ...]:
    found: tuple[Issue, ...] = CODEC.deserialize(services.ledger.document(spec.run_id, NAME))
    return found
