"""The settings of a project: its folder is inside the repository, and its commands can be run."""

import pytest
from pydantic import ValidationError

from reknit.app.config.project_sections import ProjectSection, TestsSection


@pytest.mark.parametrize(
    ("given", "folder"), [("backend", "backend"), ("./backend/", "backend"), (".", ""), ("a/../b", "b")]
)
def test_a_folder_is_named_from_the_top(given: str, folder: str) -> None:
    assert ProjectSection(folder=given).folder == folder


@pytest.mark.parametrize("folder", ["", "/etc", "..", "a/../../b", ".git", "sub/.git/hooks"])
def test_no_other_folder_is_accepted(folder: str) -> None:
    with pytest.raises(ValidationError, match="expected a folder of the repository"):
        ProjectSection(folder=folder)


@pytest.mark.parametrize("setting", [{"run": "cd / && pytest"}, {"run": "pytest | tee log"}, {"report": "../x.xml"}])
def test_commands_that_cannot_be_run_are_refused(setting: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        TestsSection(**setting)
