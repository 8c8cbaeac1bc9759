import json

import pytest

from reknit.core.languages.javascript.project import add_requested_suites, find, find_browser_suites
from reknit.core.languages.registry import recognise
from reknit.core.projects.find import choose_projects, find_project, find_projects
from reknit.core.testing.command import Files, to_command_line


def _found(package: object, *others: str) -> list[str]:
    files = {"package.json": json.dumps(package), **dict.fromkeys(others)}
    return [command.typed or " ".join(command.argv) for command in find(files, recognise)]


@pytest.mark.parametrize(
    ("package", "others", "typed"),
    [
        ({"scripts": {"test": "mocha"}, "devDependencies": {"jest": "1"}}, (), ["npx --no-install mocha"]),
        ({"scripts": {"test": "grunt"}, "devDependencies": {"vitest": "1"}}, (), ["npx --no-install vitest"]),
        ({"scripts": {"test": "ava"}, "devDependencies": {"jest": "1"}}, (), ["npm test"]),
        ({"scripts": {"test": "c8 npx tape test/*.js"}, "devDependencies": {"vitest": "1"}}, (), ["npm test"]),
        ({"dependencies": {"jest": "1"}}, (), ["npx --no-install jest"]),
        ({"scripts": {"test": "grunt"}}, ("pnpm-lock.yaml", ".mocharc.json"), ["pnpm test"]),
        ({"scripts": {"test": "grunt"}}, ("yarn.lock",), ["yarn test"]),
        ({"scripts": {"test": "grunt"}}, (), ["npm test"]),
        ({"name": "x"}, (".mocharc.yml",), ["npx --no-install mocha"]),
        ({"name": "x"}, ("playwright.config.ts",), ["npx --no-install playwright test"]),
        ({"name": "x"}, (), []),
        ({"scripts": {"test": "no test specified"}}, (), []),
        ({"scripts": {"test": 1}, "dependencies": []}, (), []),
        ([], ("playwright.config.ts",), []),
    ],
)
def test_script_then_packages_then_settings(package: object, others: tuple[str, ...], typed: list[str]) -> None:
    assert _found(package, *others) == typed


@pytest.mark.parametrize("text", [None, "{", "[" * 100_000])
def test_a_broken_manifest_has_no_tests(text: str | None) -> None:
    assert list(find({"package.json": text}, recognise)) == []


@pytest.mark.parametrize(
    ("version", "is_known"),
    [("^2.1.0", False), ("5", False), ("~5.2", False), (">= 3 < 4", False), ("^10.2.0", True), ("6.0.0", True),
     ("*", True), ("latest", True), (None, True)],
)  # fmt: skip
def test_an_old_mocha_gets_no_option_that_it_does_not_know(version: object, *, is_known: bool) -> None:
    package = {"scripts": {"test": "mocha"}, "devDependencies": {"mocha": version}}
    (command,) = find({"package.json": json.dumps(package)}, recognise)
    assert ("--no-bail" in command.argv) == is_known


SPEC = 'import { test } from "@playwright/test";\n'
CONFIG = 'export default defineConfig({ testDir: "./e2e" });\n'
ANGULAR = json.dumps({"scripts": {"test": "ng test"}, "devDependencies": {"@playwright/test": "1"}})


def package(**scripts: str) -> str:
    return json.dumps({"scripts": scripts})


def commands(files: Files) -> list[tuple[str, str]]:
    projects = [first for first, *_ in find_projects(files)]
    return [(to_command_line(command), " ".join(command.within)) for command in find_browser_suites(files, projects)]


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
    known = add_requested_suites(projects, find_browser_suites(FILES, projects), named)
    assert [command.runner for command in choose_projects(known, "", list(named))] == runners


def test_each_test_has_its_runner() -> None:
    projects = [first for first, *_ in find_projects(FILES)]
    known = add_requested_suites(
        projects, find_browser_suites(FILES, projects), {"web/ui/a.spec.ts": SPEC, "web/ui/x/b.spec.ts": SPEC}
    )
    runners = [find_project(test, known) for test in ("web/ui/x/b.spec.ts::b", "web/src/a.test.ts::a")]
    assert [command and command.runner for command in runners] == ["playwright", "vitest"]
    alone = known[1:]
    assert find_project("web/other/c.spec.ts::c", alone) == alone[0], "a suite that runs alone has all that it reports"
