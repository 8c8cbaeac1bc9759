"""What a reviewer said stays with its run."""

from dataclasses import replace
from pathlib import Path

from reknit.core.review.answer import NumberedFinding, SavedReview
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.workflows.review.saved_reviews import save_review, saved_review
from tests.tools.step_services import step_services

FOUND = ListedFinding("COR-001", "logic", "mean of nothing", "app/m1.py", 6, "It divides by zero.", "return 0")


def test_it_is_found_by_run_and_reviewer(tmp_path: Path, shop: Path) -> None:
    said = SavedReview("NEEDS_WORK", (NumberedFinding(FOUND, 7, 4),), dropped=1, silenced=2)
    with step_services(tmp_path, shop) as (services, spec):
        assert saved_review(services, spec, "correctness") is None
        assert save_review(services, spec, "correctness", said) == said
        assert saved_review(services, spec, "correctness") == said
        assert saved_review(services, spec, "security") is None
        assert saved_review(services, replace(spec, run_id="r-other"), "correctness") is None
