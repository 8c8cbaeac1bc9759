import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.testing.command import TestCommand
from reknit.core.testing.detect import MANIFESTS, detect, project_root

PYTEST = TestCommand(
    "pytest",
    (
        "python",
        "-m",
        "pytest",
        "-q",
        "--rootdir=.",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "-o",
        "junit_family=xunit1",
        "--junitxml={outbox}/report.xml",
        "--maxfail=0",
    ),
    "junit",
    "{outbox}/report.xml",
    ("{id}",),
)


def _package(**content: object) -> dict[str, str | None]:
    return {"package.json": json.dumps(content)}


@pytest.mark.parametrize(
    ("files", "origin"),
    [
        pytest.param({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pyproject.toml", id="pyproject"),
        pytest.param({"pyproject.toml": "[tool.pytest]\nx = 1\n"}, "pyproject.toml", id="pyproject-native"),
        pytest.param({"pytest.ini": ""}, "pytest.ini", id="pytest-ini"),
        pytest.param({".pytest.toml": None}, ".pytest.toml", id="hidden-toml"),
        pytest.param({"tox.ini": "[tox]\n[pytest]\n"}, "tox.ini", id="tox"),
        pytest.param({"setup.cfg": "[metadata]\n[tool:pytest]\n"}, "setup.cfg", id="setup-cfg"),
        pytest.param({"tests/unit/test_b.py": None, "tests/test_a.py": None}, "tests/test_a.py", id="test-files"),
        pytest.param({"pyproject.toml": "[broken", "shop_test.py": None}, "shop_test.py", id="broken-manifest"),
    ],
)
def test_pytest_is_found(files: dict[str, str | None], origin: str) -> None:
    command = detect(files)[0]
    assert command.origin == origin
    assert (command.runner, command.argv, command.evidence, command.report, command.select) == (
        PYTEST.runner,
        PYTEST.argv,
        PYTEST.evidence,
        PYTEST.report,
        PYTEST.select,
    )


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"pyproject.toml": "[tool.ruff]\n", "src/a.py": None},
        {"tool": "", "pyproject.toml": "tool = 1\n"},
        {"setup.cfg": "[metadata]\n", "tox.ini": "[tox]\n"},
        {"node_modules/x/test_a.py": None, "src/latest.py": None},
        {"package.json": "[]"},
        {"package.json": "{"},
        {"package.json": None},
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        {"package.json": '{"scripts": 1, "dependencies": []}'},
        {"Makefile": "test := 1\ntesting:\n\techo\n"},
        {"web/go.mod": ""},
    ],
)
def test_nothing_is_guessed(files: dict[str, str | None]) -> None:
    assert detect(files) == ()


@pytest.mark.parametrize(
    ("files", "runner", "argv", "evidence", "report"),
    [
        pytest.param(
            _package(devDependencies={"vitest": "3"}),
            "vitest",
            "npx --no-install vitest run --reporter=default --reporter=junit --outputFile.junit={outbox}/report.xml "
            "--coverage.enabled=false --bail=0",
            "junit",
            "{outbox}/report.xml",
            id="vitest",
        ),
        pytest.param(
            _package(dependencies={"jest": "30"}),
            "jest",
            "npx --no-install jest --ci --json --outputFile={outbox}/report.json --coverage=false --bail=0",
            "report",
            "{outbox}/report.json",
            id="jest",
        ),
        pytest.param(_package(scripts={"test": "x"}), "npm", "npm test", "exit code", "", id="npm"),
        pytest.param(
            {**_package(scripts={"test": "x"}), "pnpm-lock.yaml": None}, "npm", "pnpm test", "exit code", "", id="pnpm"
        ),
        pytest.param(
            {**_package(scripts={"test": "x"}), "yarn.lock": None}, "npm", "yarn test", "exit code", "", id="yarn"
        ),
        pytest.param({"go.mod": ""}, "go", "go test -json {whole}./...", "report", "{stdout}", id="go"),
        pytest.param(
            {"Cargo.toml": ""},
            "cargo",
            "cargo test --offline --no-fail-fast --message-format=json --",
            "report",
            "{stdout}",
            id="cargo",
        ),
        pytest.param(
            {"pom.xml": ""}, "maven", "mvn -o -q test", "junit", "**/target/surefire-reports/*.xml", id="maven"
        ),
        pytest.param(
            {"build.gradle": ""},
            "gradle",
            "gradle --offline --continue test",
            "junit",
            "**/build/test-results/**/*.xml",
            id="gradle",
        ),
        pytest.param(
            {"build.gradle.kts": "", "gradlew": None},
            "gradle",
            "sh gradlew --offline --continue test",
            "junit",
            "**/build/test-results/**/*.xml",
            id="gradle-wrapper",
        ),
        pytest.param({"Makefile": "all: x\n\ntest: build\n\t./run\n"}, "make", "make test", "exit code", "", id="make"),
        pytest.param({"Makefile": "check: all\n"}, "make", "make check", "exit code", "", id="make-check"),
        pytest.param({"Makefile": "check:\ntest:\n"}, "make", "make test", "exit code", "", id="make-test-and-check"),
        pytest.param(
            {"GNUmakefile": "x:\n", "makefile": "test :\n"}, "make", "make test", "exit code", "", id="other-makefile"
        ),
    ],
)
def test_other_runners_are_found(
    files: dict[str, str | None], runner: str, argv: str, evidence: str, report: str
) -> None:
    [command] = detect(files)
    assert (command.runner, " ".join(command.argv), command.evidence, command.report) == (
        runner,
        argv,
        evidence,
        report,
    )
    assert command.origin in files


@pytest.mark.parametrize(
    ("files", "runners"),
    [
        pytest.param(
            {"pyproject.toml": "", "test_a.py": None, "go.mod": ""},
            ["pytest", "unittest", "go"],
            id="a-python-project-first",
        ),
        pytest.param(
            {"tools/test_a.py": None, "go.mod": ""}, ["go", "pytest", "unittest"], id="test-files-of-a-side-script-last"
        ),
        pytest.param({"pytest.ini": None, "go.mod": ""}, ["pytest", "go"], id="configured-counts"),
        pytest.param(
            {"test_a.py": None, "Makefile": "test:\n"}, ["pytest", "unittest", "make"], id="make-is-the-last-resort"
        ),
    ],
)
def test_the_best_comes_first(files: dict[str, str | None], runners: list[str]) -> None:
    assert [command.runner for command in detect(files)] == runners


def test_every_manifest_that_is_read_is_asked_for() -> None:
    assert {"pyproject.toml", "setup.cfg", "tox.ini", "package.json", "Makefile", "requirements-dev.txt"} <= set(
        MANIFESTS
    )
    assert len(MANIFESTS) == len(set(MANIFESTS))


@pytest.mark.parametrize(
    ("test_file", "tracked", "root"),
    [
        pytest.param("tests/test_a.py", ["pyproject.toml", "tests/test_a.py"], "", id="at-the-root"),
        pytest.param("api/tests/test_a.py", ["api/pyproject.toml", "pyproject.toml"], "api", id="nearest-wins"),
        pytest.param("a/b/c/x.test.ts", ["a/package.json", "a/b/package.json"], "a/b", id="deeper-nearest"),
        pytest.param(
            "api/tests/test_a.py",
            ["api/tests/package.json", "api/setup.py"],
            "api",
            id="a-manifest-of-tests-is-passed-by",
        ),
        pytest.param("api/tests/test_a.py", [], "", id="no-manifest"),
        pytest.param("test_a.py", ["pyproject.toml"], "", id="test-at-the-root"),
        pytest.param("apiary/test_a.py", ["api/go.mod"], "", id="a-similar-name"),
        pytest.param("/x/test_a.py", ["go.mod"], "", id="odd-path"),
        pytest.param("", ["go.mod"], "", id="no-path"),
    ],
)
def test_the_project_of_a_test(test_file: str, tracked: list[str], root: str) -> None:
    assert project_root(test_file, tracked) == root


@given(st.dictionaries(st.sampled_from([*MANIFESTS, "tests/test_a.py"]), st.none() | st.text(max_size=60)))
def test_detecting_never_raises(files: dict[str, str | None]) -> None:
    assert detect(files) == detect(files)
