"""The demo's repository, and the stories of its agents."""

import json
from pathlib import Path

import pytest

from reknit.app.demo import HOPELESS, LEARNER, make_repository
from reknit.core.errors import UsageProblem
from tests.tools.plot import git


def test_an_existing_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with pytest.raises(UsageProblem, match="already exists") as caught:
        make_repository(tmp_path)
    assert ("--keep" in caught.value.help, list((tmp_path / "shop").iterdir())) == (True, [])


def test_it_is_a_clean_repository_of_its_own(tmp_path: Path) -> None:
    shop = make_repository(tmp_path)
    assert (git(shop, "status", "--porcelain", "--ignored"), git(shop, "rev-list", "--count", "HEAD")) == ("", "1")
    assert not list(shop.rglob("__pycache__"))


@pytest.mark.parametrize("story", [LEARNER, HOPELESS], ids=["learner", "hopeless"])
def test_every_edit_of_a_story_fits_the_repository(tmp_path: Path, story: str) -> None:
    shop = make_repository(tmp_path)
    moves = json.loads(story)
    assert len(moves) == 3
    for move in moves:
        assert all((shop / name).is_file() for name in move.get("delete", ()))
        assert all((shop / name).read_text().count(old) == 1 for name, (old, _) in move.get("replace", {}).items())
