"""A name of the repository or of a report does nothing in a commit message."""

import pytest

from reknit.core.text.commit_text import neutralize_commit_text
from tests.tools.work import quickly

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("words", "left"),
    [
        pytest.param("make lint [skip ci] pass", "make lint (skip ci) pass", id="skip ci"),
        pytest.param("[CI-Skip] [No CI] [[actions skip]]", "(CI-Skip) (No CI) [(actions skip)]", id="in other words"),
        pytest.param("[skipci] [noci] [issue:12]", "(skipci) (noci) (issue:12)", id="in one word"),
        pytest.param("***NO_CI***\nskip-checks: true", "NO_CI\nskip-checks true", id="of other services"),
        pytest.param("******no_ci****\nskip-checks: :: x", "no_ci\nskip-checks x", id="what is left is none either"),
        pytest.param("fixes #12, o/r#3, GH-4, GL-5", "fixes no. 12, o/rno. 3, no. 4, no. 5", id="closes issues"),
        pytest.param(
            "closes https://x.io/o/r/issues/7,https://x.io/o/r/-/work_items/8",
            "closes https://x.io/o/r/issues/no. 7,https://x.io/o/r/-/work_items/no. 8",
            id="by their addresses",
        ),
        pytest.param("@all and a@b", "(at)all and a(at)b", id="calls people"),
        pytest.param(f"key {TOKEN}", "key [GitHub token redacted]", id="a secret"),
        pytest.param("test_price[1-decimal] issues/7.md", "test_price[1-decimal] issues/7.md", id="a test's own name"),
    ],
)
def test_words_do_nothing(words: str, left: str) -> None:
    assert neutralize_commit_text(words) == left


@pytest.mark.parametrize(
    "hostile", ["[" + "ci " * 50_000, "[ci " * 50_000, "skip-checks " + " :" * 50_000, "://" * 50_000]
)
def test_a_hostile_name_takes_no_time(hostile: str) -> None:
    with quickly():
        neutralize_commit_text(hostile)
