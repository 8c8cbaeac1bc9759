"""A name of the repository or of a report does nothing in a commit message."""

import pytest

from reknit.core.inert import inert

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("words", "left"),
    [
        pytest.param("make lint [skip ci] pass", "make lint (skip ci) pass", id="skip ci"),
        pytest.param("[CI-Skip] [No CI] [[actions skip]]", "(CI-Skip) (No CI) [(actions skip)]", id="in other words"),
        pytest.param("***NO_CI***\nskip-checks: true", "NO_CI\nskip-checks true", id="of other services"),
        pytest.param("fixes #12, closes o/r#3, GH-4", "fixes no. 12, closes o/rno. 3, no. 4", id="closes issues"),
        pytest.param("closes https://x.io/o/r/issues/7", "closes https://x.io/o/r/issues/no. 7", id="by its address"),
        pytest.param("@all and a@b", "(at)all and a(at)b", id="calls people"),
        pytest.param(f"key {TOKEN}", "key [GitHub token redacted]", id="a secret"),
        pytest.param("test_price[1-ok] docs/issues/7.md", "test_price[1-ok] docs/issues/7.md", id="a test's own name"),
    ],
)
def test_words_do_nothing(words: str, left: str) -> None:
    assert inert(words) == left
