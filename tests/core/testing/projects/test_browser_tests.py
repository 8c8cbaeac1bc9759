"""Playwright suites beside other tests: found, and used only for tests of theirs that are named."""

import json

import pytest

from reknit.core.testing.command_line import as_typed
from reknit.core.testing.detect import Files
from reknit.core.testing.projects.browser_tests import browser_tests, with_named
from reknit.core.testing.projects.find import choose, find_projects, project_of

SPEC = 'import { test } from "@playwright/test";\n'
CONFIG = 'export default defineConfig({ testDir: "./e2e" });\n'
ANGULAR = json.dumps({"scripts": {"test": "ng test"}, "devDependencies": {"@playwright/test": "1"}})


def package(**scripts: str) -> str:
    return json.dumps({"scripts": scripts})


def commands(files: Files) -> list[tuple[str, str]]:
    projects = [first for first, *_ in find_projects(files)]
    return [(as_typed(command), " ".join(command.within)) for command in browser_tests(files, projects)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({"package.json": ANGULAR}, [], id="none"),
        pytest.param({"node_modules/a/playwright.config.ts": CONFIG}, [], id="of-others"),
        pytest.param(
            {"web/package.json": ANGULAR, "web/playwright.config.ts": CONFIG},
            [("cd web && npx --no-install playwright test", "e2e")],
            id="beside-a-suite-of-another-runner",
        ),
        pytest.param(
            {"web/package.json": package(test="playwright test"), "web/playwright.config.ts": CONFIG},
            [],
            id="the-project-runs-it",
        ),
        pytest.param(
            {"package.json": ANGULAR, "ui/playwright.config.js": "module.exports = {};\n"},
            [("npx --no-install playwright test --config=ui/playwright.config.js", "ui")],
            id="settings-in-a-folder-of-the-package",
        ),
        pytest.param(
            {"e2e/package.json": "{}", "e2e/playwright.config.ts": "export default {};\n"},
            [("cd e2e && npx --no-install playwright test", "")],
            id="a-package-in-a-folder-of-tests",
        ),
        pytest.param(
            {"e2e/playwright.config.ts": CONFIG},
            [("cd e2e && npx --no-install playwright test", "e2e")],
            id="without-a-package",
        ),
        pytest.param(
            {"package.json": ANGULAR, "playwright.config.ts": "[{ testDir: 'a/x' }, { testDir: `a/y` }]"},
            [("npx --no-install playwright test", "a/x a/y")],
            id="several-folders-of-tests",
        ),
        pytest.param(
            {"package.json": ANGULAR, "playwright.config.ts": "{ testDir: '../all' }"},
            [("npx --no-install playwright test", "")],
            id="tests-outside-the-package",
        ),
        pytest.param({"package.json": "no JSON", "playwright.config.ts": None}, 1, id="damaged"),
    ],
)
def test_suites_that_no_project_runs(files: Files, expected: list[tuple[str, str]] | int) -> None:
    found = commands(files)
    assert len(found) == expected if isinstance(expected, int) else found == expected


@pytest.mark.parametrize(
    ("scripts", "typed"),
    [
        pytest.param({"e2e": "npm run build && playwright test"}, "npm run build && npx --no-install playwright test"),
        pytest.param({"a": "playwright test --project=x", "b": "playwright test"}, "npx --no-install playwright test"),
        pytest.param({"a": "playwright test -u", "b": "eslint ."}, "npx --no-install playwright test"),
        pytest.param({"a": "playwright test -c other.config.ts"}, "npx --no-install playwright test"),
        pytest.param({"a": "playwright test -c"}, "npx --no-install playwright test"),
        pytest.param(
            {"a": "playwright test --config=./playwright.config.ts"},
            "npx --no-install playwright test --config=./playwright.config.ts",
        ),
    ],
)
def test_the_script_of_the_package_is_used_if_it_runs_these_tests(scripts: dict[str, str], typed: str) -> None:
    files = {"package.json": package(test="ng test", **scripts), "playwright.config.ts": CONFIG}
    assert [found for found, _ in commands(files)] == [typed]


FILES = {"web/package.json": package(test="vitest run"), "web/playwright.config.ts": CONFIG}


@pytest.mark.parametrize(
    ("named", "runners"),
    [
        pytest.param({"web/src/a.test.ts": "import { test } from 'vitest'"}, ["vitest"], id="a-unit-test"),
        pytest.param({"web/e2e/a.spec.ts": "import { test } from './fixtures'"}, ["playwright"], id="by-its-folder"),
        pytest.param({"web/e2e": ""}, ["playwright"], id="the-folder"),
        pytest.param({"web": ""}, ["vitest"], id="the-project"),
        pytest.param({"web/ui/a.spec.ts::opens": SPEC}, ["playwright"], id="by-its-text"),
        pytest.param({"web/e2e/a.spec.ts": SPEC, "web/src/a.test.ts": ""}, ["vitest", "playwright"], id="one-of-each"),
        pytest.param({"web/ui/a.spec.ts": SPEC, "web/src/a.test.ts": ""}, ["vitest", "playwright"], id="each-by-text"),
        pytest.param({"web/a.spec.ts": SPEC, "web/b.test.ts": ""}, ["vitest", "playwright"], id="in-one-folder"),
        pytest.param({"lib/a.spec.ts": SPEC}, ["vitest"], id="elsewhere"),
    ],
)
def test_a_suite_is_run_for_the_tests_that_are_named(named: dict[str, str], runners: list[str]) -> None:
    projects = [first for first, *_ in find_projects(FILES)]
    known = with_named(projects, browser_tests(FILES, projects), named)
    assert [command.runner for command in choose(known, "", list(named))] == runners


def test_each_test_has_its_runner() -> None:
    projects = [first for first, *_ in find_projects(FILES)]
    known = with_named(projects, browser_tests(FILES, projects), {"web/ui/a.spec.ts": SPEC, "web/ui/x/b.spec.ts": SPEC})
    runners = [project_of(test, known) for test in ("web/ui/x/b.spec.ts::b", "web/src/a.test.ts::a")]
    assert [command and command.runner for command in runners] == ["playwright", "vitest"]
    alone = known[1:]
    assert project_of("web/other/c.spec.ts::c", alone) == alone[0], "a suite that runs alone has all that it reports"
