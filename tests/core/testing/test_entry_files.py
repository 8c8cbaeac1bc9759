"""The files a test command starts are found by name, module, make recipe and npm script."""

import json

import pytest

from reknit.core.testing import entry_files
from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import (
    add_link_targets,
    find_executed_files,
    find_named_files,
    find_started_files,
    find_test_settings,
)

TRACKED = ("run_tests.sh", "tools/check.py", "tools/__main__.py", "src/main.c", "scripts/unit.js", "Makefile")


def command(runner: str, *argv: str) -> TestCommand:
    return TestCommand(runner, argv, "exit code")


@pytest.mark.parametrize(
    ("tests", "manifest", "expected"),
    [
        pytest.param(command("command", "sh", "./run_tests.sh"), "", ("run_tests.sh",), id="a script by its path"),
        pytest.param(command("command", "python", "-m", "tools.check"), "", ("tools/check.py",), id="a module"),
        pytest.param(command("command", "python", "-m", "tools"), "", ("tools/__main__.py",), id="a package"),
        pytest.param(
            command("node", "node", "--test", "{whole}scripts/unit.js"), "", ("scripts/unit.js",), id="a marked word"
        ),
        pytest.param(command("pytest", "python", "-m", "pytest"), "", (), id="a runner that is not of the repository"),
        pytest.param(
            command("make", "make", "test"),
            "all: src/main.c\n\tcc src/main.c\ntest: all\n\t@CI=1 ./run_tests.sh --all\nclean:\n\trm tools/check.py\n",
            ("run_tests.sh",),
            id="only the recipe of make's test target",
        ),
        pytest.param(
            command("npm", "npm", "test"),
            json.dumps({"scripts": {"test": "node scripts/unit.js && sh run_tests.sh", "build": "cc src/main.c"}}),
            ("run_tests.sh", "scripts/unit.js"),
            id="only npm's test scripts",
        ),
        pytest.param(
            command("npm", "npm", "test"),
            json.dumps({"scripts": {"test": "npm run unit", "unit": "npm test && yarn lint && node scripts/unit.js"}}),
            ("scripts/unit.js",),
            id="a script that another one runs",
        ),
        *(
            pytest.param(
                command("npm", "npm", "test"),
                json.dumps({"scripts": {"test": line}}),
                tuple(started.split()),
                id=line,
            )
            for line, started in {
                "c8 --include src/main.c node scripts/unit.js": "scripts/unit.js",
                "c8 --include=src/main.c node scripts/unit.js": "scripts/unit.js",
                "c8 --include='src/main.c,tools/check.py' node scripts/unit.js": "scripts/unit.js",
                "c8 --include src/main.c --exclude tools/check.py node scripts/unit.js": "scripts/unit.js",
                "sh -x run_tests.sh": "run_tests.sh",
                "pytest -n 2 tools/check.py": "tools/check.py",
                "node --test scripts/unit.js": "scripts/unit.js",
                "node --require ./tools/check.py --test": "tools/check.py",
                "node -r ./tools/check.py --test": "tools/check.py",
                "node --import=./tools/check.py --test": "tools/check.py",
                "node --loader ./tools/check.py --test": "tools/check.py",
                "mocha --reporter tools/check.py": "tools/check.py",
                "pytest -p tools.check": "tools/check.py",
                "pytest -c src/main.c": "src/main.c",
                "jest --config src/main.c": "src/main.c",
                "jest --config=src/main.c": "src/main.c",
                "RUN=scripts/unit.js node $RUN": "scripts/unit.js",
                "coverage run --source tools --omit=src/main.c -m tools.check": "tools/check.py",
            }.items()
        ),
        pytest.param(
            command("pytest", "pytest", "--ignore", "src/main.c", "--cov=tools/check.py", "{whole}scripts/unit.js"),
            "",
            ("scripts/unit.js",),
            id="options of the command itself",
        ),
        pytest.param(command("npm", "npm", "test"), "not json", (), id="a manifest that cannot be read"),
        pytest.param(command("npm", "npm", "test"), '{"scripts": 3}', (), id="scripts that are none"),
    ],
)
def test_what_is_started(tests: TestCommand, manifest: str, expected: tuple[str, ...]) -> None:
    assert find_started_files(tests, manifest, TRACKED) == expected


def test_the_target_of_a_linked_test_holds_the_test() -> None:
    links = {"tests/test_a.py": "../impl/cases.py", "docs/x": "y"}
    assert add_link_targets(["tests/test_a.py", "t.py"], links) == ("impl/cases.py", "t.py", "tests/test_a.py")


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        pytest.param(
            "run_tests.sh",
            "# see tools/check.py\n. scripts/lib.sh\nmake app tools\n",
            ("scripts/lib.sh",),
            id="sourced",
        ),
        pytest.param(
            "scripts/lib.sh", "sh ../run_tests.sh; sh scripts/lib.sh\n", ("run_tests.sh",), id="from-its-own-folder"
        ),
        pytest.param("run_tests.sh", "python -m tools.check -v\ncc src/main.c\n", ("tools/check.py",), id="a-module"),
        pytest.param("run_tests.sh", "nyc --include app.py sh scripts/lib.sh\n", ("scripts/lib.sh",), id="an-option"),
        pytest.param("all", "#!/bin/sh\ndiff out data/want.txt\n", ("data/want.txt",), id="by-its-first-line"),
        pytest.param("Makefile", "check:\n\tsh scripts/lib.sh\n", ("scripts/lib.sh",), id="make"),
        pytest.param("tools/check.py", "import tools\nopen('data/want.txt')\n", (), id="a-program-is-not-followed"),
        pytest.param(
            "vitest.config.ts",
            'alias: "./app.py", setupFiles: ["./scripts/boot.ts"]',
            ("scripts/boot.ts",),
            id="settings",
        ),
        pytest.param(
            "tests/conftest.py", 'import app\npytest_plugins = ["tools.check"]\n', ("tools/check.py",), id="plugins"
        ),
    ],
)
def test_what_a_started_file_leads_to(path: str, text: str, named: tuple[str, ...]) -> None:
    tracked = (*TRACKED, "scripts/lib.sh", "scripts/boot.ts", "data/want.txt", "app.py", path)
    assert find_named_files(path, text, "", tracked) == named


def test_settings_are_found_where_the_command_runs() -> None:
    tracked = ("web/vitest.config.ts", "vitest.config.ts", "web/tests/conftest.py", "web/a.ts", "conftest.py")
    assert find_test_settings("web", tracked) == ("conftest.py", "web/vitest.config.ts", "web/tests/conftest.py")


FILES = {
    "Makefile": "test:\n\tsh check.sh\n",
    "check.sh": ". lib/run.sh\n. lib/run.sh\n",
    "lib/run.sh": "sh lib/more.sh\n. check.sh\n",
    "lib/more.sh": "echo\n",
    "lib/other.sh": "echo\n",
}
MAKE = TestCommand("make", ("make", "test"), "exit code", origin="Makefile")


def executed() -> tuple[str, ...]:
    return find_executed_files(lambda path: FILES.get(path, ""), [MAKE], (*FILES,))


def test_scripts_are_followed() -> None:
    assert executed() == ("check.sh", "lib/more.sh", "lib/run.sh")


@pytest.mark.parametrize(("most", "files"), [(0, ("check.sh",)), (1, ("check.sh", "lib/run.sh"))])
def test_only_so_many_are_read(monkeypatch: pytest.MonkeyPatch, most: int, files: tuple[str, ...]) -> None:
    monkeypatch.setattr(entry_files, "MAX_READ_FILES", most)
    assert executed() == files
