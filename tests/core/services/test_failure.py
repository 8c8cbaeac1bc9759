import pytest

from reknit.core.services.failure import ServiceFailure, is_failure, is_killed, is_late, is_service_id, suggest_remedy
from reknit.core.services.service import Service, to_service_id

OWN = Service("npm run dev", 3000, 5.0)


def test_a_service_that_ended_is_named_with_its_output() -> None:
    failure = ServiceFailure(OWN, 1, "SyntaxError: app.js")
    sentence = "the service `npm run dev` ended with exit code 1 before it was ready"
    assert failure.sentence == sentence
    assert failure.message == f"{sentence}; it printed:\nSyntaxError: app.js"
    assert failure.is_of_project
    assert is_failure(failure.message)
    assert not is_late(failure.message)
    assert not is_killed(failure.message)


def test_a_service_that_was_killed_is_told_from_one_that_ended() -> None:
    killed = ServiceFailure(OWN, -9)
    assert killed.sentence == "the service `npm run dev` was killed by signal 9 before it was ready"
    assert is_failure(killed.message)
    assert is_killed(killed.message)
    assert is_killed(ServiceFailure(OWN, 137).message)
    assert not is_killed(ServiceFailure(OWN, -15).message)


def test_a_service_that_is_not_ready_in_time_is_named_with_what_was_waited_for() -> None:
    failure = ServiceFailure(OWN, None)
    sentence = "the service `npm run dev` was not ready within 5 s (port 3000)"
    assert (failure.sentence, failure.message) == (sentence, f"{sentence}; it printed nothing")
    assert is_failure(sentence)
    assert is_late(sentence)
    assert "(`true`)" in ServiceFailure(Service("x", "true"), None).sentence


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("web: the service `redis-server` ended with exit code 1 before it was ready", True),
        ("conftest.py could not be imported: the service", False),
        ("E  the service `x` is down", False),
        ("", False),
    ],
)
def test_only_its_own_sentence_is_a_failure(words: str, expected: bool) -> None:
    assert is_failure(words) is expected
    assert not is_late(words)
    assert not is_killed(words)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (to_service_id(OWN), True),
        (f"web/{to_service_id(OWN)}", True),
        ("tests/test_a.py::test_the_service", False),
        ("the test command", False),
    ],
)
def test_a_service_is_told_from_a_test_by_its_id(test: str, expected: bool) -> None:
    assert is_service_id(test) is expected


def test_a_server_of_the_machine_that_is_missing_is_to_be_installed() -> None:
    failure = ServiceFailure(Service("redis-server --port 1"), 127, "sh: redis-server: not found")
    assert not failure.is_of_project
    assert suggest_remedy(failure.sentence, failure.log) == "`apt install redis-server`"


def test_a_server_that_refuses_to_start_is_quoted() -> None:
    failure = ServiceFailure(Service("redis-server --prot 1"), 1, "first\n\nFATAL CONFIG FILE ERROR\n")
    wanted = "correct its `run` or `ready` in `services`; it printed: FATAL CONFIG FILE ERROR"
    assert suggest_remedy(failure.sentence, failure.log) == wanted
    assert suggest_remedy(failure.sentence, "") == "correct its `run` or `ready` in `services`"
    assert suggest_remedy("something else, exit code 127 ", "") == "correct its `run` or `ready` in `services`"
