"""Exploration: every field from a real repository, and a value for whatever fails."""

from pathlib import Path

import pytest

from reknit.app.start.exploration.explore import explore
from reknit.core.errors import ReknitError
from tests.tools.explored_repository import FILES, TODAY, cloned, committed, explored, git, place_in


def test_every_part_is_read(tmp_path: Path) -> None:
    clone = cloned(committed(tmp_path / "origin", FILES), tmp_path / "clone")
    (clone / "new.py").write_text("")
    found = explored(clone)
    assert (found.as_of, found.branch, found.default_branch, found.on_default_branch) == (
        "2026-11-17", "main", "main", True
    )  # fmt: skip
    assert [(each.subject, each.author, each.date) for each in found.commits] == [("feat: first", "Ann", "2026-09-21")]
    assert found.changed == ("new.py",)
    assert found.docs_stale == ("STATE.md", "docs/ARCHITECTURE.md")
    assert dict(found.docs[4].frontmatter) == {"title": "Größe", "tags": "[a, b]", "status": "stale"}
    assert found.state_age_days == 47
    assert (found.plans_index, found.plans) == (True, (".reknit/plans/one-advisor.md",))
    assert found.plans_index_frontmatter == (("title", "Plans"),)
    assert (found.inventory.tests, found.inventory.ci) == (
        ("python3 -m unittest",), "GitHub Actions, .github/workflows/ci.yml"
    )  # fmt: skip
    assert (found.inventory.mcp_servers, found.inventory.agent_files) == (("db", "web"), ("AGENTS.md",))
    assert (found.configured, found.problems) == (True, ())


@pytest.mark.parametrize(
    ("is_repository", "what"),
    [
        pytest.param(False, "is not in a git repository", id="no repository"),
        pytest.param(True, "has no commit yet", id="no commit"),
    ],
)
def test_what_cannot_be_explored_names_the_stage(tmp_path: Path, is_repository: bool, what: str) -> None:
    (tmp_path / "a").mkdir()
    if is_repository:
        git(tmp_path / "a", "init", "--quiet")
    with pytest.raises(ReknitError, match=what) as raised:
        explore(place_in(tmp_path), tmp_path / "a", TODAY)
    assert raised.value.what.startswith("exploration: ")
    assert raised.value.exit_code == 2
