"""What needs the runner itself."""

import pytest

from reknit.core.languages.javascript.tamper_checks.support import find_unsupported
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Targets


def needed(text: str, wanted: str = "a", **files: str) -> str:
    named = {name.replace("_", "."): each for name, each in files.items()}
    return find_unsupported(parse_tree(text, "javascript"), Targets("vitest", (), named), [wanted])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("vi.useFakeTimers();", "vi.useFakeTimers"),
        ("jest.mock('./x');", "jest.mock"),
        ("t.mock.timers.enable();", "t.mock.timers"),
        ("expect.extend({});", "expect.extend"),
        ("expect(x).toMatchSnapshot();", "toMatchSnapshot"),
        ("expect(x).not.toBeVisible();", "toBeVisible"),
        ("test.fails('x', () => {});", "test.fails"),
        ("expect(x).resolves.toBe(1); vi.fn(); a.b.c(); f().x; expect(x).to.be.an('array').that.includes(1);", ""),
        ("other(x).toBeVisible(); x().y.toBeVisible();", ""),
    ],
)
def test_what_is_not_stood_in_for_is_named(line: str, expected: str) -> None:
    assert needed(f'test("a", () => {{ {line} }});') == expected
    assert needed(line) == expected


def test_what_another_test_needs_does_not_matter() -> None:
    text = 'test("b", () => { vi.useFakeTimers(); });'
    assert needed(text) == ""
    assert needed(text, "b") == "vi.useFakeTimers"
    assert needed(text, "b > inner") == "vi.useFakeTimers"
    assert needed("test(`${x}`, () => { vi.useFakeTimers(); });") == "vi.useFakeTimers"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("package.json", '{"test": "node --import ./setup.mjs --test"}', True),
        ("package.json", '{"test": "node --import tsx --test"}', False),
        ("package.json", '{"test": "mocha -r test/hooks.js"}', True),
        ("package.json", '{"test": "TZ=UTC node --test"}', True),
        ("package.json", '{"test": "node --env-file=.env --test"}', True),
        (".mocharc.yml", "require: test/hooks.js\n", True),
        (".mocharc.json", '{"spec": "test"}', False),
        ("src/index.js", 'export default { setupFiles: "x" }', False),
    ],
)
def test_files_that_run_before_the_tests_are_needed(path: str, text: str, expected: bool) -> None:
    said = find_unsupported(parse_tree("", "javascript"), Targets("mocha", (), {path: text}), [])
    assert said == ("files that set up its tests" if expected else "")


@pytest.mark.parametrize(
    ("text", "config", "expected"),
    [
        ("", 'export default { test: { environment: "jsdom" } };', "a browser's environment"),
        ("", 'export default { test: { environment: "node" } };', ""),
        ("", "export default { test: { restoreMocks: true } };", "mocks that it resets"),
        ("", 'export default { test: { setupFiles: ["./a.ts"] } };', "files that set up its tests"),
        ("// @vitest-environment happy-dom\n", "", "a browser's environment"),
        ("// @vitest-environment node\n", "", ""),
    ],
)
def test_an_environment_of_the_runner_is_not_stood_in_for(text: str, config: str, expected: str) -> None:
    assert needed(text, vitest_config_ts=config, README_md="environment: 'jsdom'") == expected
