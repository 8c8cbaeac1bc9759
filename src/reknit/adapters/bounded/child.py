"""The child process that calls pure functions on untrusted text: it inherits nothing and dies with its parent."""

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Literal, get_type_hints

import msgspec

from reknit.adapters.settled_future import result_or_error
from reknit.core.errors import ReknitError
from reknit.core.gate.judge import judge
from reknit.core.gate.mention_words import words_to_ask
from reknit.core.gate.syntax.code_change import code_paths
from reknit.core.gate.test_evidence import paths_of_tests
from reknit.core.issues.formats.whole_report import read_report
from reknit.core.planning.criterion_facts import judge_fact
from reknit.core.tamper_checks.make import make_checks
from reknit.core.testing.junit_messages import read_junit
from reknit.core.testing.reports import read_tests
from reknit.core.testing.streams.read import read_stream

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    judge, words_to_ask, paths_of_tests, read_junit, read_tests, read_stream, read_report, judge_fact, make_checks,
    code_paths,
)  # fmt: skip
CALLABLE = {function.__name__: function for function in _FUNCTIONS}
LENGTH = struct.Struct("!Q")
_PR_SET_PDEATHSIG = 1
_NOTHING = msgspec.Raw(msgspec.msgpack.encode(None))


class Request(msgspec.Struct, array_like=True):
    function: str
    memory_bytes: int


class Answer(msgspec.Struct, array_like=True):
    kind: Literal["result", "problem", "value", "memory", "bug"]
    result: msgspec.Raw = _NOTHING
    exit_code: int = 0
    words: tuple[str, ...] = ()


def given_type(function: Callable[..., Any]) -> Any:
    hints = get_type_hints(function)
    hints.pop("return")
    return tuple[*hints.values()]  # type: ignore[misc]


def result_type(function: Callable[..., Any]) -> Any:
    return get_type_hints(function)["return"]


def serve(parent: int) -> None:
    """Answer requests until the parent closes the pipe or exits."""
    _die_with(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    while head := _next(requests):
        answer = msgspec.msgpack.encode(answer_to(msgspec.msgpack.decode(head, type=Request), _next(requests)))
        answers.write(LENGTH.pack(len(answer)))
        answers.write(answer)
        answers.flush()


def _die_with(parent: int) -> None:
    """Works even while a pattern is being matched and no pipe is read."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def _next(requests: BinaryIO) -> bytes:
    head = requests.read(LENGTH.size)
    return requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


def answer_to(request: Request, given: bytes) -> Answer:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = request.memory_bytes if hard == resource.RLIM_INFINITY else min(request.memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    function = CALLABLE[request.function]

    def work() -> bytes:
        values = msgspec.msgpack.decode(given, type=given_type(function))
        return msgspec.msgpack.encode(function(*values))

    result = result_or_error(work)
    return _failed(result) if isinstance(result, Exception) else Answer("result", msgspec.Raw(result))


def _failed(problem: Exception) -> Answer:
    if isinstance(problem, ReknitError):
        words = (problem.name, problem.what, problem.help, problem.where)
        return Answer("problem", exit_code=problem.exit_code, words=words)
    if isinstance(problem, MemoryError | RecursionError):
        return Answer("memory")
    if isinstance(problem, ValueError):
        return Answer("value", words=(str(problem),))
    return Answer("bug", words=(f"{type(problem).__name__}: {problem}",))
