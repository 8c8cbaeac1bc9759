"""What a CLI would read as its own configuration is away while it works, and back afterwards."""

from pathlib import Path

import pytest

from reknit.adapters.agents.hidden_config import hidden, named


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


def test_a_name_is_found_at_any_depth_and_not_behind_a_link_or_in_git(tree: Path, tmp_path: Path) -> None:
    for place in ("RULES.md", "part/RULES.md", "part/RULES.md.txt", ".git/refs/RULES.md", ".agents/RULES.md"):
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text("rules")
    (tmp_path / "RULES.md").write_text("rules")
    (tree / "link").symlink_to(tmp_path)
    (tree / "part" / ".agents").symlink_to(tmp_path)
    found = sorted(named(str(tree), ("RULES.md", ".agents")))
    assert found == [".agents", "RULES.md", "part/.agents", "part/RULES.md"]
    assert list(named(str(tree), ())) == []


def test_what_lies_deep_comes_back_to_its_place(tree: Path, tmp_path: Path) -> None:
    (tree / "part").mkdir()
    (tree / "part" / "RULES.md").write_text("rules")
    with hidden(str(tree), (".gemini", ".gemini/settings.json", "part/RULES.md"), str(tmp_path / "log")):
        assert [path.name for path in tree.rglob("*")] == ["part"]
    assert (tree / ".gemini" / "settings.json").read_text() == "{}"
    assert (tree / "part" / "RULES.md").read_text() == "rules"
