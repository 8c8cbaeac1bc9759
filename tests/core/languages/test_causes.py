"""What a machine lacks is never called the code's fault, and what the tree lacks is never called the machine's."""

import socket
import subprocess
from pathlib import Path

import pytest

from reknit.core.causes.cause import CODE, Cause
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.causes import RedTest, find_cause, find_cause_of_no_result, find_cause_of_output, find_causes
from reknit.core.testing.report import WHOLE_SUITE
from tests.core.causes import python_faults, trees
from tests.core.causes.python_faults import MAY_BE_DOUBTFUL, PROJECT

NOTHING = TreeFacts()


def _played(tmp_path: Path, faults: list[str]) -> list[Cause]:
    """One tree with all faults: the cause of each, in their order."""
    files = {**PROJECT, **python_faults.files(faults)}
    root = trees.write(tmp_path / "tree", files)
    found = trees.causes(trees.run_pytest(root), trees.facts_of(root, files, "vendor/rates"))
    by_file = {test.partition("::")[0]: cause for test, cause in found.items()}
    return [by_file[f"tests/test_fault_{number}.py"] for number in range(len(faults))]


@pytest.mark.slow
def test_what_the_machine_lacks_is_the_environment(tmp_path: Path) -> None:
    table = python_faults.ENVIRONMENT
    found = dict(zip(table, _played(tmp_path, [fault for fault, _kind in table.values()]), strict=True))
    assert len(found) > 30
    wrong = {
        name: cause for name, cause in found.items() if (cause.verdict, cause.kind) != ("environment", table[name][1])
    }
    assert wrong == {}
    assert all(cause.sentence and cause.remedy for cause in found.values())


@pytest.mark.slow
def test_what_only_looks_like_the_environment_is_the_code(tmp_path: Path) -> None:
    table = python_faults.CODE
    found = dict(zip(table, _played(tmp_path, list(table.values())), strict=True))
    assert len(found) > 38
    may_be = {name: {"code", "doubtful"} if name in MAY_BE_DOUBTFUL else {"code"} for name in found}
    assert {name: cause for name, cause in found.items() if cause.verdict not in may_be[name]} == {}


def test_a_port_held_by_something_outside_is_the_environment(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        text = f"import socket\n\n\ndef test_it():\n    socket.socket().bind(('127.0.0.1', {port}))\n"
        files = {"test_port.py": text, "test_green.py": "def test_green():\n    pass\n"}
        root = trees.write(tmp_path / "tree", files)
        seen = trees.run_pytest(root)
    assert [cause.kind for cause in trees.causes(seen, trees.facts_of(root, files)).values()] == ["port"]
    again = {**files, "conftest.py": f"PORT = {port}\n"}
    for facts in (trees.facts_of(root, again), trees.facts_of(root, files, shared_network=False)):
        assert [cause.verdict for cause in trees.causes(seen, facts).values()] == ["code"]


BROKEN_PLUGIN = "import pytest\n\n\ndef pytest_runtest_setup(item):\n    item.session.config.no_such_hook_of_pytest()\n"
TWO = "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n"


@pytest.mark.slow
def test_a_runner_broken_by_its_own_update_is_the_environment(tmp_path: Path) -> None:
    trees.write(tmp_path / "lib" / "site-packages", {"broken_plugin.py": BROKEN_PLUGIN})
    root = trees.write(tmp_path / "tree", {"test_two.py": TWO})
    env = {"PYTHONPATH": str(tmp_path / "lib" / "site-packages")}
    found = trees.causes(trees.run_pytest(root, "-p", "broken_plugin", env=env), NOTHING)
    assert {(cause.verdict, cause.kind) for cause in found.values()} == {("environment", "runner")}
    assert len(found) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("set_up", "kind"),
    [
        pytest.param(
            "raise ValueError('rates are not loaded')", "doubtful", id="an own set-up that breaks is in doubt"
        ),
        pytest.param(
            "import _pytest.monkeypatch as m; m.no_such_thing", "environment", id="a part that the runner lost"
        ),
        pytest.param("assert not 'ready'", "code", id="an own check of the set-up is the code"),
    ],
)
def test_a_set_up_that_all_tests_share(tmp_path: Path, set_up: str, kind: str) -> None:
    fixture = f"import pytest\n\n\n@pytest.fixture(autouse=True)\ndef ready():\n    {set_up}\n"
    root = trees.write(tmp_path / "tree", {"test_two.py": TWO, "conftest.py": fixture})
    assert {cause.verdict for cause in trees.causes(trees.run_pytest(root), NOTHING).values()} == {kind}


def test_different_failures_of_every_test_are_not_shared() -> None:
    red = [RedTest("a", "ValueError: one thing"), RedTest("b", "TypeError: another"), RedTest("c", "")]
    assert set(find_causes(red, NOTHING, passed=0).values()) == {CODE}


PACKAGE = {"package.json": '{"name": "shop", "dependencies": {"left-pad": "1"}}', "package-lock.json": "", "a.js": ""}
PROGRAMS = {
    "const x = require('left-pad');": ("environment", "node-modules"),
    "import x from 'left-pad';": ("environment", "node-modules"),
    "require('child_process').execFileSync('wkhtmltopdf');": ("environment", "missing-program"),
    "require('net').connect(19530, '127.0.0.1');": ("environment", "service"),
    "require('fs').readFileSync('/usr/share/dict/shop-words');": ("environment", "host-file"),
    "require('left-padd');": ("code", ""),
    "require('./b');": ("code", ""),
    "import x from './b.js';": ("code", ""),
    "require('fs').readFileSync('data/a.json');": ("code", ""),
    "require('net').connect(4119, '127.0.0.1');": ("code", ""),
    "null.x;": ("code", ""),
    "require('left-pad/fast');": ("doubtful", "node-modules"),
    "require('../dist/index.js');": ("doubtful", "not-installed"),
}


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_node(tmp_path: Path, program: str) -> None:
    name = "main.mjs" if program.startswith("import") else "main.cjs"
    root = trees.write(tmp_path / "tree", {**PACKAGE, name: program})
    done = subprocess.run(["node", name], cwd=root, capture_output=True, text=True, check=False)
    facts = trees.facts_of(root, {**PACKAGE, name: program})
    found = find_cause_of_output(done.stderr, facts)
    assert (done.returncode, found.verdict, found.kind) == (1, *PROGRAMS[program]), done.stderr


def test_of_a_whole_command_an_ordinary_failure_beside_it_makes_it_doubtful() -> None:
    output = "sh: 1: wkhtmltopdf: not found\n"
    assert find_cause_of_output(output, NOTHING).verdict == "environment"
    assert find_cause_of_output(f"{output}--- FAIL: TestAdd\n", NOTHING).verdict == "doubtful"
    whole = find_causes([RedTest(WHOLE_SUITE, output)], NOTHING, passed=0)
    assert whole[WHOLE_SUITE].kind == "missing-program"


NO_PLUGIN = "pytest: error: unrecognized arguments: --cov=x"


@pytest.mark.parametrize(
    ("why", "output", "expected"),
    [
        pytest.param("the test command took too long and was stopped", "", ("environment", "timeout"), id="a time-out"),
        pytest.param("the test command was killed by signal 9", "", ("environment", "memory"), id="killed"),
        pytest.param("no report", "sh: 1: vitest: not found", ("doubtful", "missing-program"), id="an undeclared tool"),
        pytest.param("no report", "error: no default toolchain", ("environment", "toolchain"), id="no toolchain"),
        pytest.param("no report", NO_PLUGIN, ("environment", "missing-module"), id="a plugin"),
        pytest.param("no report", "something else", ("code", ""), id="nothing that is known"),
    ],
)  # fmt: skip
def test_a_command_that_gave_no_result(why: str, output: str, expected: tuple[str, str]) -> None:
    found = find_cause_of_no_result(why, output, NOTHING)
    assert (found.verdict, found.kind) == expected


FRAMES = "/opt/py/lib/python3.8/site-packages/_pytest/python.py:617: in _importtestmodule\n"
CAPTURED = "AssertionError: assert 1 == 0\n----- Captured stderr call -----\n"
TOOLCHAIN, PROGRAM = ("environment", "toolchain"), ("doubtful", "missing-program")
RECORDED = {
    f"SyntaxError: invalid syntax\n{FRAMES}E   SyntaxError: invalid syntax": TOOLCHAIN,
    "java.lang.UnsupportedClassVersionError: shop/Main has been compiled by a more recent version": TOOLCHAIN,
    "go: go.mod requires go >= 1.24 (running go 1.19; GOTOOLCHAIN=local)": TOOLCHAIN,
    f"{CAPTURED}sh: 1: wkhtmltopdf: not found": PROGRAM,
    f"{CAPTURED}nothing of interest": ("code", ""),
}
"""What this machine cannot show."""


@pytest.mark.parametrize("message", RECORDED)
def test_recorded_messages(message: str) -> None:
    facts = TreeFacts(frozenset(PROJECT), PROJECT)
    found = find_cause(message, facts)
    assert (found.verdict, found.kind) == RECORDED[message]
