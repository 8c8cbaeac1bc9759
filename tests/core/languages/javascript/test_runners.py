import pytest

from reknit.core.languages.javascript import runners as javascript
from reknit.core.languages.javascript.runners import parse_command
from reknit.core.testing.command import RunnerCall
from reknit.core.testing.selection import build_argv

VITEST = (
    "run {} --reporter=default --reporter=junit --outputFile.junit={{outbox}}/report.xml "
    "--coverage.enabled=false --bail=0"
)


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        pytest.param("", "", id="bare"),
        pytest.param("run src", "src", id="mode"),
        pytest.param("--run --watch --config x.ts", "--config x.ts", id="watching"),
        pytest.param(
            "watch --coverage --coverage.reporter text --reporter dot --bail=1 a", "a", id="coverage and reports"
        ),
    ],
)
def test_vitest_runs_once_with_a_report_and_without_coverage(arguments: str, kept: str) -> None:
    command = javascript.make_vitest_command(RunnerCall(("vitest",), tuple(arguments.split()), env=(("A", "b"),)))
    assert command
    assert command.argv[1:] == tuple(VITEST.format(kept).split())
    assert (command.evidence, command.report_format, command.env) == ("junit", "junit", (("CI", "true"), ("A", "b")))


def test_vitests_other_modes_are_no_tests() -> None:
    assert javascript.make_vitest_command(RunnerCall(("vitest",), ("bench",))) is None


def test_jest_reports_by_itself() -> None:
    words = "--coverage --coverageThreshold {} --reporters x --watchAll --bail -w 2 -o --changedSince main src"
    command = javascript.make_jest_command(RunnerCall(("jest",), tuple(words.split())))
    assert " ".join(command.argv) == (
        "jest -w 2 src --ci --json --outputFile={outbox}/report.json --coverage=false --bail=0"
    )
    assert (command.evidence, command.report_format, command.report) == ("report", "jest", "{outbox}/report.json")


def test_mocha_reports_by_itself_and_expands_globs() -> None:
    command = javascript.make_mocha_command(
        RunnerCall(("mocha",), ("-R", "dot", "--bail", "--require", "x", "test/**/*.js"))
    )
    assert command.argv == (
        "mocha", "--require", "x", "{glob}test/**/*.js", "--reporter=json",
        "--reporter-options=output={outbox}/report.json", "--no-bail",
    )  # fmt: skip


def test_playwright_is_told_by_its_environment_where_to_write() -> None:
    command = javascript.make_playwright_command(
        RunnerCall(("playwright", "test"), ("--reporter", "html", "-x", "--project=a"))
    )
    assert command.argv == ("playwright", "test", "--project=a", "--reporter=json", "--max-failures=0")
    assert dict(command.env)["PLAYWRIGHT_JSON_OUTPUT_NAME"] == "{outbox}/report.json"


def test_files_that_playwright_is_called_with_are_not_run_beside_chosen_ones() -> None:
    command = javascript.make_playwright_command(
        RunnerCall(("playwright", "test"), ("-c", "a.config.ts", "e2e", "--project", "b"))
    )
    ours = ("--reporter=json", "--max-failures=0")
    assert build_argv(command, []) == ("playwright", "test", "-c", "a.config.ts", "e2e", "--project", "b", *ours)
    chosen = ("playwright", "test", "-c", "a.config.ts", "--project", "b", *ours, r"e2e/a\.ts$")
    assert build_argv(command, ["e2e/a.ts"]) == chosen


@pytest.mark.parametrize(
    ("arguments", "options", "files"),
    [
        pytest.param("--test", "", [], id="bare"),
        pytest.param("--test test/*.js", "", ["{whole}{glob}test/*.js"], id="glob"),
        pytest.param(
            "--import tsx --test --test-reporter spec --watch --enable-source-maps a.js",
            "--import tsx --enable-source-maps",
            ["{whole}a.js"],
            id="options before the files stay",
        ),
        pytest.param("--test --require", "--require", [], id="a value that is missing"),
    ],
)
def test_options_of_node_come_before_the_files(arguments: str, options: str, files: list[str]) -> None:
    command = javascript.make_node_command(RunnerCall(("node",), tuple(arguments.split())))
    ours = (
        "--test", "--test-reporter={node reporter}", "--test-reporter-destination={outbox}/report.xml",
        "--test-reporter=spec", "--test-reporter-destination=stdout",
    )  # fmt: skip
    assert command.argv == ("node", *ours, *options.split(), "{selection}", *files)


@pytest.mark.parametrize(
    ("text", "runner"),
    [
        ("npx --no-install jest a", "jest"),
        ("node --experimental-vm-modules node_modules/.bin/jest --ci", "jest"),
        ("npx tsx --test a.ts", "node"),
        ("go test ./...", ""),
        ("node --inspect", ""),
    ],
)
def test_its_own_runners_are_recognised(text: str, runner: str) -> None:
    command = parse_command(tuple(text.split()), "here", ())
    assert (command.runner if command else "") == runner
