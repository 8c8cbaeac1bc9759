"""Events: one safe line for people, whatever a repository or an agent put into it."""

import pytest

from reknit.core.runs.event import Event


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("a\nb\nc", "a b c", id="no second line"),
        pytest.param("a\x1b[2Jb", "ab", id="no escape"),
        pytest.param("key ghp_" + "a" * 36, "key [GitHub token redacted]", id="no secret"),
        pytest.param("two  spaces", "two  spaces", id="columns stay"),
    ],
)
def test_the_text_is_one_line_without_escapes_or_secrets(text: str, line: str) -> None:
    assert Event("gate", "ok", "gate", text).text == line


def test_what_programs_read_is_kept_as_it_is() -> None:
    event = Event("gate", "bad", "gate", "refused", {"path": "a\nb"})
    assert event.data == {"path": "a\nb"}
    assert Event("gate", "ok", "gate", "x").data == {}
