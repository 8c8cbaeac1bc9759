from dataclasses import replace

import pytest

from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.causes import RedTest, find_cause, find_cause_of_no_result, find_causes
from reknit.core.services.service import Service

REFUSED = "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/\n    at a.spec.js:3:14"
PACKAGE = '{"scripts": {"start": "vite", "test": "playwright test"}}'
SPEC = "test('a', async ({ page }) => { await page.goto('http://localhost:3000/') })"
FACTS = TreeFacts(frozenset({"package.json", "a.spec.js"}), {"package.json": PACKAGE, "a.spec.js": SPEC})


def test_a_page_of_a_server_that_nobody_starts() -> None:
    cause = find_cause(REFUSED, FACTS, file="a.spec.js")
    assert (cause.verdict, cause.kind) == ("environment", "service")
    assert cause.sentence == "nothing listens on port 3000, where the tests open a page"
    assert cause.remedy.endswith('in reknit.toml: services = [{ run = "npm run start", ready = 3000 }]')


def test_without_a_script_a_place_is_left_for_the_command() -> None:
    assert '{ run = "COMMAND", ready = 3000 }' in find_cause(REFUSED, TreeFacts()).remedy


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("playwright.config.ts", "export default { webServer: { command: 'npm start' } }"),
        ("conftest.py", "import subprocess\n"),
        ("a.spec.js", "const server = http.createServer(app)"),
    ],
)
def test_a_server_that_the_tests_start_may_be_at_fault(path: str, text: str) -> None:
    assert find_cause(REFUSED, TreeFacts(texts={path: text}), file="a.spec.js").verdict == "code"


@pytest.mark.parametrize("ready", [3000, "curl -f http://localhost:3000/health"])
def test_a_service_that_was_ready_and_ended_is_at_fault(ready: int | str) -> None:
    facts = replace(FACTS, services=(Service("npm start", ready),))
    assert find_cause(REFUSED, facts, file="a.spec.js").verdict == "code"
    other = replace(FACTS, services=(Service("npm start", 4000),))
    assert find_cause(REFUSED, other, file="a.spec.js").verdict == "environment"


def test_an_address_that_is_not_named_explains_nothing() -> None:
    assert find_cause("Error: net::ERR_CONNECTION_REFUSED", FACTS).verdict == "code"


def test_a_failed_comparison_is_code_whatever_it_compares() -> None:
    assert find_cause("AssertionError: net::ERR_CONNECTION_REFUSED at http://localhost:3000", FACTS).verdict == "code"


SERVICE = "the service `npm start`"


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        (f"{SERVICE} ended with exit code 1 before it was ready; it printed:\nSyntaxError: app.js", "code"),
        (f"{SERVICE} ended with exit code 1 before it was ready; it printed:\nsh: 1: ffmpeg: not found", "environment"),
        (f"{SERVICE} was killed by signal 9 before it was ready; it printed:\nSyntaxError: app.js", "environment"),
        (f"{SERVICE} ended with exit code 137 before it was ready; it printed nothing", "environment"),
        (f"{SERVICE} was not ready within 5 s (port 3000); it printed nothing", "doubtful"),
    ],
)
def test_a_service_of_the_project_is_classed_by_what_it_printed(printed: str, verdict: str) -> None:
    assert find_causes([RedTest(SERVICE, printed)], FACTS, passed=0)[SERVICE].verdict == verdict


def test_a_well_known_server_that_does_not_start_is_the_environment() -> None:
    why = "the service `redis-server` ended with exit code 127 before it was ready"
    cause = find_cause_of_no_result(why, "AssertionError: 1 failed", FACTS)
    assert (cause.verdict, cause.sentence, cause.remedy) == ("environment", why, "`apt install redis-server`")
