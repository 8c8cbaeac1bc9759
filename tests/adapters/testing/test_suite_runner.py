import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.projects.detect import detect, parse_user_command
from reknit.core.services.service import Service
from reknit.core.testing.command import TestCommand
from reknit.core.testing.junit import MESSAGE_CHARS, OUTPUT_CHARS
from reknit.core.testing.report import WHOLE_SUITE
from reknit.core.testing.selection import MAX_SELECTION_BYTES
from tests.adapters.testing.project import Project

# Without this environment's own plugins, which cost a second a start.
PYTEST = parse_user_command(f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q", "")
REPORT = '<testsuite name="s"><testcase classname="C" name="t"/></testsuite>'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


MIXED = """
import pytest

class TestX:
    @pytest.mark.parametrize("n", [1, 2])
    def test_b(self, n):
        assert n == 1

def test_ok():
    pass

@pytest.mark.skip
def test_off():
    pass
"""


def test_pytest_failures_are_named(project: Project) -> None:
    project.write(tests__test_a=MIXED)
    report = project.run(PYTEST)
    assert report.status == "fail"
    assert report.results == {
        "tests/test_a.py::TestX::test_b[1]": "passed",
        "tests/test_a.py::TestX::test_b[2]": "failed",
        "tests/test_a.py::test_ok": "passed",
        "tests/test_a.py::test_off": "skipped",
    }
    [failed] = report.failed
    assert report.messages[failed].startswith("assert 2 == 1\n")
    assert report.files[failed] == "tests/test_a.py"
    assert (report.evidence, report.exit_code, report.why) == ("junit", 1, "")
    assert "1 failed" in report.output_tail
    assert report.seconds > 0
    assert not list(project.tree.rglob("__pycache__"))


def test_chosen_tests_alone_are_run(project: Project) -> None:
    project.write(tests__test_a=MIXED)
    chosen = "tests/test_a.py::TestX::test_b[1]"
    report = project.run(PYTEST, only=[chosen])
    assert report.status == "pass"
    assert report.results == {chosen: "passed"}


def test_a_file_that_cannot_be_loaded_is_a_named_failure(project: Project) -> None:
    project.write(tests__test_a="import nope\n", tests__test_b="def test_ok():\n    pass\n")
    report = project.run(PYTEST)
    assert (report.status, report.exit_code) == ("fail", 1)
    assert report.results == {"tests/test_a.py": "failed", "tests/test_b.py::test_ok": "passed"}
    assert report.messages["tests/test_a.py"].startswith("ModuleNotFoundError: No module named 'nope'")
    project.write(nope="")
    (project.tree / "tests" / "test_a.py").write_text("import nope\ndef test_now():\n    pass\n")
    assert project.run(PYTEST, only=["tests/test_a.py"]).status == "pass"


@pytest.mark.parametrize(
    ("source", "only", "why"),
    [
        pytest.param("x = 1\n", (), "collected no tests", id="nothing-collected"),
        pytest.param(
            "def test_a(): pass\n", ("test_a.py::test_gone",), "called with wrong arguments", id="a-chosen-test-is-gone"
        ),
        pytest.param(
            "import os\ndef test_a(): os._exit(0)\n",
            (),
            "before all of its results were known",
            id="exit-0-too-soon",
        ),
        pytest.param(
            "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n", (), "every test was skipped", id="all-skipped"
        ),
    ],
)
def test_pytest_that_shows_nothing_is_an_error(project: Project, source: str, only: Sequence[str], why: str) -> None:
    project.write(test_a=source)
    report = project.run(PYTEST, only=only)
    assert report.status == "error"
    assert why in report.why


def test_an_id_like_an_option_is_not_passed_on(project: Project) -> None:
    project.write(test_a="def test_a(): assert False\n")
    report = project.run(PYTEST, only=["--collect-only"])
    assert (report.status, report.results) == ("error", {})
    assert "dash" in report.why


def test_more_ids_than_a_command_line_holds_run_the_whole_suite(project: Project) -> None:
    project.write(test_a="def test_a(): pass\n\ndef test_b(): pass\n")
    report = project.run(PYTEST, only=["test_a.py::test_a"] * (MAX_SELECTION_BYTES // 10))
    assert (report.status, len(report.results)) == ("pass", 2)


def test_a_python_without_pytest_is_said(project: Project) -> None:
    command = detect({"test_a.py": None})[0]
    assert command.argv[0] == "python"
    report = project.run(replace(command, argv=("python", "-S", "-I", *command.argv[1:])))
    assert report.status == "error"
    assert report.why.startswith(
        "pytest is not installed for the Python that the box sees; install it in .venv, or set"
    )


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_the_repositorys_own_python_is_used(project: Project, name: str) -> None:
    program = project.repository / name / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho its own python\n")
    program.chmod(0o755)
    report = project.run(TestCommand("pytest", ("python", "-m", "x"), "exit code"), carry=(name,))
    assert report.output_tail == "its own python"


def test_selection_keeps_the_words_around_the_ids(project: Project) -> None:
    command = TestCommand("command", ("sh", "-c", 'echo "$@"', "sh"), "exit code", select=("--run", "name={id}"))
    assert project.run(command, only=["a", "b c"]).output_tail == "--run name=a name=b c"
    assert project.run(command).output_tail == ""


def test_the_environment_knows_the_outbox(project: Project) -> None:
    script = f"echo '{REPORT}' > $PLACE"
    command = TestCommand("jest", ("sh", "-c", script), "junit", "{outbox}/r.xml", env=(("PLACE", "{outbox}/r.xml"),))
    assert project.run(command).status == "pass"
    assert (project.outbox / "r.xml").is_file()


@pytest.mark.parametrize(
    ("script", "status", "results", "why"),
    [
        ("echo fine", "pass", {WHOLE_SUITE: "passed"}, ""),
        ("echo bad; exit 3", "fail", {WHOLE_SUITE: "failed"}, ""),
        ("exec no-such-program", "error", {}, "could not start (exit code 127)"),
    ],
)
def test_exit_codes_alone(project: Project, script: str, status: str, results: dict[str, str], why: str) -> None:
    report = project.shell(script)
    assert (report.status, report.results, report.evidence) == (status, results, "exit code")
    assert why in report.why
    assert report.messages == ({WHOLE_SUITE: "bad"} if status == "fail" else {})


def test_a_program_that_is_not_there_is_an_error(project: Project) -> None:
    report = project.run(TestCommand("go", ("no-such-program",), "exit code"))
    assert report.status == "error"
    assert "could not start" in report.why


def test_services_of_which_nothing_is_known_give_no_result(project: Project) -> None:
    """What starts them was killed."""
    command = replace(TestCommand("command", ("true",), "exit code"), services=(Service("kill -9 $PPID", 8000),))
    report = project.run(command)
    assert (report.status, report.results) == ("error", {})
    assert report.why == "the services of the tests could not be started"


def test_a_command_that_takes_too_long_has_shown_nothing(project: Project) -> None:
    report = project.shell(f"echo '{REPORT}' > r.xml; sleep 60", "r.xml", wall_s=0.5)
    assert report.status == "error"
    assert "too long" in report.why


@pytest.mark.parametrize(
    ("script", "status", "why"),
    [
        pytest.param(f"mkdir -p m/target; echo '{REPORT}' > m/target/r.xml", "pass", "", id="in-the-tree"),
        pytest.param("true", "error", "left no report", id="only-a-stale-report"),
        pytest.param("mkdir -p m/target; echo '<testsuite' > m/target/r.xml", "error", "well-formed", id="malformed"),
        pytest.param("mkdir -p m/target; echo '<testsuite/>' > m/target/r.xml", "error", "names no test", id="empty"),
        pytest.param("mkdir -p m/target; ln -s /etc/hostname m/target/r.xml", "error", "left no report", id="a-link"),
    ],
)
def test_reports_in_the_tree(project: Project, script: str, status: str, why: str) -> None:
    stale = project.tree / "old" / "target" / "r.xml"
    stale.parent.mkdir(parents=True)
    stale.write_text(REPORT)
    report = project.shell(script, "**/target/*.xml")
    assert report.status == status
    assert why in report.why


def test_output_is_cleaned_redacted_and_cut(project: Project) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    script = f"seq 40000; printf '\\033[31m{key[:8]}'; printf '{key[8:]}\\n'; echo oops >&2; exit 1"
    tail = project.shell(script).output_tail
    assert tail.endswith("[AWS access key redacted]\noops")
    assert "\x1b" not in tail
    assert "39999\n40000\n" in tail
    assert OUTPUT_CHARS - 200 < len(tail) <= OUTPUT_CHARS + 1


def test_long_messages_keep_their_first_line_and_their_end(project: Project) -> None:
    project.write(test_a="def test_a():\n    raise ValueError('the reason' + '\\nx' * 3000)\n")
    [message] = project.run(PYTEST).messages.values()
    assert message.startswith("ValueError: the reason\n…\n")
    assert message.endswith("test_a.py:2: ValueError")
    assert len(message) == MESSAGE_CHARS + 3


def test_a_command_runs_in_its_own_folder(project: Project) -> None:
    project.write(backend__test_a="import os\ndef test_a(): assert os.path.basename(os.getcwd()) == 'backend'\n")
    found = project.run(replace(PYTEST, folder="backend"))
    assert (found.status, dict(found.results)) == ("pass", {"test_a.py::test_a": "passed"})


def test_reports_are_looked_for_in_its_folder(project: Project) -> None:
    (project.tree / "web").mkdir()
    command = TestCommand("command", ("sh", "-c", f"echo '{REPORT}' > r.xml"), "junit", "r.xml", folder="web")
    assert dict(project.run(command).results) == {"C::t": "passed"}


@pytest.mark.parametrize("kind", ["missing", "a file", "a link"])
def test_a_folder_that_is_none_is_an_error(project: Project, kind: str) -> None:
    elsewhere = project.tree.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "r.xml").write_text(REPORT)
    if kind == "a file":
        (project.tree / "web").write_text("")
    if kind == "a link":
        (project.tree / "web").symlink_to(elsewhere)
    found = project.run(TestCommand("command", ("true",), "junit", "r.xml", folder="web"))
    assert (found.status, found.why) == ("error", "web is not a folder in this commit")
