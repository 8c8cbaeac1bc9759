import json

import pytest

from reknit.core.testing.runners.javascript_project import find


def _found(package: object, *others: str) -> list[str]:
    files = {"package.json": json.dumps(package), **dict.fromkeys(others)}
    return [command.typed or " ".join(command.argv) for command in find(files)]


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
    assert list(find({"package.json": text})) == []


@pytest.mark.parametrize(
    ("version", "is_known"),
    [("^2.1.0", False), ("5", False), ("~5.2", False), (">= 3 < 4", False), ("^10.2.0", True), ("6.0.0", True),
     ("*", True), ("latest", True), (None, True)],
)  # fmt: skip
def test_an_old_mocha_gets_no_option_that_it_does_not_know(version: object, *, is_known: bool) -> None:
    package = {"scripts": {"test": "mocha"}, "devDependencies": {"mocha": version}}
    (command,) = find({"package.json": json.dumps(package)})
    assert ("--no-bail" in command.argv) == is_known
