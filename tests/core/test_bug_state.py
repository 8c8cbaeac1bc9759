import json

import pytest

from reknit.core.bug_state import BugAttempt, BugState, check_bug_id
from reknit.core.errors import UsageError


def test_the_document_has_exactly_the_keys_that_tools_read() -> None:
    state = BugState("BUG-001", "e2e/a.spec.ts", 1, 3, "in_progress", "local", "", (BugAttempt(1, "local", "red"),))
    document = json.loads(json.dumps(state.to_document()))
    assert list(document) == [
        "bug_id", "test_path", "attempt", "max_attempts", "status", "strategy", "last_error", "history",
    ]  # fmt: skip
    assert document["history"] == [{"attempt": 1, "strategy": "local", "result": "red"}]


@pytest.mark.parametrize("text", ["BUG-001", "4711", "a.b_c-d", "x" * 64])
def test_an_id_is_kept_as_it_was_typed(text: str) -> None:
    assert check_bug_id(text) == text


@pytest.mark.parametrize("text", ["", "-x", ".x", "a b", "a/b", "a\n", "ä", "x" * 65, "a\x1b[31m", "$(id)"])
def test_what_could_not_be_printed_or_stored_is_no_id(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_bug_id(text)
    assert caught.value.name == "bug-id"
