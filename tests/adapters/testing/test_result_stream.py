"""Results that are streamed by our reporters, from real runners in the real box, and attempts to forge them."""

import sys
from pathlib import Path

import pytest

from reknit.core.testing.detect import parse_user_command
from tests.adapters.testing.project import Project

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
