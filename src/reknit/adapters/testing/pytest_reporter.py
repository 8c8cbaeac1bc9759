"""Loaded by the pytest of a repository: streams each result as it happens.

Its source is a file in the private HOME of a box, so it uses nothing but the standard library and pytest, and nothing
newer than Python 3.8. `{stream}` is the number of the descriptor that the results are written to.
"""

import contextlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence  # noqa: UP035

STREAM = "{stream}"
_LONGEST = 400_000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")
_CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _sender(stream: int) -> Callable[..., None]:
    """What it needs is bound here, before tested code can replace it."""
    os.set_inheritable(stream, False)  # noqa: FBT003
    key = b""
    while not key.endswith(b"\n"):
        part = os.read(stream, 64)
        if not part:
            raise OSError("the stream of results is closed")
        key += part
    key = key.strip()
    process, number = os.getpid(), 0
    getpid, write, dumps = os.getpid, os.write, json.dumps

    def send(**record: object) -> None:
        nonlocal number
        if getpid() != process:
            return  # a fork that goes on with the tests has nothing to report
        data = b"%s %d %s\n" % (key, number, dumps(record).encode())
        number += 1
        while data:
            data = data[write(stream, data) :]

    return send


def _leave_no_trace() -> None:
    """Tested code and its children have the paths that the user set."""
    folder = str(Path(__file__).parent)
    sys.path[:] = [place for place in sys.path if place != folder]
    left = [place for place in os.environ.get("PYTHONPATH", "").split(":") if place != folder]
    os.environ.pop("PYTHONPATH", None)
    if any(left):
        os.environ["PYTHONPATH"] = ":".join(left)
    with contextlib.suppress(OSError):
        Path(__file__).unlink()
        Path(folder).rmdir()


class Reporter:
    """Its records have the attributes of pytest's JUnit reports, so test ids are the same."""

    def __init__(self, send: Callable[..., None]) -> None:
        self._send, self._count = send, 0

    def pytest_collection_finish(self, session: Any) -> None:
        if session.items:
            self._send(collected=len({item.nodeid for item in session.items}))

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._result(report, "failed", "collection failure")
        elif report.skipped:
            self._result(report, "skipped")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and hasattr(report, "wasxfail"):
            self._result(report, "skipped")
        elif report.failed:
            self._result(report, "failed", _message(report))
        elif report.skipped:
            self._result(report, "skipped")
        elif report.passed and report.when == "call":
            self._result(report, "passed")

    def pytest_sessionfinish(self) -> None:
        self._send(end=self._count)

    def _result(self, report: Any, result: str, message: str = "") -> None:
        self._count += 1
        words = f"{message}\n{report.longrepr}" if result == "failed" else ""
        self._send(suite="pytest", result=result, words=_CONTROL.sub(_escaped, words[:_LONGEST]), **_place(report))


def _place(report: Any) -> Dict[str, str]:  # noqa: UP006
    path, bracket, parameters = report.nodeid.partition("[")
    names: List[str] = path.split("::")  # noqa: UP006
    names[0] = re.sub(r"\.py$", "", names[0].replace("/", "."))
    names[-1] += bracket + parameters
    said = {
        "classname": ".".join(names[:-1]),
        "name": names[-1],
        "file": str(report.location[0]),
        "node": report.nodeid,
    }
    return {name: _NOT_XML.sub(_escaped, value) for name, value in said.items()}


def _escaped(match: Any) -> str:
    """As pytest does it."""
    number = ord(match.group())
    return "#x%02X" % number if number <= 0xFF else "#x%04X" % number  # noqa: UP031


def _message(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    reason = str(report.longrepr) if crash is None else crash.message
    return f'failed on {report.when} with "{reason}"' if report.when != "call" else reason


def pytest_load_initial_conftests(early_config: Any, args: List[str]) -> None:  # noqa: UP006
    """Let plugins that shuffle the tests do so alike in every run. A seed that the user gave comes later, and wins."""
    if early_config.pluginmanager.hasplugin("randomly"):
        args.insert(0, "--randomly-seed=1")
    if any(word.startswith("--random-order") for word in args):
        args.insert(0, "--random-order-seed=1")


def pytest_configure(config: Any) -> None:
    if not STREAM.isdigit() or hasattr(config, "workerinput"):
        return
    _forget_argument(config)
    config.pluginmanager.register(Reporter(_send))


def _forget_argument(config: Any) -> None:
    """The workers of pytest-xdist are given the same arguments, and would look for this plugin."""
    given = config.invocation_params
    config.invocation_params = type(given)(args=_without_us(given.args), plugins=given.plugins, dir=given.dir)
    config.option.plugins[:] = [name for name in config.option.plugins if name != __name__]
    sys.argv[:] = _without_us(sys.argv)


def _without_us(words: Sequence[str]) -> List[str]:  # noqa: UP006
    pairs = zip(words, [*words[1:], ""])  # noqa: B905 - strict is newer than Python 3.8
    ours = {at + step for at, pair in enumerate(pairs) if pair == ("-p", __name__) for step in (0, 1)}
    return [word for at, word in enumerate(words) if at not in ours]


if STREAM.isdigit():
    _send = _sender(int(STREAM))
    _send(begin="pytest")
    _leave_no_trace()
