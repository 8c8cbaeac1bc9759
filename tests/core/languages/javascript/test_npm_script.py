import subprocess

import pytest

from reknit.core.languages.javascript.npm_script import parse_script
from reknit.core.languages.javascript.runners import parse_command


@pytest.mark.parametrize(
    ("scripts", "typed", "env"),
    [
        pytest.param({"test": "jest"}, "npx --no-install jest", {}, id="the runner alone"),
        pytest.param({"test": "eslint . && jest --ci src"}, "npx --no-install jest --ci src", {}, id="lint before it"),
        pytest.param({"test": "mocha; echo done"}, "npx --no-install mocha", {}, id="something after it"),
        pytest.param(
            {"test": "npm run lint && npm run unit -- --grep x", "lint": "jshint", "unit": "mocha test"},
            "npx --no-install mocha test --grep x",
            {},
            id="another script with more arguments",
        ),
        pytest.param({"test": "yarn unit", "unit": "vitest run"}, "npx --no-install vitest run", {}, id="yarn"),
        pytest.param({"test": "pnpm run -s unit", "unit": "jest"}, "npx --no-install jest", {}, id="pnpm"),
        pytest.param({"test": "npm t"}, "", {}, id="itself"),
        pytest.param({"test": "pnpm exec jest"}, "npx --no-install jest", {}, id="by the package manager"),
        pytest.param({"test": "npx -y jest a"}, "npx --no-install jest a", {}, id="npx"),
        pytest.param(
            {"test": "run-s lint test:*", "lint": "xo", "test:unit": "ava", "test:b": "mocha"},
            "npx --no-install mocha",
            {},
            id="run-s with a pattern",
        ),
        pytest.param(
            {"test": "npm-run-all --parallel lint unit", "unit": "jest"}, "npx --no-install jest", {}, id="npm-run-all"
        ),
        pytest.param(
            {"test": "cross-env NODE_ENV=test NODE_OPTIONS='--max-old-space-size=4096 -r x' jest"},
            "npx --no-install jest",
            {"NODE_ENV": "test", "NODE_OPTIONS": "--max-old-space-size=4096 -r x"},
            id="cross-env",
        ),
        pytest.param(
            {"test": "TZ=UTC npm run unit", "unit": "A=1 mocha"},
            "npx --no-install mocha",
            {"TZ": "UTC", "A": "1"},
            id="env",
        ),
        pytest.param({"test": "c8 --reporter lcov node --test"}, "node --test", {}, id="c8"),
        pytest.param({"test": "nyc --silent npm run unit", "unit": "mocha"}, "npx --no-install mocha", {}, id="nyc"),
        pytest.param(
            {"test": "node --experimental-vm-modules node_modules/.bin/jest"},
            "node --experimental-vm-modules node_modules/.bin/jest",
            {},
            id="jest started by node",
        ),
        pytest.param(
            {"test": "playwright test && vitest run"},
            "npx --no-install vitest run",
            {},
            id="browsers are the last choice",
        ),
        pytest.param({"test": "playwright test"}, "npx --no-install playwright test", {}, id="browsers alone"),
        pytest.param({"test": "tsc --noEmit && jest"}, "npx --no-install jest", {}, id="a type check builds nothing"),
    ],
)
def test_the_runner_is_found(scripts: dict[str, str], typed: str, env: dict[str, str]) -> None:
    found = parse_script(scripts, "package.json", parse_command)
    assert (found.typed if found else "") == typed
    assert found is None or dict(found.env) == {"CI": "true", **env} or found.runner == "playwright"


@pytest.mark.parametrize(
    "scripts",
    [
        {}, {"test": ""}, {"test": "make check"}, {"test": "jest | tee log"}, {"test": "jest $ARGS"},
        {"test": "jest 'x"},
        {"test": "npm run a", "a": "npm run b", "b": "npm run a"}, {"test": "npm install"}, {"test": "yarn"},
        {"test": "A=1"}, {"test": "c8 --all"}, {"test": "npm run"}, {"test": "python -m pytest"},
        {"test": "npm run s1", **{f"s{n}": f"npm run s{n + 1}" for n in range(1, 9)}, "s9": "jest"},
    ],
)  # fmt: skip
def test_nothing_is_guessed(scripts: dict[str, str]) -> None:
    assert parse_script(scripts, "package.json", parse_command) is None


@pytest.mark.parametrize(
    ("scripts", "before"),
    [
        ({"pretest": "npm run build", "test": "mocha", "build": "tsc | x"}, "npm run build"),
        ({"test": "xo && tsc -p . && cp a b && mocha"}, "npx --no-install tsc -p . && cp a b"),
        ({"test": "npm run all", "preall": "A=1 rimraf 'x y'", "all": "mocha"}, "A=1 npx --no-install rimraf 'x y'"),
    ],
)
def test_what_the_tests_need_is_built_before(scripts: dict[str, str], before: str) -> None:
    found = parse_script(scripts, "package.json", parse_command)
    assert found
    assert found.argv[0] == "node"
    assert found.argv[3:9] == ("--", f'{before} && exec "$@"', "npx", "--no-install", "mocha", "--reporter=json")
    assert found.typed == f"{before} && npx --no-install mocha"


@pytest.mark.parametrize(("build", "output", "code"), [("rm -f none", "a b|-c\n", 0), ("rm none", "", 1)])
def test_a_build_and_its_tests_run_as_one_command(build: str, output: str, code: int) -> None:
    found = parse_script({"test": f"{build} && mocha"}, "package.json", parse_command)
    assert found
    argv = (*found.argv[:5], "printf", "%s|%s\\n", "a b", "-c")
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (output, code)
