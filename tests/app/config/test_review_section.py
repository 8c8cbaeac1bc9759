"""The settings of `review`: who reads, and which file is written."""

from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.core.errors import UsageProblem


def own(tmp_path: Path, text: str) -> dict[str, str]:
    (tmp_path / "own.toml").write_text(text)
    return {"REKNIT_CONFIG": str(tmp_path / "own.toml")}


def test_each_can_be_set(tmp_path: Path) -> None:
    text = '[review]\nagent = "gemini"\nprogress = "notes/review.txt"\nsecond_look = "codex"\n'
    review = load(tmp_path, {}, own(tmp_path, text)).review
    assert (review.agent, review.progress, review.second_look) == ("gemini", "notes/review.txt", "codex")


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    review = load(tmp_path, {}, own(tmp_path, "")).review
    assert (review.agent, review.progress, review.second_look) == ("", "", "")


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", ".git/config", "a/../../x", "a\\nb"])
def test_the_file_is_inside_the_repository(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageProblem):
        load(tmp_path, {}, own(tmp_path, f'[review]\nprogress = "{path}"\n'))
