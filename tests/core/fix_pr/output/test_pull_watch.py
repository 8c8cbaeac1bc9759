import pytest

from reknit.core.fix_pr.output.pull_watch import PullWatch, format_watch, parse_watch


def test_a_watch_is_read_as_it_was_written_and_its_first_line_keeps_the_hook_awake() -> None:
    watch = PullWatch("r-7f3a", 3, is_stopped=True)
    text = format_watch(watch)
    assert (text.splitlines()[0], parse_watch(text)) == ("in_progress", watch)


@pytest.mark.parametrize("text", ["", "in_progress", "in_progress\n[]", 'in_progress\n{"x": 1}', "in_progress\n{"])
def test_a_damaged_watch_is_none(text: str) -> None:
    assert parse_watch(text) is None
