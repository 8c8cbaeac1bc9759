import json
from dataclasses import replace

import pytest

from reknit.core.projects.find import choose_projects, find_project, find_projects
from reknit.core.testing.command import TestCommand

PYTEST = "[tool.pytest.ini_options]\n"


def package(**content: object) -> str:
    return json.dumps(content)


VITEST = package(devDependencies={"vitest": "3"})


def found(files: dict[str, str | None]) -> list[tuple[str, str]]:
    return [(commands[0].folder, commands[0].runner) for commands in find_projects(files)]


@pytest.mark.parametrize(
    ("files", "projects"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"pyproject.toml": PYTEST}, [("", "pytest")], id="the-top"),
        pytest.param({"back/pyproject.toml": PYTEST, "README": None}, [("back", "pytest")], id="one-below"),
        pytest.param(
            {"back/pyproject.toml": PYTEST, "front/package.json": VITEST, "svc/go.mod": ""},
            [("back", "pytest"), ("front", "vitest"), ("svc", "go")],
            id="a-monorepo",
        ),
        pytest.param({"pyproject.toml": PYTEST, "package.json": VITEST}, [("", "pytest"), ("", "vitest")], id="both"),
        pytest.param(
            {"pyproject.toml": PYTEST, "lib/pyproject.toml": "", "lib/test_a.py": None},
            [("", "pytest")],
            id="a-member-whose-tests-the-top-runs",
        ),
        pytest.param(
            {"pyproject.toml": "", "a/pyproject.toml": "", "a/test_a.py": None, "b/setup.py": "", "b/test_b.py": None},
            [("a", "pytest"), ("b", "pytest")],
            id="members-of-a-top-without-tests",
        ),
        pytest.param(
            {"pyproject.toml": PYTEST, "lib/pyproject.toml": PYTEST},
            [("", "pytest"), ("lib", "pytest")],
            id="two-configured",
        ),
        pytest.param(
            {"Cargo.toml": "[workspace]\nmembers = ['a']\n", "a/Cargo.toml": "[package]\n"}, [("", "cargo")], id="cargo"
        ),
        pytest.param(
            {"Cargo.toml": "[package]\n", "a/Cargo.toml": "[package]\n"},
            [("", "cargo"), ("a", "cargo")],
            id="two-crates",
        ),
        pytest.param(
            {"pom.xml": "<modules><module>a</module></modules>", "a/pom.xml": ""}, [("", "maven")], id="maven"
        ),
        pytest.param(
            {"build.gradle": "", "settings.gradle": "", "a/build.gradle": ""}, [("", "gradle")], id="gradle-settings"
        ),
        pytest.param({"build.gradle": "", "a/build.gradle": ""}, [("", "gradle"), ("a", "gradle")], id="two-gradles"),
        pytest.param({"go.mod": "", "tools/go.mod": ""}, [("", "go"), ("tools", "go")], id="go-modules-are-separate"),
        pytest.param(
            {"package.json": VITEST, "packages/a/package.json": VITEST}, [("", "vitest")], id="vitest-at-the-top"
        ),
        pytest.param(
            {
                "package.json": package(workspaces=["packages/*"], scripts={"test": "turbo run test"}),
                "packages/a/package.json": VITEST,
                "packages/b/package.json": VITEST,
            },
            [("packages/a", "vitest"), ("packages/b", "vitest")],
            id="npm-workspaces",
        ),
        pytest.param(
            {
                "package.json": package(scripts={"test": "./check"}),
                "pnpm-workspace.yaml": "",
                "a/package.json": VITEST,
            },
            [("a", "vitest")],
            id="a-pnpm-workspace",
        ),
        pytest.param(
            {"package.json": package(scripts={"test": "./check"}), "a/package.json": VITEST},
            [("", "npm"), ("a", "vitest")],
            id="a-script-of-its-own",
        ),
        pytest.param(
            {"Makefile": "test:\n\t./t\n", "back/pyproject.toml": PYTEST}, [("back", "pytest")], id="make-above"
        ),
        pytest.param({"Makefile": "test:\n\t./t\n", "pyproject.toml": PYTEST}, [("", "pytest")], id="make-beside"),
        pytest.param({"Makefile": "test:\n\t./t\n", "a/Makefile": "test:\n\t./t\n"}, [("", "make")], id="make-below"),
        pytest.param({"lib/Makefile": "test:\n\t./t\n"}, [("lib", "make")], id="make-alone"),
        pytest.param(
            {
                "pyproject.toml": PYTEST,
                "examples/shop/pyproject.toml": PYTEST,
                "tests/fixtures/pyproject.toml": PYTEST,
                "node_modules/x/package.json": VITEST,
            },
            [("", "pytest")],
            id="examples-fixtures-and-vendored-code-are-not-projects",
        ),
    ],
)
def test_projects(files: dict[str, str | None], projects: list[tuple[str, str]]) -> None:
    assert found(files) == projects


def test_pytest_does_not_enter_a_project_that_is_run_on_its_own() -> None:
    nested = find_projects(dict.fromkeys(("pyproject.toml", "a/pyproject.toml", "a/b/pyproject.toml"), PYTEST))
    ignored = [[word for word in command.argv if word.startswith("--ignore")] for command, *_ in nested]
    assert ignored == [["--ignore=a", "--ignore=a/b"], ["--ignore=b"], []]


def command(folder: str, runner: str = "pytest") -> TestCommand:
    return TestCommand(runner, (runner,), "junit", folder=folder)


TOP, BACK, DEEP, FRONT = command(""), command("back"), command("back/deep"), command("front", "vitest")
EVERY = (TOP, BACK, DEEP, FRONT)


@pytest.mark.parametrize(
    ("folder", "named", "chosen"),
    [
        pytest.param("", (), EVERY, id="all"),
        pytest.param("back", (), (BACK, DEEP), id="the-folder-and-below"),
        pytest.param("back/src", (), (BACK,), id="inside-a-project"),
        pytest.param("back/deep/src", (), (DEEP,), id="the-nearest"),
        pytest.param("src", (), EVERY, id="a-folder-that-says-nothing"),
        pytest.param("", ("back/tests/test_a.py::t",), (BACK,), id="a-named-test"),
        pytest.param("front", ("back/tests/test_a.py::t",), (BACK,), id="a-name-beats-the-folder"),
        pytest.param("", ("tests/test_a.py", "front/a.test.ts"), (TOP, FRONT), id="two-names"),
        pytest.param("", ("front/test_a.py",), (TOP,), id="of-another-language"),
        pytest.param("", ("back",), (BACK, DEEP), id="a-named-folder"),
        pytest.param("", ("back/tests",), (BACK,), id="a-folder-in-a-project"),
    ],
)
def test_what_is_run(folder: str, named: tuple[str, ...], chosen: tuple[TestCommand, ...]) -> None:
    assert choose_projects(EVERY, folder, named) == chosen


def test_a_name_that_belongs_to_no_project_may_be_anywhere() -> None:
    assert choose_projects((BACK, FRONT), "", ("TestAdd",)) == (BACK, FRONT)


def test_the_project_of_a_test() -> None:
    both = (command(""), command("", "vitest"))
    assert [find_project(test, both) for test in ("tests/test_a.py::t", "src/a.test.tsx::t")] == list(both)
    assert find_project("pkg::TestX", both) == both[0]
    assert find_project("other/test_a.py", (BACK,)) is None
    own = replace(BACK, runner="command")
    assert [find_project(f"back/{file}", (own,)) for file in ("a.py", "a.js", "x")] == [own, own, own]
