"""The settings of a project: its folder is inside the repository, and its commands can be run."""

import pytest
from pydantic import ValidationError

from reknit.app.config.project_sections import ProjectSection, ServiceSection, TestsSection
from reknit.core.services.service import Service


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


def test_a_service_as_configured() -> None:
    section = ServiceSection(run=" npm run dev ", ready=3000, ready_s=5, env={"URL": "http://127.0.0.1:3000"})
    assert section.to_service() == Service("npm run dev", 3000, 5.0, (("URL", "http://127.0.0.1:3000"),))


def test_a_well_known_server_needs_nothing_else() -> None:
    assert ServiceSection(run="postgres").to_service() == Service("postgres")


def test_a_port_may_be_written_as_text() -> None:
    assert ServiceSection(run="npm start", ready="3000").ready == 3000


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"run": " "}, "names no program"),
        ({"run": "npm start"}, "needs `ready`"),
        ({"run": "npm start", "ready": 70_000}, "expected a port number"),
        ({"run": "npm start", "ready": -1}, "expected a port number"),
        ({"run": "npm start", "ready": " "}, "expected a port number"),
        ({"run": "npm start", "ready": 1, "ready_s": 0}, "greater than 0"),
        ({"run": "npm start", "ready": 1, "ready_s": 601}, "less than or equal to 600"),
        ({"run": "npm start", "ready": 1, "env": {"A-B": "c"}}, "'A-B' is not the name"),
        ({"run": "npm start", "ready": 1, "Env": {}}, "Extra inputs"),
        ({"ready": 1}, "names no program"),
    ],
)
def test_what_cannot_work_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ServiceSection.model_validate(given)
