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

from reknit.adapters.settled_future import call_for_result
from reknit.core.errors import ReknitError
from reknit.core.gate.code_change import list_code_paths
from reknit.core.gate.judge import judge
from reknit.core.gate.mention_words import collect_words
from reknit.core.gate.test_evidence import select_test_paths
from reknit.core.issues.formats.registry import read_whole_report
from reknit.core.languages.reports import read_stream, read_tests
from reknit.core.languages.tamper_checks import make_checks
from reknit.core.planning.criterion_facts import judge_fact
from reknit.core.review.mutants import list_mutants
from reknit.core.review.reach import find_reach
from reknit.core.testing.junit import read_junit

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    judge, collect_words, select_test_paths, read_junit, read_tests, read_stream, read_whole_report, judge_fact,
    make_checks, list_code_paths, find_reach, list_mutants,
)  # fmt: skip
CALLABLE = {function.__name__: function for function in _FUNCTIONS}
LENGTH = struct.Struct("!Q")
_PR_SET_PDEATHSIG = 1
_NOTHING = msgspec.Raw(msgspec.msgpack.encode(None))


class Request(msgspec.Struct, array_like=True):
    """The function to call, and its memory limit in bytes; the arguments follow as a second message."""

    function: str
    memory_bytes: int


class Answer(msgspec.Struct, array_like=True):
    """The result of a call, or the words of its error."""

    kind: Literal["result", "problem", "value", "memory", "bug"]
    result: msgspec.Raw = _NOTHING
    exit_code: int = 0
    words: tuple[str, ...] = ()


def argument_types(function: Callable[..., Any]) -> Any:
    """Return the type of a function's arguments, as one tuple."""
    hints = get_type_hints(function)
    hints.pop("return")
    return tuple[*hints.values()]  # type: ignore[misc]


def result_type(function: Callable[..., Any]) -> Any:
    """Return the type of a function's result."""
    return get_type_hints(function)["return"]


def serve(parent: int) -> None:
    """Answer requests until the parent closes the pipe or exits."""
    _die_with(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null_device = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null_device, number)
    while head := _read_message(requests):
        answer = msgspec.msgpack.encode(
            answer_request(msgspec.msgpack.decode(head, type=Request), _read_message(requests))
        )
        answers.write(LENGTH.pack(len(answer)))
        answers.write(answer)
        answers.flush()


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process with its parent: a busy process would not notice a closed pipe."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def _read_message(requests: BinaryIO) -> bytes:
    head = requests.read(LENGTH.size)
    return requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


def answer_request(request: Request, arguments: bytes) -> Answer:
    """Call the function within the memory limit and return its answer."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = request.memory_bytes if hard == resource.RLIM_INFINITY else min(request.memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    function = CALLABLE[request.function]

    def work() -> bytes:
        values = msgspec.msgpack.decode(arguments, type=argument_types(function))
        return msgspec.msgpack.encode(function(*values))

    result = call_for_result(work)
    return _answer_of_failure(result) if isinstance(result, Exception) else Answer("result", msgspec.Raw(result))


def _answer_of_failure(problem: Exception) -> Answer:
    if isinstance(problem, ReknitError):
        words = (problem.name, problem.message, problem.help, problem.where)
        return Answer("problem", exit_code=problem.exit_code, words=words)
    if isinstance(problem, MemoryError | RecursionError):
        return Answer("memory")
    if isinstance(problem, ValueError):
        return Answer("value", words=(str(problem),))
    return Answer("bug", words=(f"{type(problem).__name__}: {problem}",))
