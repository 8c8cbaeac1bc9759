"""What a CLI would read as its own configuration is away while it works, and back afterwards."""

from pathlib import Path

import pytest

from reknit.adapters.agents.hiding import hidden


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree" / ".gemini").mkdir(parents=True)
    (tmp_path / "tree" / ".gemini" / "settings.json").write_text("{}")
    return tmp_path / "tree"


def test_it_is_away_and_comes_back(tree: Path, tmp_path: Path) -> None:
    with hidden(str(tree), (".gemini", ".absent"), str(tmp_path / "log")):
        assert list(tree.iterdir()) == []
    assert (tree / ".gemini" / "settings.json").read_text() == "{}"
    assert list((tmp_path / "log").iterdir()) == []


def test_it_comes_back_when_the_call_was_cancelled(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), hidden(str(tree), (".gemini",), str(tmp_path / "log")):
        raise KeyboardInterrupt
    assert (tree / ".gemini").is_dir()


def test_what_the_agent_put_there_stays_for_the_gate(tree: Path, tmp_path: Path) -> None:
    with hidden(str(tree), (".gemini",), str(tmp_path / "log")):
        (tree / ".gemini").write_text("mine")
    assert (tree / ".gemini").read_text() == "mine"


def test_a_link_is_moved_and_not_followed(tree: Path, tmp_path: Path) -> None:
    (tree / ".codex").symlink_to(tmp_path)
    with hidden(str(tree), (".codex",), str(tmp_path / "log")):
        assert not (tree / ".codex").is_symlink()
    assert (tree / ".codex").readlink() == tmp_path
