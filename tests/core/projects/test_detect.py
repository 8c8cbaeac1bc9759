import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.languages.registry import recognise
from reknit.core.projects.detect import detect, find_project_root, list_manifests, parse_user_command
from reknit.core.testing.command import TestCommand, to_command_line

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
        list_manifests()
    )
    assert len(list_manifests()) == len(set(list_manifests()))


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
    assert find_project_root(test_file, tracked) == root


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*list_manifests(), "tests/test_a.py"]), st.none() | st.text(max_size=60)))
def test_detecting_never_raises(files: dict[str, str | None]) -> None:
    assert detect(files) == detect(files)


FLAGS = (
    "--rootdir=.",
    "--continue-on-collection-errors",
    "-p",
    "no:cacheprovider",
    "-o",
    "junit_family=xunit1",
    "--junitxml={outbox}/report.xml",
)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        pytest.param("pytest -q", ("pytest",), ("-q",), id="pytest"),
        pytest.param("/usr/bin/py.test", ("/usr/bin/py.test",), (), id="by-path"),
        pytest.param(
            "python3.12 -m pytest tests/unit -k 'a and (b)'",
            ("python3.12", "-m", "pytest"),
            ("tests/unit", "-k", "a and (b)"),
            id="module",
        ),
        pytest.param("uv run pytest -x", ("uv", "run", "pytest"), ("-x",), id="launcher"),
        pytest.param(
            "poetry run python -m pytest", ("poetry", "run", "python", "-m", "pytest"), (), id="launcher-and-module"
        ),
        pytest.param(
            "pytest --junitxml=a.xml -q --junit-xml b.xml x", ("pytest",), ("-q", "x"), id="own-report-is-replaced"
        ),
    ],
)
def test_pytest_gets_reports_and_selection(text: str, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    command = parse_user_command(text, "")
    assert command.argv == (*before, *FLAGS, *after, "--maxfail=0")
    assert (command.runner, command.evidence, command.report) == ("pytest", "junit", "{outbox}/report.xml")
    assert (command.select, command.origin) == (("{id}",), "checks.tests.run")


@pytest.mark.parametrize(
    "text", ["./run-tests.sh --all", "uv run", "uv pytest", "npm test", "python tests.py", "python -m"]
)
def test_another_command_is_judged_by_its_exit_code(text: str) -> None:
    command = parse_user_command(text, "")
    assert (command.runner, command.argv, command.evidence) == ("command", tuple(text.split()), "exit code")
    assert command.select == ()


@pytest.mark.parametrize("report", ["build/*.xml", "{outbox}/x.xml", "**/report..xml"])
def test_a_report_of_the_users_own_is_read(report: str) -> None:
    command = parse_user_command("pytest -q", report)
    assert (command.runner, command.argv, command.evidence, command.report) == (
        "command",
        ("pytest", "-q"),
        "junit",
        report,
    )


@pytest.mark.parametrize("report", ["/tmp/x.xml", "../x.xml", "{outbox}/../x.xml", "a/../../x.xml"])
def test_a_report_outside_is_refused(report: str) -> None:
    with pytest.raises(ValueError, match=r"must name files below the repository"):
        parse_user_command("pytest", report)


def test_leading_assignments_become_the_environment() -> None:
    command = parse_user_command("DEBUG=1 MODE='a b' ./run X=1")
    assert command.env == (("DEBUG", "1"), ("MODE", "a b"))
    assert command.argv == ("./run", "X=1")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("pytest | tee log", "'|'"),
        ("cd x && pytest && true", "'&&'"),
        ("cd x; pytest", "';'"),
        ("pytest && cd x", "'&&'"),
        ("pytest; true", "';'"),
        ("pytest || true", "'||'"),
        ("pytest > out", "'>'"),
        ("pytest &", "'&'"),
        ("pytest $ARGS", "'$'"),
        ("pytest `args`", "'`'"),
        ("(pytest)", "'('"),
    ],
)
def test_shell_syntax_is_refused(text: str, sign: str) -> None:
    with pytest.raises(ValueError, match="without a shell") as caught:
        parse_user_command(text, "")
    assert sign in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no program"),
        ("  ", "no program"),
        ("A=1", "no program"),
        ("pytest 'x", "split"),
        ("cd x &&", "no program"),
        ("cd .. && pytest", "a folder of the repository"),
        ("cd a/../.. && pytest", "a folder of the repository"),
        ("cd /srv && pytest", "a folder of the repository"),
        ("cd ~ && pytest", "a folder of the repository"),
    ],
)
def test_no_command_is_refused(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        parse_user_command(text, "")


@pytest.mark.parametrize(
    ("text", "report", "typed"),
    [
        pytest.param("pytest -p xdist -q tests", "", "pytest -p xdist -q tests", id="the user's own -p stays"),
        pytest.param("python3 run.py {outbox}/r.xml", "{outbox}/*.xml", "python3 run.py", id="no place of ours"),
        pytest.param("make test", "", "make test", id="nothing was added"),
        pytest.param("cd 'a b' && go test ./...", "", "cd 'a b' && go test ./...", id="its folder"),
        pytest.param("python -m unittest -v", "", "python -m unittest -v", id="not the program that wraps it"),
    ],
)
def test_the_command_as_it_would_be_typed(text: str, report: str, typed: str) -> None:
    assert to_command_line(parse_user_command(text, report)) == typed


@pytest.mark.parametrize(
    ("text", "folder", "runner"),
    [
        ("cd backend && pytest -q", "backend", "pytest"),
        ("cd ./web/app/ && A=1 npx jest", "web/app", "jest"),
        ("cd . && ./run", "", "command"),
    ],
)
def test_a_folder_may_come_first(text: str, folder: str, runner: str) -> None:
    command = parse_user_command(text)
    assert (command.folder, command.runner) == (folder, runner)
    assert parse_user_command(text, "r.xml").folder == folder


@pytest.mark.parametrize(
    ("text", "runner"),
    [
        ("pytest -q", "pytest"),
        ("/usr/bin/py.test", "pytest"),
        ("uv run pytest", "pytest"),
        ("python3.12 -m pytest", "pytest"),
        ("python -m unittest discover", "unittest"),
        ("poetry run python -m unittest", "unittest"),
        ("python manage.py test shop", "django"),
        ("./manage.py test", "django"),
        ("uv run manage.py test", "django"),
        ("vitest", "vitest"),
        ("npx vitest run", "vitest"),
        ("npx --no-install jest a", "jest"),
        ("yarn jest", "jest"),
        ("pnpm exec mocha", "mocha"),
        ("./node_modules/.bin/mocha", "mocha"),
        ("node_modules/mocha/bin/_mocha", "mocha"),
        ("node --experimental-vm-modules node_modules/.bin/jest --ci", "jest"),
        ("node node_modules/jest/bin/jest.js", "jest"),
        ("react-scripts test --watchAll=false", "jest"),
        ("node --test", "node"),
        ("npx tsx --test a.ts", "node"),
        ("npx playwright test", "playwright"),
        ("go test ./...", "go"),
        ("/usr/local/go/bin/go test", "go"),
        ("cargo test", "cargo"),
        ("mvn -q verify", "maven"),
        ("./mvnw test", "maven"),
        ("./gradlew check", "gradle"),
        ("sh gradlew test", "gradle"),
    ],
)
def test_a_known_runner_is_found(text: str, runner: str) -> None:
    found = recognise(tuple(text.split()), "here", (("A", "b"),))
    assert found
    assert (found.runner, found.origin, found.typed) == (runner, "here", text)
    assert ("A", "b") in found.env
    assert found.select


@pytest.mark.parametrize(
    "text",
    [
        "./run-tests.sh", "uv run", "uv pytest", "python tests.py", "python -m", "python", "python manage.py migrate",
        "manage.py", "npx", "npx eslint", "node server.js", "node", "node --inspect", "playwright install",
        "react-scripts build", "go vet ./...", "cargo build", "mvn compile", "sh", "sh run.sh", "make test",
        "node --inspect node_modules/.bin/eslint", "vitest bench",
    ],
)  # fmt: skip
def test_anything_else_is_not(text: str) -> None:
    assert recognise(tuple(text.split()), "here") is None
