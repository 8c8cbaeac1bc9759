"""What real projects merged as the fix of a bug ends FIXED: neither a rule nor a tamper check refuses it."""

import os
from pathlib import Path

import pytest

from tests.realworld.merged_fix import MergedFix
from tests.realworld.merged_fixes import MERGED_FIXES
from tests.realworld.real_project import Checkout, last_document

pytestmark = [pytest.mark.realworld, pytest.mark.timeout(7200)]

DOWNLOADS = Path(os.environ.get("REKNIT_DOWNLOADS", ".realworld")).resolve()
CHOSEN = [fix for fix in MERGED_FIXES if fix.in_ci or os.environ.get("REKNIT_REALWORLD") != "ci"]


@pytest.mark.parametrize("fix", CHOSEN, ids=lambda fix: fix.id)
def test_a_merged_fix_is_not_refused(fix: MergedFix, tmp_path: Path) -> None:
    checkout = Checkout(fix.project(DOWNLOADS, tmp_path / "releases"), tmp_path, DOWNLOADS)
    code, output = checkout.reknit("fix", "tests", "--format", "json")
    ending = last_document(output)
    assert (ending["ending"], code) == ("FIXED", 0), (ending["reason"], ending["left"], ending["attempts"])
    assert checkout.tree_of(ending["branch"]) == checkout.good_tree
