import pytest

from reknit.core.testing.runners import python
from reknit.core.testing.runners.call import RunnerCall


@pytest.mark.parametrize(
    ("arguments", "has_coverage", "has_limit"),
    [
        pytest.param(("-q",), False, False, id="pytest without pytest-cov knows no such option"),
        pytest.param(("-q",), True, True, id="settings"),
        pytest.param(("--cov=shop", "--cov-fail-under=95"), False, True, id="arguments"),
    ],
)
def test_how_much_is_covered_never_decides(arguments: tuple[str, ...], has_coverage: bool, has_limit: bool) -> None:
    command = python.pytest(RunnerCall(("pytest",), arguments), has_coverage=has_coverage)
    assert (command.argv[-1] == "--cov-fail-under=0") == has_limit


def test_pytests_own_report_is_replaced() -> None:
    command = python.pytest(RunnerCall(("pytest",), ("--junitxml=a.xml", "--junit-xml", "b.xml", "x")))
    assert command.argv == ("pytest", *python.PYTEST_FLAGS, "x", "--maxfail=0")
    assert command.typed == "pytest --junitxml=a.xml --junit-xml b.xml x"


def test_unittest_and_django_run_through_our_program() -> None:
    started = python.unittest(RunnerCall(("uv", "run", "python", "-m", "unittest"), ("-f", "discover"), "o"))
    assert started.argv == ("uv", "run", "python", "-c", "{unittest}", "{outbox}/report.xml", "unittest", "discover")
    assert (started.runner, started.evidence, started.select) == ("unittest", "junit", ("--pick={id}",))
    project = python.django(RunnerCall(("./manage.py", "test"), ("--failfast", "--parallel")))
    assert project.argv == (
        "python", "-c", "{unittest}", "{outbox}/report.xml", "./manage.py", "test", "--noinput", "--parallel",
    )  # fmt: skip
    assert (project.runner, project.typed) == ("django", "./manage.py test --failfast --parallel")
