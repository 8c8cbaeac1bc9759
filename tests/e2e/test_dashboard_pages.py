"""The pages of the dashboard in Chromium: readable for everybody, in two widths and colours, and nothing is blocked."""

import json
import subprocess
from pathlib import Path

import pytest

from reknit.core.runs.event import Event
from reknit.interfaces.web.access import LocalAccess
from tests.interfaces.web.visiting import AT_WORK, BLOCKED, PARKED, visited
from tests.tools.project_files import ROOT

pytestmark = [pytest.mark.e2e]

PATHS = ["/", "/inbox", "/fixes", "/spend", "/runs", "/audit", f"/runs/{AT_WORK}", f"/runs/{BLOCKED}", "/runs/r-none"]
VIEWS = [
    {"name": "wide", "width": 1180, "scheme": "light"},
    {"name": "wide-dark", "width": 1180, "scheme": "dark"},
    {"name": "phone", "width": 390, "scheme": "light"},
    {"name": "phone-dark", "width": 390, "scheme": "dark"},
]


def look(**order: object) -> dict[str, object]:
    script = ROOT / "tests" / "tools" / "look_at_pages.mjs"
    done = subprocess.run(
        ["node", str(script), json.dumps(order)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=150
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_every_page_is_readable_in_both_widths_and_colours(tmp_path: Path) -> None:
    """To look at them yourself, name a `folder` for the pictures."""
    with visited(tmp_path) as place:
        assert isinstance(place.access, LocalAccess)
        place.ledger.put_event(PARKED, "long", Event("x", "note", "x", "w" * 500))
        enter = f"http://127.0.0.1:{place.server.port}/enter?token={place.access.token}"
        found = look(enter=enter, paths=PATHS, views=VIEWS, folder="")
    pages = found["pages"]
    assert isinstance(pages, list)
    assert len(pages) == len(PATHS) * len(VIEWS)
    assert [page for page in pages if page["serious"] or page["overflow"] > 0] == []
    problems = found["problems"]
    assert isinstance(problems, list)
    assert [problem for problem in problems if "404" not in problem] == []
    assert found["script_cookie"] == ""


def test_a_page_that_is_open_changes_by_itself(tmp_path: Path) -> None:
    with visited(tmp_path) as place:
        assert isinstance(place.access, LocalAccess)
        enter = f"http://127.0.0.1:{place.server.port}/enter?token={place.access.token}"
        script = ROOT / "tests" / "tools" / "wait_for_text.mjs"
        order = json.dumps({"enter": enter, "path": f"/runs/{AT_WORK}", "text": "it became live"})
        with subprocess.Popen(["node", str(script), order], cwd=ROOT, stdout=subprocess.PIPE, text=True) as browser:
            assert browser.stdout is not None
            assert browser.stdout.readline() == "open\n"
            place.ledger.put_event(AT_WORK, "z", Event("x", "note", "x", "it became live"))
            assert browser.stdout.readline() == "there\n"
