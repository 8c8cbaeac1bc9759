"""The first reknit.toml: what was found, and settings that hold as they are."""

import tomllib
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.app.config.load import Config
from reknit.app.initial_config import make_initial_config
from reknit.app.installation import find_installation


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "new" / "deep").mkdir(parents=True)
    (tmp_path / "new" / "deep" / "a.txt").write_text("x\n")
    return tmp_path / "new"


def test_it_is_for_the_top_of_the_repository_and_says_the_defaults(folder: Path) -> None:
    commit_all(str(folder), "first")
    path, text = make_initial_config(find_installation({}), folder / "deep")
    assert (path, path.exists()) == (folder / "reknit.toml", False)
    assert Config.model_validate(tomllib.loads(text)) == Config()
    assert "tests:" not in text, "there are none"


def test_tests_that_were_found_are_a_comment_only(folder: Path) -> None:
    (folder / "test_a.py").write_text("def test_a(): pass\n")
    commit_all(str(folder), "first")
    text = make_initial_config(find_installation({}), folder)[1]
    assert "# tests: found in test_a.py: " in text
    assert "checks" not in tomllib.loads(text)
    used = text.replace("# [checks", "[checks").replace("# run", "run")
    assert tomllib.loads(used)["checks"] == {"tests": {"run": "pytest -q"}}, "the hint is valid once it is uncommented"


def test_set_ups_are_offered_as_comments(folder: Path) -> None:
    files = {
        "package-lock.json": "{}",
        "api/uv.lock": "",
        ".devcontainer/devcontainer.json": '{"postCreateCommand": "make all"}',
        ".github/workflows/copilot-setup-steps.yml": "steps:\n  - run: npm ci\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    commit_all(str(folder), "first")
    text = make_initial_config(find_installation({}), folder)[1]
    assert Config.model_validate(tomllib.loads(text)) == Config(), "nothing runs unasked"
    assert [line for line in text.splitlines() if "setup = " in line] == [
        '# setup = "npm ci"',
        '# in api/reknit.toml: setup = "uv sync --frozen"',
        '# setup = "make all"',
        '# setup = "npm ci"',
    ]
    used = text.replace("# setup", "setup", 1)
    assert Config.model_validate(tomllib.loads(used)).setup == "npm ci"
