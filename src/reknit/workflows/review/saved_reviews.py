"""What a review run saves beside its checkpoints: the findings of each reviewer."""

from reknit.core.review.answer import SavedReview
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.saved_values import load_value, save_value


def save_review(services: Services, spec: RunSpec, reviewer: str, saved: SavedReview) -> SavedReview:
    return save_value(services, spec, _name(reviewer), saved)


def saved_review(services: Services, spec: RunSpec, reviewer: str) -> SavedReview | None:
    known = load_value(services, spec, _name(reviewer))
    return known if isinstance(known, SavedReview) else None


def _name(reviewer: str) -> str:
    return f"review-{reviewer}"
