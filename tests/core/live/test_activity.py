"""What a run does at this moment."""

import json

import pytest

from reknit.core.agents.conversation import Turn
from reknit.core.live.activity import Activity, TestCount, describe_turns, read_activity, to_document

READS = Turn("tool", "shop/a.py", "reads")
EDITS = Turn("tool", "shop/a.py", "edits")
SAYS = Turn("says", "I will look at it")


@pytest.mark.parametrize(
    ("turns", "files", "lines"),
    [
        pytest.param([SAYS, READS, EDITS], (), ("edits shop/a.py", "reads shop/a.py"), id="tools, the newest first"),
        pytest.param([EDITS] * 5, (), ("edits shop/a.py",), id="each once"),
        pytest.param([SAYS], (), ("I will look at it",), id="words if it uses no tool"),
        pytest.param([SAYS], ("b.py",), ("changed b.py", "I will look at it"), id="changed files"),
        pytest.param([], (), (), id="nothing yet"),
        pytest.param([Turn("tool", "a\x1b[31m\nb", "runs")], (), ("runs a b",), id="no control characters"),
    ],
)
def test_what_an_agent_does(turns: list[Turn], files: tuple[str, ...], lines: tuple[str, ...]) -> None:
    assert describe_turns("claude", turns, files) == Activity("claude", lines)


def test_it_is_read_as_it_was_stored() -> None:
    activity = Activity("claude", ("edits a.py",), 3, 4)
    assert read_activity(json.loads(json.dumps(to_document(activity)))) == activity
    assert read_activity({}) == Activity()


def test_results_are_counted_as_they_arrive() -> None:
    count = TestCount()
    assert count.to_activity() == Activity()
    count.add(b'key 0 {"begin": "pytest"}\nkey 1 {"collected": 3}\nkey 2 {"suite": "pytest", "result": "passed"}\n')
    count.add(b'key 3 {"suite":"vitest","result":"failed"}\n')
    assert count.to_activity() == Activity(tests_done=2, tests_to_do=3)
    count.add(b'"result": "a" "result": "b"')
    assert count.to_activity().tests_to_do == 4, "tests that were not announced have run too"
