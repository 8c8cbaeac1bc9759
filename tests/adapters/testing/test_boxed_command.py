import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.host import HostBox
from reknit.adapters.testing.boxed_command import PRINTED_REPORT_BYTES, make_harness_command, make_test_command
from reknit.core.box import BoxView, Command, CommandLimits
from reknit.core.projects.detect import parse_user_command
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand
from tests.adapters.testing.project import Project


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for path in ("repository/web", "tree/web/test", "tree/web/node_modules"):
        (tmp_path / path).mkdir(parents=True)
    for path in ("test/b.js", "test/a.js", "test/a.txt", "node_modules/c.js"):
        (tmp_path / "tree/web" / path).write_text("")
    return BoxView(str(tmp_path / "repository"), str(tmp_path / "tree"))


def _argv(view: BoxView, *argv: str, only: tuple[str, ...] = ()) -> tuple[str, ...]:
    return make_test_command(
        TestCommand("x", argv, "junit", select=("{id}",), folder="web"), view, only, "/o", 1.0
    ).argv


def test_files_that_match_replace_their_glob_in_order(view: BoxView) -> None:
    assert _argv(view, "node", "{glob}./test/*.js") == ("node", "test/a.js", "test/b.js")
    assert _argv(view, "node", "{glob}**/a.js") == ("node", "test/a.js")


def test_a_file_named_like_an_option_is_none(view: BoxView) -> None:
    Path(view.tree, "web", "--inspect.cjs").write_text("")
    assert _argv(view, "node", "{glob}*.cjs") == ("node", "./--inspect.cjs")


def test_a_glob_without_files_stays_as_a_shell_leaves_it(view: BoxView) -> None:
    assert _argv(view, "node", "{glob}spec/*.js") == ("node", "spec/*.js")


def test_our_programs_are_put_in(view: BoxView) -> None:
    _, _, wrapper, reporter, report = _argv(view, "python", "-c", "{unittest}", "--r={node reporter}", "{outbox}/r.xml")
    assert "import unittest\n" in wrapper
    assert reporter.startswith("--r=data:text/javascript;base64,")
    assert report == "{outbox}/r.xml", "the box knows the path"


def test_chosen_tests_come_last(view: BoxView) -> None:
    assert _argv(view, "pytest", "{whole}a", only=("t::x",)) == ("pytest", "t::x")


@pytest.mark.parametrize(
    ("report", "size"), [("{stdout}", PRINTED_REPORT_BYTES), ("r.xml", CommandLimits().output_bytes)]
)
def test_a_printed_report_may_be_long(view: BoxView, report: str, size: int) -> None:
    started = make_test_command(TestCommand("go", ("go",), "report", report), view, (), "/o", 2.0)
    assert started.limits == CommandLimits(wall_s=2.0, idle_s=2.0, output_bytes=size)


@pytest.mark.parametrize(("env", "seed"), [((), "1"), ((("PYTHONHASHSEED", "random"),), "random")])
def test_ids_from_a_set_are_the_same_in_every_run_unless_the_user_says_otherwise(
    view: BoxView, env: tuple[tuple[str, str], ...], seed: str
) -> None:
    started = make_test_command(TestCommand("pytest", ("python",), "junit", env=env), view, (), "/o", 1.0)
    assert started.env["PYTHONHASHSEED"] == seed


def test_a_random_order_of_go_is_the_same_in_every_run(view: BoxView) -> None:
    assert _argv(view, "go", "test", "-shuffle=on") == ("go", "test", "-shuffle=1")
    assert _argv(view, "go", "test", "-shuffle=7") == ("go", "test", "-shuffle=7")


COMMAND = TestCommand("jest", ("npx", "jest"), "report", env=(("CI", "true"), ("API_URL", "x")), folder="web")


def test_it_has_the_projects_variables_and_none_that_speak_of_tests(tmp_path: Path) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    harness = Harness(("node", "-"), ("t",), stdin="program", env=(("MORE", "1"),))
    started = make_harness_command(COMMAND, view, harness, 7.0)
    assert (started.argv[2:], started.stdin, started.folder) == (("node", "-"), b"program", "web")
    assert dict(started.env) == {"API_URL": "x", "MORE": "1"}
    assert (started.limits.wall_s, started.needs_services) == (7.0, True)


def test_python_is_the_projects_interpreter(tmp_path: Path) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    started = make_harness_command(COMMAND, view, Harness(("python", "-"), ("t",)), 7.0)
    assert started.argv[2:] == ("python3", "-")
    assert started.env["PYTHONHASHSEED"] == make_test_command(COMMAND, view, (), "", 7.0).env["PYTHONHASHSEED"]
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("python3")
    assert make_harness_command(COMMAND, view, Harness(("python", "-"), ("t",)), 7.0).argv[2:] == ("python", "-")


SHOW = (
    "import json, os;print(json.dumps([os.getpid(), os.getppid(), sorted(os.environ), os.listdir(os.environ['HOME'])]))"
)
COMMAND_HERE = TestCommand("pytest", ("python3", "-c", SHOW), "report")


@pytest.mark.parametrize("box", [Bubblewrap, HostBox])
def test_code_cannot_tell_by_its_process_or_variables_that_tests_are_run(
    tmp_path: Path, box: type[Bubblewrap | HostBox]
) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    plain = COMMAND_HERE

    def seen(command: Command) -> list[Any]:
        ended = asyncio.run(box().run(view, command))
        return list(json.loads(ended.stdout))

    harness = make_harness_command(plain, view, Harness(("python", "-c", SHOW), ("t",)), 60.0)
    process, parent, variables, home = seen(harness)
    in_tests = seen(make_test_command(plain, view, (), str(tmp_path), 60.0))
    assert "PYTHONDONTWRITEBYTECODE" in in_tests[2]
    assert not {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "GIT_OPTIONAL_LOCKS"} & {*variables}
    assert home == []
    if box is Bubblewrap:
        assert in_tests[0] < 20 < 100 <= parent < process


@pytest.mark.parametrize("code", [0, 3, 70])
def test_how_the_program_ends_is_kept(tmp_path: Path, code: int) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    harness = Harness(("python", "-c", f"raise SystemExit({code})"), ("t",))
    ended = asyncio.run(Bubblewrap().run(view, make_harness_command(COMMAND_HERE, view, harness, 60.0)))
    assert (ended.reason, ended.exit_code) == ("exit", code)


PYTEST = parse_user_command(f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q")
UNITTEST = parse_user_command(f"{sys.executable} -m unittest -q")
NODE = parse_user_command("node --test")
TEST = "import shop\ndef test_price(): assert shop.price() == 1\n"
CASE = (
    "import shop, unittest\nclass C(unittest.TestCase):\n    def test_price(self): self.assertEqual(shop.price(), 1)\n"
)
SCRIPT = """
const t = require('node:test'), a = require('node:assert');
t('price', () => a.equal(require('./shop.js')(), 1));
"""
WRITES = """
import os
for n in range(3, 200):
    try: os.write(n, b'0 {}\\n')
    except OSError: pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


FORGERIES = {
    "an-exit-when-objects-end": "import os, weakref\nclass R: pass\nr = R()\nweakref.finalize(r, os._exit, 0)\n",
    "an-exit-at-the-end": "import atexit, os\natexit.register(os._exit, 0)\n",
    "an-exit-of-the-last-object": "import os\nclass R:\n    def __del__(self, end=os._exit): end(0)\nr = R()\n",
    "a-fork-whose-parent-ends-well": "import os\nif os.fork():\n    os.wait()\n    os._exit(0)\n",
    "a-fork-whose-child-goes-on": "import os\nif os.fork() == 0:\n    price = lambda: 1\n",
    "lines-without-the-key": WRITES,
    "an-exit-within": "import os\nclass I(int):\n    __eq__ = lambda a, b: os._exit(0)\n",
}


@pytest.mark.parametrize("cheat", FORGERIES.values(), ids=FORGERIES)
@pytest.mark.parametrize("kind", ["pytest", "unittest"])
def test_no_forgery_makes_a_red_test_green(project: Project, cheat: str, kind: str) -> None:
    value = "I(2)" if "class I" in cheat else "2"
    project.write(shop=f"def price(): return {value}\n{cheat}", test_shop=TEST if kind == "pytest" else CASE)
    report = project.run(PYTEST if kind == "pytest" else UNITTEST)
    assert report.status != "pass", report
    assert not report.passed


def test_control_without_a_cheat_it_is_green(project: Project) -> None:
    project.write(shop="def price(): return 1\n", test_shop=TEST, test_case=CASE)
    assert project.run(PYTEST).results == {
        "test_shop.py::test_price": "passed",
        "test_case.py::C::test_price": "passed",
    }
    assert project.run(UNITTEST).results == {"test_case.py::C::test_price": "passed"}


ORDINARY = """
import os, sys, subprocess
def test_nothing_of_the_reporter_is_seen():
    assert "PYTHONPATH" not in os.environ
    words = [*sys.argv, *sys.path, *os.environ.values(), *os.listdir(os.environ["HOME"])]
    assert not [word for word in words if word.endswith((".xml", ".json"))]
    assert not [word for word in words if word.startswith(os.environ["HOME"] + "/")]
    program = "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[3:])"
    assert len(subprocess.check_output([sys.executable, "-c", program], close_fds=False).split()) <= 1
"""


def test_tested_code_sees_no_report_and_no_reporter(project: Project) -> None:
    project.write(test_a=ORDINARY)
    report = project.run(PYTEST)
    assert report.status == "pass", report.messages


def test_workers_of_xdist_report_through_the_first_process(project: Project) -> None:
    project.write(test_a="def test_a(): pass\ndef test_b(): assert 0\n")
    command = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q -p xdist -n 2"
    assert project.run(parse_user_command(command)).results == {
        "test_a.py::test_a": "passed",
        "test_a.py::test_b": "failed",
    }


def test_a_pytest_that_cannot_load_the_reporter_leaves_a_report(project: Project) -> None:
    project.write(
        test_a="def test_a(): pass\n", **{"run.sh": f'#!/bin/sh\nshift\nexec {sys.executable} -E -m pytest "$@"\n'}
    )
    command = parse_user_command("pytest -q")
    started = type(command)(
        command.runner, ("sh", "run.sh", *command.argv), command.evidence, command.report, command.select
    )
    report = project.run(started)
    assert (report.status, dict(report.results)) == ("pass", {"test_a.py::test_a": "passed"}), report


def test_node_streams_and_an_exit_is_no_pass(project: Project) -> None:
    project.write(**{"price.test.js": SCRIPT, "shop.js": "module.exports = () => 1;\n"})
    assert project.run(NODE).results == {"price.test.js::price": "passed"}
    project.write(**{"shop.js": "module.exports = () => 2;\n"})
    report = project.run(NODE)
    assert (report.status, dict(report.results)) == ("fail", {"price.test.js::price": "failed"})
    project.write(**{"shop.js": "process.exit(0);\n"})
    assert project.run(NODE).status == "error"
