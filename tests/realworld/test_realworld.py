"""In real projects: the same results in the box as outside, and the right fix ends FIXED without any configuration."""

import os
import re
from pathlib import Path

import pytest

from tests.realworld.catalog import PROJECTS
from tests.realworld.real_project import Checkout, RealProject, last_document

pytestmark = [pytest.mark.realworld, pytest.mark.timeout(7200)]

DOWNLOADS = Path(os.environ.get("REKNIT_DOWNLOADS", ".realworld")).resolve()
SAME = re.compile(r"compare +(\d+) of (\d+) tests have the same result outside the box")
CHOSEN = [project for project in PROJECTS if project.in_ci or os.environ.get("REKNIT_REALWORLD") != "ci"]


@pytest.mark.parametrize("project", CHOSEN, ids=lambda project: project.name)
def test_a_project_is_repaired_or_what_it_lacks_is_said(project: RealProject, tmp_path: Path) -> None:
    checkout = Checkout(project, tmp_path, DOWNLOADS)
    if project.blocked:
        _is_blocked(checkout, project.blocked)
    else:
        _has_the_same_results_in_the_box(checkout)
        _is_repaired(checkout)


def _has_the_same_results_in_the_box(checkout: Checkout) -> None:
    code, output = checkout.reknit("doctor", "--compare")
    same = SAME.search(output)
    assert same, output
    assert same[1] == same[2], output
    assert code == 0, output


def _is_repaired(checkout: Checkout) -> None:
    code, output = checkout.reknit("fix", "tests", "--format", "json")
    ending = last_document(output)
    assert (ending["ending"], code) == ("FIXED", 0), (ending["reason"], ending["left"], ending["attempts"])
    assert len(ending["attempts"]) == len(checkout.project.bugs)
    assert checkout.tree_of(ending["branch"]) == checkout.good_tree


def _is_blocked(checkout: Checkout, sentence: str) -> None:
    _, output = checkout.reknit("fix", "tests", "--format", "json")
    ending = last_document(output)
    assert ending["ending"] == "BLOCKED", ending["reason"]
    assert sentence in output
    assert ending["attempts"] == []
