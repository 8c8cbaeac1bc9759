"""Right repairs in real packages end FIXED: bugs taken back or written anew, and fixes at the edges of the rules."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.realworld.honest_fixes import HONEST_FIXES, HonestFix
from tests.realworld.injected_bugs import INJECTED_BUGS
from tests.realworld.real_project import Checkout, last_document

pytestmark = [pytest.mark.realworld, pytest.mark.timeout(7200)]

DOWNLOADS = Path(os.environ.get("REKNIT_DOWNLOADS", ".realworld")).resolve()
IN_CI = os.environ.get("REKNIT_REALWORLD") == "ci"
QUICK = ("iniconfig", 1, "rewritten")
REPAIRS = [
    HonestFix(f"{number}-{style}", project, (repair,))
    for project in INJECTED_BUGS
    for number, bug in enumerate(project.bugs, start=1)
    for style, repair in (("reverted", replace(bug, repair="")), ("rewritten", bug))
    if not IN_CI or (project.name, number, style) == QUICK
]
CHOSEN = REPAIRS if IN_CI else [*REPAIRS, *HONEST_FIXES]


@pytest.fixture(scope="module")
def checkouts() -> dict[str, Checkout]:
    """Keep the environment of a package, which takes longer to set up than a repair."""
    return {}


@pytest.mark.parametrize("fix", CHOSEN, ids=lambda fix: f"{fix.project.name}-{fix.shape}")
def test_a_right_repair_ends_fixed(
    fix: HonestFix, checkouts: dict[str, Checkout], tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = replace(fix.project, bugs=())
    key = f"{project.name} {project.shape}"
    if key not in checkouts:
        checkouts[key] = Checkout(project, tmp_path_factory.mktemp(project.name), DOWNLOADS)
    checkout = checkouts[key]
    checkout.start_over(fix.bugs)
    code, output = checkout.reknit("fix", "tests", *fix.tests, "--format", "json")
    ending = last_document(output)
    assert (ending["ending"], code) == ("FIXED", 0), (ending["reason"], ending["left"], ending["attempts"])
    assert len(ending["attempts"]) == 1
    is_taken_back = not any(bug.repair for bug in fix.bugs)
    assert (checkout.tree_of(ending["branch"]) == checkout.good_tree) == is_taken_back
