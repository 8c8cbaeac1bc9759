"""Runs unittest, or Django's `manage.py test`, and streams the results as they happen.

The Python of the repository runs it, so it uses only the standard library, and nothing newer than Python 3.8:
`python FILE unittest|manage.py ARGUMENTS… [--pick=ID…]`. `{stream}` is replaced by the number of the file descriptor
for the results. If it is not, they are written as JUnit: `python -c SOURCE REPORT unittest|manage.py …`.
"""

import contextlib
import functools
import os
import re
import runpy
import sys
import traceback
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Tuple  # noqa: UP035
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:  # in a box, the text of that module is in front of this one
    from reknit.adapters.testing.result_sender import make_sender

ONLY = "--pick="
STREAM = "{stream}"
_MAX_MESSAGE_CHARS = 400_000
Place = Tuple[str, List[str], str]  # noqa: UP006
"""File, classes and name of a test; a module or a class that failed as a whole has no name."""

_ErrorHolder: Any = unittest.suite._ErrorHolder  # type: ignore[attr-defined]
_SubTest: Any = unittest.case._SubTest  # type: ignore[attr-defined]
_HOLDER = re.compile(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RESULTS = {
    "addSuccess": "passed",
    "addSkip": "skipped",
    "addExpectedFailure": "skipped",  # as in pytest
    "addError": "failed",
    "addFailure": "failed",
    "addUnexpectedSuccess": "failed",
}


class Recorder:
    """The results of the outermost run; a run that a test starts itself adds none."""

    def __init__(self, only: Iterable[str], send: Callable[..., None] | None = None) -> None:
        self.only, self.send = frozenset(only), send
        self.current: Any = None
        self.is_complete = False
        self.cases: list[tuple[Place, str, str]] = []

    def add(self, result: object, test: Any, kind: str, words: str) -> None:
        if result is self.current:
            case = place_of(test), kind, words
            self.cases.append(case)
            if self.send:
                self.send(
                    suite="unittest",
                    result=kind,
                    words=_repeat_last_line(words)[:_MAX_MESSAGE_CHARS],
                    **_make_attributes(case[0]),
                )

    def select(self, suite: Any) -> Any:
        """Keep only the selected tests of a suite, in the suite's own structure."""
        for name in ("_tests", "subsuites"):  # Django's parallel suite has the latter
            inner = getattr(suite, name, None)
            if inner and self.only:
                setattr(suite, name, [self.select(test) for test in inner if self._is_selected(test)])
        return suite

    def _is_selected(self, test: Any) -> bool:
        if isinstance(test, unittest.BaseTestSuite):
            return True
        file, classes, name = place_of(test)
        levels = [file, *classes, name]
        return any("::".join(levels[:count]) in self.only for count in range(1, len(levels) + 1))

    def write(self, path: str) -> None:
        complete = {str(place) for place, kind, _ in self.cases if kind != "partly skipped"}
        cases = "".join(
            _render_case(*case) for case in self.cases if case[1] != "partly skipped" or str(case[0]) not in complete
        )
        text = f'<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="unittest">\n{cases}</testsuite>\n'
        Path(path).write_text(text, encoding="utf-8")


def place_of(test: Any) -> Place:
    """Return the place of a test in its file."""
    holder = _HOLDER.match(test.description) if isinstance(test, _ErrorHolder) else None
    if holder:
        module, classes = _split_dotted(holder.group(1))
        return _find_file(module), classes, ""
    test = test.test_case if isinstance(test, _SubTest) else test
    if type(test).__module__ == "unittest.loader":  # a module that cannot be loaded
        return _find_file(test._testMethodName), [], ""
    document = getattr(test, "_dt_test", None)
    if document is not None:  # a doctest
        return _to_relative(document.filename or ""), [], document.name
    return (
        _find_file(type(test).__module__),
        type(test).__qualname__.split("."),
        getattr(test, "_testMethodName", str(test)),
    )


def _split_dotted(dotted: str) -> tuple[str, list[str]]:
    """Split `package.module.Class` into the module, and the classes in it."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        if ".".join(parts[:count]) in sys.modules:
            return ".".join(parts[:count]), parts[count:]
    return dotted, []


@functools.lru_cache(maxsize=None)  # noqa: UP033
def _find_file(module: str) -> str:
    file = getattr(sys.modules.get(module), "__file__", None)
    if file:
        return _to_relative(file)
    path = module.replace(".", "/")
    for folder in ["", *sys.path]:
        for name in (f"{path}.py", f"{path}/__init__.py"):
            if Path(folder, name).is_file():
                return _to_relative(str(Path(folder, name)))
    return f"{path}.py"


def _to_relative(file: str) -> str:
    path = os.path.relpath(file)
    return file if path.startswith("..") else path


def _make_attributes(place: Place) -> dict[str, str]:
    file, classes, name = place
    module = re.sub(r"\.py$", "", file).replace("/", ".")
    if not name and classes:
        classes, name = classes[:-1], classes[-1]
    group = ".".join([module, *classes]) if name else ""
    values = {"classname": group, "name": name or module, "file": file}
    return {key: _NOT_XML.sub("?", value) for key, value in values.items()}


def _repeat_last_line(words: str) -> str:
    """Put a copy of the last line first: people read the first line, and the last one of a traceback has the error."""
    text = _NOT_XML.sub("?", words)
    return f"{_last_line(text)}\n{text}"


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _render_case(place: Place, kind: str, words: str) -> str:
    attributes = " ".join(f"{key}={quoteattr(value)}" for key, value in _make_attributes(place).items())
    inside = "<skipped/>" if "skipped" in kind else ""
    if kind == "failed":
        text = _NOT_XML.sub("?", words)
        inside = f"<failure message={quoteattr(_last_line(text))}>{escape(text)}</failure>"
    return f"<testcase {attributes}>{inside}</testcase>\n"


def record(recorder: Recorder) -> None:
    """Patch the classes of every result and every runner, so that the recorder gets all results."""
    results: Any = unittest.TestResult
    runners: Any = unittest.TextTestRunner
    for name, kind in _RESULTS.items():
        setattr(results, name, _wrap_result(getattr(results, name), kind, recorder))
    subtest, start, stop, run = results.addSubTest, results.startTestRun, results.stopTestRun, runners.run

    def add_subtest(self: Any, test: Any, part: Any, err: Any) -> Any:
        if err is not None:
            recorder.add(self, test, "failed", f"{part}\n{_render_traceback(err)}")
        return subtest(self, test, part, err)

    def start_test_run(self: Any) -> Any:
        if recorder.current is None:
            recorder.current, recorder.is_complete = self, False
        return start(self)

    def stop_test_run(self: Any) -> Any:
        if recorder.current is self:
            recorder.current, recorder.is_complete = None, True
        return stop(self)

    def run_suite(self: Any, test: Any) -> Any:
        if recorder.current is not None:
            return run(self, test)
        try:
            return run(self, recorder.select(test))
        except BaseException:
            recorder.is_complete = False  # `stopTestRun` is called all the same
            raise

    results.addSubTest, results.startTestRun, results.stopTestRun = add_subtest, start_test_run, stop_test_run
    runners.run = run_suite


def _wrap_result(original: Any, kind: str, recorder: Recorder) -> Any:
    def add(self: Any, test: Any, *rest: Any) -> Any:
        words = _render_traceback(rest[0]) if kind == "failed" and rest else "unexpected success"
        # Whether the test of a skipped subtest has a result too depends on the version of Python.
        is_part = kind == "skipped" and isinstance(test, _SubTest)
        recorder.add(self, test, "partly skipped" if is_part else kind, words)
        return original(self, test, *rest)

    return add


def _render_traceback(error: Any) -> str:
    return "".join(traceback.format_exception(*error))


def main() -> None:
    """Run the program with a recorder, and write or stream its results."""
    send = make_sender(int(STREAM)) if STREAM.isdigit() else None
    if send:
        send(begin="unittest")
    words = sys.argv[1:]
    report = "" if send else words.pop(0)
    program, *arguments = words
    recorder = Recorder((word[len(ONLY) :] for word in arguments if word.startswith(ONLY)), send)
    if sys.path[:1] in ([""], [str(Path(sys.argv[0]).parent)]):  # added for `-c`, or for this file
        del sys.path[0]
    if send:
        with contextlib.suppress(OSError):
            Path(sys.argv[0]).unlink()
            Path(sys.argv[0]).parent.rmdir()
    sys.argv = [program, *(word for word in arguments if not word.startswith(ONLY))]
    record(recorder)
    process = os.getpid()
    try:
        if program.endswith(".py"):
            sys.path.insert(0, str(Path(program).resolve().parent))
            runpy.run_path(program, run_name="__main__")
        else:
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    finally:
        # Not in a forked worker, and not after an aborted run: its partial report would look complete.
        if os.getpid() == process and recorder.is_complete:
            if send:
                send(end=len(recorder.cases))
            else:
                recorder.write(report)


if __name__ == "__main__":
    main()
