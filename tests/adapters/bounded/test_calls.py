"""Work in a child process: its answers, its limits, and that nothing of it outlives whoever asked."""

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reknit.adapters.bounded.calls import ChildCalls
from reknit.core.errors import InternalError, UsageError
from reknit.core.gate.judge import judge
from reknit.core.gate.scope import Scope
from reknit.core.issues.formats.registry import read_whole_report
from reknit.core.repository.change import Change, FileChange
from reknit.core.testing.junit import read_junit
from reknit.core.testing.reported import ReportedTests
from reknit.core.text.untrusted_input import GATE_LIMITS, TEST_REPORT_LIMITS, UnfinishedWork, WorkLimits

SCOPE = Scope((), "", 20, 1000, "pytest")
CHANGE = Change((FileChange("src/a.py", b"x = 1\n", b"x = 2\n", 0o100644, 0o100644),), unsafe=(("pipe", "special"),))


_others: set[int] = set()
"""Children that earlier tests left in this process. They exit once their pipe is closed."""


@pytest.fixture
def calls() -> Iterator[ChildCalls]:
    _others.update(children(os.getpid()))
    with closing(ChildCalls()) as made:
        yield made


NESTED_TESTS = b"#[cfg(test)]\nmod a {\n#[test]\nfn x(){}\n"
"""In a row, without an end: each module holds all that follow, so the time grows with the square of their number."""
SLOW = Change((FileChange("src/a.rs", b"", NESTED_TESTS * 120_000),))


def test_the_answer_is_that_of_the_function(calls: ChildCalls) -> None:
    CHANGE.files[0].text_after.strip()  # what was computed before is no part of the value
    for _ in range(2):
        assert asyncio.run(calls.run(GATE_LIMITS, judge, CHANGE, SCOPE)) == judge(CHANGE, SCOPE)
    suite = b'<testsuite><testcase classname="a" name="b"><failure>no\x09</failure></testcase></testsuite>'
    assert calls.run_and_wait(TEST_REPORT_LIMITS, read_junit, (suite,)) == read_junit((suite,))


def test_what_the_function_raises_is_raised_here(calls: ChildCalls) -> None:
    with pytest.raises(ValueError, match="the test report"):
        calls.run_and_wait(TEST_REPORT_LIMITS, read_junit, (b"<testsuite>",))
    with pytest.raises(UsageError, match="is empty") as problem:
        calls.run_and_wait(TEST_REPORT_LIMITS, read_whole_report, b"", "here.sarif", "")
    assert (problem.value.where, problem.value.exit_code) == ("here.sarif", 2)
    assert calls.run_and_wait(TEST_REPORT_LIMITS, read_junit, ()) == ReportedTests()


def test_only_listed_functions_are_called(calls: ChildCalls) -> None:
    with pytest.raises(InternalError, match="not among the functions"):
        calls.run_and_wait(GATE_LIMITS, os.path.join, "a", "b")


def test_it_is_ended_at_its_time(calls: ChildCalls) -> None:
    start = time.monotonic()
    answer = asyncio.run(calls.run(WorkLimits(1.0, 2 << 30), judge, SLOW, SCOPE))
    assert answer == UnfinishedWork("took longer than 1 s")
    assert time.monotonic() - start < 30
    assert _children() == []
    assert asyncio.run(calls.run(GATE_LIMITS, judge, CHANGE, SCOPE)) == judge(CHANGE, SCOPE)


def test_it_is_ended_at_its_memory(calls: ChildCalls) -> None:
    answer = calls.run_and_wait(WorkLimits(60.0, 200 << 20), judge, _of(b"x = 1\n" * 20_000_000), SCOPE)
    assert isinstance(answer, UnfinishedWork)
    assert "200 MB" in answer.why or answer.why == "crashed its process"
    assert calls.run_and_wait(GATE_LIMITS, judge, CHANGE, SCOPE) == judge(CHANGE, SCOPE)


def test_cancelling_ends_it_at_once(calls: ChildCalls) -> None:
    async def cancelled() -> float:
        work = asyncio.create_task(calls.run(GATE_LIMITS, judge, SLOW, SCOPE))
        while not _children():
            await asyncio.sleep(0.01)
        start = time.monotonic()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return time.monotonic() - start

    assert asyncio.run(cancelled()) < GATE_LIMITS.wall_s / 2, "it was ended by its limit"
    assert _children() == []


def test_a_child_that_was_killed_is_no_acceptance(calls: ChildCalls) -> None:
    async def killed() -> object:
        work = asyncio.create_task(calls.run(GATE_LIMITS, judge, SLOW, SCOPE))
        while not _children():
            await asyncio.sleep(0.01)
        os.kill(_children()[0], signal.SIGKILL)
        return await work

    assert asyncio.run(killed()) == UnfinishedWork("crashed its process")


def test_it_has_nothing_of_our_environment(calls: ChildCalls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_TEST_SECRET", "hunter2hunter2")
    calls.run_and_wait(GATE_LIMITS, judge, CHANGE, SCOPE)
    (child,) = _children()
    assert Path(f"/proc/{child}/environ").read_bytes() == b""
    assert os.getsid(child) == child  # Ctrl-C in the terminal is not its business


def test_it_dies_with_its_parent() -> None:
    code = """
import sys
from tests.adapters.bounded.test_calls import *
from tests.adapters.bounded.test_calls import _children, _worked_s
import threading
calls = ChildCalls()
given = (WorkLimits(600.0, 4 << 30), judge, SLOW, SCOPE)
threading.Thread(target=calls.run_and_wait, args=given, daemon=True).start()
while not _children() or _worked_s(_children()[0]) < 1.0:
    time.sleep(0.01)
print(_children()[0], flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        handle = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    try:
        _wait_for_end(handle)
    finally:
        os.close(handle)


def _of(content: bytes) -> Change:
    return Change((FileChange("src/a.py", b"", content),))


def _wait_for_end(handle: int) -> None:
    ready = select.poll()
    ready.register(handle, select.POLLIN)
    assert ready.poll(5000), "the child outlives its parent"


def children(pid: int) -> list[int]:
    """Of that process, which call functions for it."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread or a child that has ended
            for child in (task / "children").read_text().split():
                if b"reknit.adapters.bounded.child" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
    return found


def _children() -> list[int]:
    return [child for child in children(os.getpid()) if child not in _others]


def _worked_s(pid: int) -> float:
    """Processor time: more than its start takes, so it is in the middle of its work."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")


def test_a_child_that_died_while_nobody_asked_costs_nobody_an_answer(calls: ChildCalls) -> None:
    calls.run_and_wait(GATE_LIMITS, judge, CHANGE, SCOPE)
    (child,) = _children()
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert calls.run_and_wait(GATE_LIMITS, judge, CHANGE, SCOPE) == judge(CHANGE, SCOPE)


def test_what_cannot_be_sent_leaves_no_child_behind(calls: ChildCalls) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        calls.run_and_wait(GATE_LIMITS, read_whole_report, b"", "\udcff", "")
    calls.close()
    assert _children() == []


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))", id="little memory"),
        pytest.param("d = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)", id="a folder that was removed"),
    ],
)
def test_it_works_under(before: str) -> None:
    code = (
        "import os, resource, tempfile\n"
        "from reknit.adapters.bounded.calls import ChildCalls\n"
        "from reknit.core.testing.junit import read_junit\n"
        "from reknit.core.text.untrusted_input import TEST_REPORT_LIMITS\n"
        f"{before}\n"
        "print(ChildCalls().run_and_wait(TEST_REPORT_LIMITS, read_junit, ()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == f"{ReportedTests()}\n", done.stderr
