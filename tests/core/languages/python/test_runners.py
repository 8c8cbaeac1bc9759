import pytest

from reknit.core.languages.python import runners as python
from reknit.core.languages.python.runners import find_commands
from reknit.core.testing.command import RunnerCall


@pytest.mark.parametrize(
    ("arguments", "has_coverage", "has_limit"),
    [
        pytest.param(("-q",), False, False, id="pytest without pytest-cov knows no such option"),
        pytest.param(("-q",), True, True, id="settings"),
        pytest.param(("--cov=shop", "--cov-fail-under=95"), False, True, id="arguments"),
    ],
)
def test_how_much_is_covered_never_decides(arguments: tuple[str, ...], has_coverage: bool, has_limit: bool) -> None:
    command = python.build_pytest_command(RunnerCall(("pytest",), arguments), has_coverage=has_coverage)
    assert (command.argv[-1] == "--cov-fail-under=0") == has_limit


def test_pytests_own_report_is_replaced() -> None:
    command = python.build_pytest_command(RunnerCall(("pytest",), ("--junitxml=a.xml", "--junit-xml", "b.xml", "x")))
    assert command.argv == ("pytest", *python.PYTEST_FLAGS, "x", "--maxfail=0")
    assert command.typed == "pytest --junitxml=a.xml --junit-xml b.xml x"


def test_unittest_and_django_run_through_our_program() -> None:
    started = python.build_unittest_command(
        RunnerCall(("uv", "run", "python", "-m", "unittest"), ("-f", "discover"), "o")
    )
    assert started.argv == ("uv", "run", "python", "-c", "{unittest}", "{outbox}/report.xml", "unittest", "discover")
    assert (started.runner, started.evidence, started.select) == ("unittest", "junit", ("--pick={id}",))
    project = python.build_django_command(RunnerCall(("./manage.py", "test"), ("--failfast", "--parallel")))
    assert project.argv == (
        "python", "-c", "{unittest}", "{outbox}/report.xml", "./manage.py", "test", "--noinput", "--parallel",
    )  # fmt: skip
    assert (project.runner, project.typed) == ("django", "./manage.py test --failfast --parallel")


@pytest.mark.parametrize(
    ("files", "runners"),
    [
        pytest.param({"test_a.py": None}, ["pytest", "unittest"], id="no sign of pytest"),
        pytest.param({"test_a.py": None, "conftest.py": None}, ["pytest"], id="conftest.py is pytest's"),
        pytest.param({"test_a.py": None, "requirements-dev.txt": "pytest>=8\n"}, ["pytest"], id="required"),
        pytest.param({"test_a.py": None, "tox.ini": "commands = pytest {posargs}\n"}, ["pytest"], id="tox"),
        pytest.param({"test_a.py": None, "setup.py": "unpytestlike"}, ["pytest", "unittest"], id="another word"),
        pytest.param({"pytest.ini": ""}, ["pytest"], id="configured"),
        pytest.param(
            {"manage.py": "", "shop/settings.py": "", "shop/tests.py": ""}, ["django"], id="django without other tests"
        ),
        pytest.param(
            {"manage.py": "", "shop/settings/base.py": "", "shop/test_a.py": ""},
            ["django", "pytest", "unittest"],
            id="django first",
        ),
        pytest.param(
            {"manage.py": "", "s/settings.py": "", "s/test_a.py": "", "requirements.txt": "pytest"},
            ["pytest", "django"],
            id="django after pytest that is required",
        ),
        pytest.param({"manage.py": "", "s/settings.py": "", "pytest.ini": ""}, ["pytest"], id="pytest-django"),
        pytest.param({"manage.py": "", "shop/tests.py": ""}, [], id="no settings"),
        pytest.param({"manage.py": "", "shop/settings.py": ""}, [], id="no tests"),
        pytest.param(
            {"manage.py": "", "t/test_settings.py": "", "t/tests.py": ""},
            ["django", "pytest", "unittest"],
            id="settings for tests",
        ),
        pytest.param(
            {"manage.py": "", "t/my_settings_dev.py": "", "t/tests.py": ""}, ["django"], id="settings by any name"
        ),
        pytest.param(
            {"setup.py": "", "a/__init__.py": "", "a/tests.py": ""},
            ["unittest"],
            id="a module that only unittest finds",
        ),
        pytest.param(
            {"setup.py": "install_requires=['Django']", "a/tests.py": ""}, [], id="a Django app without a project"
        ),
        pytest.param({"setup.py": "", "a/tests.py": "", "tox.ini": "deps = pytest"}, [], id="pytest does not find it"),
    ],
)
def test_the_best_runner_comes_first(files: dict[str, str | None], runners: list[str]) -> None:
    assert [command.runner for command in find_commands(files)] == runners


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        pytest.param(["test_a.py"], "discover", id="at the root"),
        pytest.param(["tests/__init__.py", "tests/test_a.py"], "discover", id="a package"),
        pytest.param(["tests/test_a.py"], "discover -s tests", id="a folder that is no package"),
        pytest.param(
            ["src/a/__init__.py", "src/a/tests/__init__.py", "src/a/tests/test_a.py"], "discover -s src", id="src"
        ),
        pytest.param(
            ["src/z/a/__init__.py", "src/z/a/test_a.py"], "discover -s src/z/a -t src", id="a package in a namespace"
        ),
        pytest.param(["src/z/a/test_a.py"], "discover -s src/z/a", id="a folder below src that is no package"),
        pytest.param(["tests/a_test.py"], "discover -s tests -p '*_test.py'", id="names that end with test"),
        pytest.param(["test_z.py", "t/test_a.py", "t/test_b.py"], "discover -s t", id="where most tests are"),
    ],
)
def test_discovery_starts_above_the_packages(files: list[str], arguments: str) -> None:
    _, command = find_commands(dict.fromkeys(files))
    assert command.typed == f"python -m unittest {arguments}"


@pytest.mark.parametrize(
    ("files", "has_limit"),
    [
        pytest.param({"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--cov=a"\n'}, True, id="addopts"),
        pytest.param({"setup.cfg": "[tool:pytest]\naddopts =\n  --cov\n"}, True, id="setup.cfg"),
        pytest.param({"tox.ini": "[pytest]\n[testenv]\ncommands = pytest --cov\n"}, False, id="a command of tox"),
        pytest.param({"pytest.ini": "[pytest]\naddopts = --cov\n"}, True, id="pytest.ini"),
        pytest.param(
            {"pyproject.toml": '[tool.pytest.ini_options]\n[tool.hatch.envs.a.scripts]\nx = "y --cov"\n'},
            False,
            id="hatch",
        ),
        pytest.param({"pytest.ini": ""}, False, id="none"),
    ],
)
def test_a_coverage_threshold_is_switched_off_where_it_is_known(files: dict[str, str], has_limit: bool) -> None:
    [command] = find_commands(files)
    assert ("--cov-fail-under=0" in command.argv) == has_limit
