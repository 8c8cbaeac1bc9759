"""Tracked files as they are in the working tree."""

from pathlib import Path

from reknit.app.start.exploration.tracked import look_at_tracked
from reknit.core.planning.exploration.docs import MOST_DOCS
from tests.tools.explored_repository import FILES, committed


def test_only_tracked_files_count(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", FILES)
    (root / "CONTRIBUTING.md").write_text("x")
    found = look_at_tracked(str(root))
    assert [doc.path for doc in found.docs] == [
        "AGENTS.md", "CHANGELOG.md", "README.md", "STATE.md", "docs/ARCHITECTURE.md", "docs/guides/use.md"
    ]  # fmt: skip
    assert found.docs_missing == ("CONTRIBUTING.md",)
    assert found.governance_missing == (".github/dependabot.yml", "SECURITY.md", "CODE_OF_CONDUCT.md")
    assert dict(found.languages) == {".json": 1, ".md": 8, ".png": 1, ".py": 2, ".toml": 2, ".ts": 1, ".yml": 1}


def test_a_file_that_is_gone_or_a_folder_now_is_missing_and_a_link_is_not(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", FILES)
    (root / "LICENSE").unlink()
    (root / "README.md").unlink()
    (root / "README.md").mkdir()
    (root / "STATE.md").unlink()
    (root / "STATE.md").symlink_to("/etc/passwd")
    found = look_at_tracked(str(root))
    assert found.docs_missing == ("README.md", "CONTRIBUTING.md")
    assert "LICENSE" in found.governance_missing
    state = next(doc for doc in found.docs if doc.path == "STATE.md")
    assert (state.frontmatter, state.problem) == ((), "it is a symlink, or is reached through one: not followed")


def test_of_too_many_documents_the_rest_is_counted(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", {f"docs/{number:04}.md": "" for number in range(MOST_DOCS + 3)} | {"z.md": ""})
    found = look_at_tracked(str(root))
    assert (len(found.docs), found.docs_not_listed, found.docs[0].path) == (MOST_DOCS, 4, "z.md")
