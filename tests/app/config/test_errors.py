"""What is said of a setting that is refused: as it was typed, and in words that are no library's."""

from pathlib import Path
from typing import Any

import pytest

from reknit.app.config.load import load
from reknit.core.errors import UsageError


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        pytest.param(
            {"loop": {"budget_usd": -1.0}},
            "--budget: Input should be greater than 0 (got -1.0)",
            id="a number",
        ),
        pytest.param(
            {"vote": {"agents": ("claude",)}},
            "--agents: expected two different agents, or none (got ['claude'])",
            id="a list",
        ),
    ],
)
def test_an_option_out_of_bounds_is_named_as_it_was_typed(tmp_path: Path, flags: dict[str, Any], what: str) -> None:
    (tmp_path / "reknit.toml").write_text("[loop]\nbudget_usd = 1.0\n[vote]\nagents = []")
    with pytest.raises(UsageError) as caught:
        load(tmp_path, flags, {})
    assert (caught.value.message, caught.value.where) == (what, "")


def test_a_setting_that_is_refused_is_told_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "reknit.toml").write_text('[vote]\nagents = ["claude"]')
    with pytest.raises(UsageError) as caught:
        load(tmp_path, {}, {})
    assert caught.value.message == "vote.agents: expected two different agents, or none (got ['claude'])"
    assert caught.value.where == "reknit.toml:2"


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[loop]\nattempts = 99\nwall = 3\nbudget_usd = "much"\n')
    (tmp_path / "reknit.toml").write_text('box = "host"\n[[projects]]\nfolder = "../x"\n')
    environment = {"REKNIT_CONFIG": str(own), "REKNIT_LOOP__WAITS": "many"}
    with pytest.raises(UsageError) as caught:
        load(tmp_path, {"issues": {"per_run": 0}}, environment)
    first, *lines = caught.value.message.splitlines()
    assert first == "7 settings are wrong:"
    assert [line.strip().partition(" (got")[0] for line in lines] == [
        "reknit.toml:1: `box` may not be set by a repository",
        "own.toml:3: unknown setting `loop.wall`",
        "own.toml:2: loop.attempts: Input should be less than or equal to 10",
        "own.toml:4: loop.budget_usd: Input should be a valid number, unable to parse string as a number",
        "REKNIT_LOOP__WAITS: Input should be a valid integer, unable to parse string as an integer",
        "reknit.toml: projects.0.folder: expected a folder of the repository, such as 'backend'",
        "--limit: Input should be greater than or equal to 1",
    ]
