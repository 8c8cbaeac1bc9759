"""Causes: the code's, the environment's, or in doubt."""

from reknit.core.causes.cause import CODE, Cause, doubtful, environment


def test_a_cause_says_what_is_missing_and_what_helps() -> None:
    assert environment("port", "in use", "free it") == Cause("environment", "port", "in use", "free it")
    assert doubtful("timeout", "too long") == Cause("doubtful", "timeout", "too long", "")
    assert (CODE.verdict, CODE.kind) == ("code", "")
