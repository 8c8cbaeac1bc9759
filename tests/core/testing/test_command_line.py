from dataclasses import replace

import pytest

from reknit.core.testing.command_line import as_typed, parse_user_command

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
    assert as_typed(parse_user_command(text, report)) == typed


def test_a_stored_command_is_shown_without_our_options() -> None:
    stored = replace(parse_user_command("pytest -q"), typed="")
    assert as_typed(stored) == "pytest -q"


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
