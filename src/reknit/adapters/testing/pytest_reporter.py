"""Streams each result of a repository's pytest as it happens; pytest loads this file as a plugin.

The Python of the repository runs it in a box, so it uses only the standard library and pytest, and nothing newer than
Python 3.8. `{stream}` is replaced by the number of the file descriptor for the results.
"""

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Sequence  # noqa: UP035

if TYPE_CHECKING:  # in a box, the text of that module is in front of this one
    from reknit.adapters.testing.result_sender import make_sender

STREAM = "{stream}"
_MAX_MESSAGE_CHARS = 400_000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")
_CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _leave_no_trace() -> None:
    """Remove the traces of this plugin from the import path, the environment and the disk."""
    folder = str(Path(__file__).parent)
    sys.path[:] = [place for place in sys.path if place != folder]
    remaining = [place for place in os.environ.get("PYTHONPATH", "").split(":") if place != folder]
    os.environ.pop("PYTHONPATH", None)
    if any(remaining):
        os.environ["PYTHONPATH"] = ":".join(remaining)
    with contextlib.suppress(OSError):
        Path(__file__).unlink()
        Path(folder).rmdir()


class Reporter:
    """Reports with the attributes of pytest's JUnit reports, so that test ids are the same."""

    def __init__(self, send: Callable[..., None]) -> None:
        self._send, self._count = send, 0

    def pytest_collection_finish(self, session: Any) -> None:
        if session.items:
            self._send(collected=len({item.nodeid for item in session.items}))

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._send_result(report, "failed", "collection failure")
        elif report.skipped:
            self._send_result(report, "skipped")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and hasattr(report, "wasxfail"):
            self._send_result(report, "skipped")
        elif report.failed:
            self._send_result(report, "failed", _make_message(report))
        elif report.skipped:
            self._send_result(report, "skipped")
        elif report.passed and report.when == "call":
            self._send_result(report, "passed")

    def pytest_sessionfinish(self) -> None:
        self._send(end=self._count)

    def _send_result(self, report: Any, result: str, message: str = "") -> None:
        self._count += 1
        words = f"{message}\n{report.longrepr}" if result == "failed" else ""
        self._send(
            suite="pytest",
            result=result,
            words=_CONTROL.sub(_escape, words[:_MAX_MESSAGE_CHARS]),
            **_make_attributes(report),
        )


def _make_attributes(report: Any) -> Dict[str, str]:  # noqa: UP006
    path, bracket, parameters = report.nodeid.partition("[")
    names: List[str] = path.split("::")  # noqa: UP006
    names[0] = re.sub(r"\.py$", "", names[0].replace("/", "."))
    names[-1] += bracket + parameters
    attributes = {
        "classname": ".".join(names[:-1]),
        "name": names[-1],
        "file": str(report.location[0]),
        "node": report.nodeid,
    }
    return {name: _NOT_XML.sub(_escape, value) for name, value in attributes.items()}


def _escape(match: Any) -> str:
    """Escape a character like pytest."""
    number = ord(match.group())
    return "#x%02X" % number if number <= 0xFF else "#x%04X" % number  # noqa: UP031


def _make_message(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    reason = str(report.longrepr) if crash is None else crash.message
    return f'failed on {report.when} with "{reason}"' if report.when != "call" else reason


def pytest_load_initial_conftests(early_config: Any, args: List[str]) -> None:  # noqa: UP006
    """Make plugins that shuffle tests use the same seed in every run. A seed of the user comes later, and wins."""
    if early_config.pluginmanager.hasplugin("randomly"):
        args.insert(0, "--randomly-seed=1")
    if any(word.startswith("--random-order") for word in args):
        args.insert(0, "--random-order-seed=1")


def pytest_configure(config: Any) -> None:
    """Register the reporter, except in a worker of pytest-xdist."""
    if not STREAM.isdigit() or hasattr(config, "workerinput"):
        return
    _forget_argument(config)
    config.pluginmanager.register(Reporter(_send))


def _forget_argument(config: Any) -> None:
    """Remove this plugin from the arguments, because workers of pytest-xdist get them and would not find it."""
    parameters = config.invocation_params
    config.invocation_params = type(parameters)(
        args=_without_us(parameters.args), plugins=parameters.plugins, dir=parameters.dir
    )
    config.option.plugins[:] = [name for name in config.option.plugins if name != __name__]
    sys.argv[:] = _without_us(sys.argv)


def _without_us(words: Sequence[str]) -> List[str]:  # noqa: UP006
    pairs = zip(words, [*words[1:], ""])  # noqa: B905 - strict is newer than Python 3.8
    ours = {at + step for at, pair in enumerate(pairs) if pair == ("-p", __name__) for step in (0, 1)}
    return [word for at, word in enumerate(words) if at not in ours]


if STREAM.isdigit():
    _send = make_sender(int(STREAM))
    _send(begin="pytest")
    _leave_no_trace()
