"""The reporter in a real pytest: the same ids and messages as in the JUnit report of the same run."""

import asyncio
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.box.host import HostBox
from reknit.adapters.testing import pytest_reporter, suite_runner
from reknit.core.box import BoxView
from reknit.core.projects.detect import parse_user_command
from reknit.core.testing.report import TestReport

EVERY_RESULT = """
import unittest
import pytest

@pytest.mark.parametrize("n", [1, 2, "a::b", "x/y.py", "\\x1b[0m", "é"], ids=str)
def test_each(n): assert n != 2
class TestA:
    class TestB:
        def test_deep(self): raise ValueError("oops <&> \\x00")
    @pytest.mark.skip(reason="later")
    def test_off(self): pass
    @pytest.mark.xfail
    def test_known(self): assert 0
    @pytest.mark.xfail(strict=True)
    def test_surprise(self): pass
    @pytest.mark.xfail
    def test_mild_surprise(self): pass
@pytest.fixture
def broken(): raise OSError("no database")
@pytest.fixture
def late():
    yield
    raise OSError("not closed")
def test_set_up(broken): pass
def test_tear_down(late): pass
def test_skips_itself(): pytest.skip("not here")
class C(unittest.TestCase):
    def test_case(self): self.assertEqual(1, 2)
    @unittest.expectedFailure
    def test_expected(self): self.fail()
"""
FILES = {
    "test_every.py": EVERY_RESULT,
    "tests/deep/test_more.py": "def test_ok(): pass\n",
    "test_broken.py": "import no_such_module\n",
    "test_left_out.py": "import pytest\npytest.skip('not here', allow_module_level=True)\n",
}


def run(folder: Path, *, streams: bool, monkeypatch: pytest.MonkeyPatch, more: str = "") -> TestReport:
    with monkeypatch.context() as patch:
        if not streams:
            patch.setattr(suite_runner, "add_streaming_reporter", lambda *_: None)
        command = parse_user_command(
            f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH=. {sys.executable} -m pytest -q {more}"
        )
        view = BoxView(str(folder), str(folder))
        (folder / "outbox").mkdir(exist_ok=True)
        with closing(ChildCalls()) as calls:
            runner = suite_runner.TestCommandRunner(calls)
            return asyncio.run(runner.run(command, view, HostBox(), outbox=str(folder / "outbox"), wall_s=60))


def test_the_stream_says_what_the_report_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    streamed = run(tmp_path, streams=True, monkeypatch=monkeypatch)
    reported = run(tmp_path, streams=False, monkeypatch=monkeypatch)
    assert len(reported.results) > 15, "control: there is something to compare"
    assert streamed.results == reported.results
    assert streamed.files == reported.files
    first = {test: words.splitlines()[:1] for test, words in streamed.messages.items()}
    assert first == {test: words.splitlines()[:1] for test, words in reported.messages.items()}
    assert (streamed.status, streamed.exit_code) == (reported.status, reported.exit_code)


def test_an_argument_is_removed_with_its_option_and_nothing_else() -> None:
    name = pytest_reporter.__name__
    assert pytest_reporter._without_us(["-q", "-p", name, "-p", "x", name]) == ["-q", "-p", "x", name]
    assert pytest_reporter._without_us([]) == []


class Plugins:
    """Those that pytest has loaded, by name."""

    def __init__(self, *names: str) -> None:
        self.pluginmanager, self._names = self, names

    def hasplugin(self, name: str) -> bool:
        return name in self._names


@pytest.mark.parametrize(
    ("plugins", "args", "expected"),
    [
        pytest.param((), ["-q"], ["-q"], id="nothing shuffles"),
        pytest.param(("randomly",), ["-q"], ["--randomly-seed=1", "-q"], id="pytest-randomly"),
        pytest.param(
            ("randomly",),
            ["--randomly-seed=7"],
            ["--randomly-seed=1", "--randomly-seed=7"],
            id="the user's seed is last",
        ),
        pytest.param(("random_order",), ["-q"], ["-q"], id="pytest-random-order, not asked for"),
        pytest.param((), ["--random-order"], ["--random-order-seed=1", "--random-order"], id="pytest-random-order"),
    ],
)
def test_tests_are_shuffled_alike_in_every_run(plugins: tuple[str, ...], args: list[str], expected: list[str]) -> None:
    pytest_reporter.pytest_load_initial_conftests(Plugins(*plugins), args)
    assert args == expected


SHUFFLER = """
import random
def pytest_addoption(parser):
    parser.addoption("--randomly-seed", default=random.random(), type=float)
def pytest_collection_modifyitems(config, items):
    random.Random(config.getoption("randomly_seed")).shuffle(items)
"""


def test_the_same_tests_are_red_however_they_are_shuffled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test passes only at the place that it had in the order of its file."""
    (tmp_path / "randomly.py").write_text(SHUFFLER)
    (tmp_path / "test_order.py").write_text(
        "import pytest\nCALLS = []\n@pytest.mark.parametrize('n', range(12))\n"
        "def test_n(n):\n    CALLS.append(n)\n    assert CALLS[n:] == [n]\n"
    )
    orders = [run(tmp_path, streams=True, monkeypatch=monkeypatch, more="-p randomly").failed for _ in range(2)]
    assert orders[0] == orders[1] != frozenset()
