import pytest

from reknit.core.projects.detect import parse_user_command
from reknit.core.services.service import Service
from reknit.core.testing.command import TestCommand
from reknit.core.testing.reporters import StreamingCommand, add_streaming_reporter


def made(typed: str) -> StreamingCommand:
    found = add_streaming_reporter(parse_user_command(typed), "kareno", "tubima")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("typed", "path", "word"),
    [
        ("pytest -q", "kareno/tubima.py", "tubima"),
        ("python -m unittest discover", "kareno/tubima.py", "<box-home>/kareno/tubima.py"),
        ("python manage.py test", "kareno/tubima.py", "<box-home>/kareno/tubima.py"),
        ("node --test", "kareno/tubima.mjs", "--test-reporter=<box-home>/kareno/tubima.mjs"),
        ("npx vitest", "kareno/tubima.mjs", "--reporter=<box-home>/kareno/tubima.mjs"),
        ("npx jest", "kareno/tubima.cjs", "--reporters=<box-home>/kareno/tubima.cjs"),
        ("npx mocha", "kareno/tubima.cjs", "--reporter=<box-home>/kareno/tubima.cjs"),
    ],
)
def test_no_path_of_a_report_is_left(typed: str, path: str, word: str) -> None:
    found = made(typed)
    assert word in found.command.argv
    assert found.path == path
    words = [*found.command.argv, *(value for _, value in found.command.env)]
    assert not [each for each in words if "{outbox}" in each or "{unittest}" in each or "reporter}" in each]


def test_everything_else_of_the_command_stays() -> None:
    assert made("python -m unittest discover -s x").command.argv == (
        *("python", "<box-home>/kareno/tubima.py", "unittest", "discover", "-s", "x"),
    )
    argv = made("uv run pytest -q tests").command.argv
    assert argv[:3] == ("uv", "run", "pytest")
    assert argv[argv.index("tubima") - 1] == "-p"
    assert not [word for word in argv if "junit" in word]


def test_pytest_finds_the_reporter_and_the_paths_of_the_user() -> None:
    assert dict(made("pytest").command.env) == {"PYTHONPATH": "<box-home>/kareno"}
    assert dict(made("PYTHONPATH=src:. A=1 pytest").command.env) == {"PYTHONPATH": "<box-home>/kareno:src:.", "A": "1"}
    service = Service("run", 8000, env=(("PYTHONPATH", "lib"),))
    command = parse_user_command("pytest")
    beside = TestCommand("pytest", command.argv, "junit", command.report, services=(service,))
    found = add_streaming_reporter(beside, "kareno", "tubima")
    assert found is not None
    assert dict(found.command.env)["PYTHONPATH"] == "<box-home>/kareno:lib"


@pytest.mark.parametrize("typed", ["go test ./...", "cargo test", "npx playwright test", "./check.sh"])
def test_other_runners_report_as_they_do(typed: str) -> None:
    assert add_streaming_reporter(parse_user_command(typed), "a", "b") is None


def test_a_report_that_the_user_named_is_read() -> None:
    users = TestCommand("pytest", ("pytest", "--junitxml=mine.xml"), "junit", "mine.xml")
    assert add_streaming_reporter(users, "a", "b") is None
