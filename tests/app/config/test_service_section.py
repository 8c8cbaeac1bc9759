import pytest
from pydantic import ValidationError

from reknit.app.config.service_section import ServiceSection
from reknit.core.services.service import Service


def test_a_service_as_configured() -> None:
    section = ServiceSection(run=" npm run dev ", ready=3000, ready_s=5, env={"URL": "http://127.0.0.1:3000"})
    assert section.service() == Service("npm run dev", 3000, 5.0, (("URL", "http://127.0.0.1:3000"),))


def test_a_well_known_server_needs_nothing_else() -> None:
    assert ServiceSection(run="postgres").service() == Service("postgres")


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
