"""The child process that calls pure functions: what it answers, and for whom it works."""

import os
import subprocess
import sys
from dataclasses import dataclass

import msgspec
import pytest

from reknit.adapters.bounded import child as bounded_child
from reknit.adapters.bounded.child import LENGTH, Answer, Request
from reknit.core.testing.junit import read_junit
from reknit.core.testing.reported import ReportedTests

CODE = "import sys; from reknit.adapters.bounded.child import serve; serve(int(sys.argv[1]))"
SPACE = 2 << 30


@dataclass(frozen=True)
class Served:
    answers: list[Answer]
    exit_code: int


def sent(*messages: bytes) -> bytes:
    return b"".join(LENGTH.pack(len(message)) + message for message in messages)


def request(function: str, given: object) -> tuple[bytes, bytes]:
    return msgspec.msgpack.encode(Request(function, SPACE)), msgspec.msgpack.encode(given)


def served(pipe: bytes, *, parent: int | None = None) -> Served:
    """What a child answers that reads this, and how it ends when the pipe does."""
    argv = [sys.executable, "-c", CODE, str(os.getpid() if parent is None else parent)]
    done = subprocess.run(argv, input=pipe, capture_output=True, check=False)
    answers, rest = [], done.stdout
    while rest:
        (size,), rest = LENGTH.unpack(rest[: LENGTH.size]), rest[LENGTH.size :]
        answers.append(msgspec.msgpack.decode(rest[:size], type=Answer))
        rest = rest[size:]
    return Served(answers, done.returncode)


def test_every_listed_function_can_be_called() -> None:
    for function in bounded_child.CALLABLE.values():
        assert bounded_child.argument_types(function)
        assert bounded_child.result_type(function)


def test_it_answers_in_order_until_the_pipe_ends() -> None:
    good, broken = request("read_junit", [[]]), request("read_junit", [[b"<testsuite>"]])
    seen = served(sent(*good, *broken, *good))
    assert ([answer.kind for answer in seen.answers], seen.exit_code) == (["result", "value", "result"], 0)
    assert msgspec.msgpack.decode(seen.answers[0].result, type=ReportedTests) == read_junit(())
    assert "the test report" in seen.answers[1].words[0]


def test_a_known_problem_keeps_its_words_and_its_exit_code() -> None:
    (answer,) = served(sent(*request("read_whole_report", [b"", "here.sarif", ""]))).answers
    assert (answer.kind, answer.exit_code, answer.words[3]) == ("problem", 2, "here.sarif")


def test_what_is_not_of_the_functions_types_is_told_and_not_computed() -> None:
    (answer,) = served(sent(*request("read_junit", [7]))).answers
    assert answer.kind in ("value", "bug")
    assert answer.words


@pytest.mark.parametrize("pipe", [b"", LENGTH.pack(9)[:3]], ids=["nothing", "half a length"])
def test_a_pipe_that_ends_early_is_the_end(pipe: bytes) -> None:
    assert served(pipe) == Served([], 0)


def test_it_works_for_its_own_parent_only() -> None:
    assert served(sent(*request("read_junit", [[]])), parent=1) == Served([], 1)
