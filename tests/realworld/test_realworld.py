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


@pytest.mark.parametrize(
    "project", [project for project in CHOSEN if not project.blocked], ids=lambda project: project.name
)
def test_the_right_fix_is_proven(project: RealProject, tmp_path: Path) -> None:
    checkout = Checkout(project, tmp_path, DOWNLOADS)

    code, output = checkout.reknit("doctor", "--compare")
    same = SAME.search(output)
    assert same, output
    assert same[1] == same[2], output
    assert code == 0, output

    code, output = checkout.reknit("fix", "tests", "--format", "json")
    ending = last_document(output)
    assert (ending["ending"], code) == ("FIXED", 0), (ending["reason"], ending["left"], ending["attempts"])
    assert len(ending["attempts"]) == len(project.bugs)
    assert checkout.tree_of(ending["branch"]) == checkout.good_tree


@pytest.mark.parametrize(
    "project", [project for project in CHOSEN if project.blocked], ids=lambda project: project.name
)
def test_what_cannot_run_here_is_said_before_an_agent_is_called(project: RealProject, tmp_path: Path) -> None:
    checkout = Checkout(project, tmp_path, DOWNLOADS)
    _, output = checkout.reknit("fix", "tests", "--format", "json")
    ending = last_document(output)
    assert ending["ending"] == "BLOCKED", ending["reason"]
    assert str(project.blocked) in output
    assert ending["attempts"] == []
