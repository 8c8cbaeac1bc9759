"""The inventory: names and numbers; what is broken is a problem and leaves the rest."""

from pathlib import Path

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.installation import find_installation
from reknit.app.start.exploration import inventory
from reknit.app.start.exploration.inventory import PartExplorer, explore_tracked_files, take_inventory
from reknit.core.errors import UsageError
from reknit.core.issues.model import ReportResult
from reknit.core.planning.context import InstalledAgent, Inventory
from reknit.core.planning.exploration.docs import MAX_DOCS
from tests.tools.backlog_scene import take_in
from tests.tools.command_line import CommandLine
from tests.tools.explored_repository import FILES, committed, place_in


def taken(
    root: Path, near: tuple[str, ...] = (), config: Config | None = None, **more: str
) -> tuple[Inventory, list[str]]:
    installation = place_in(root.parent, **more)
    parts = PartExplorer(installation, str(root))
    return take_inventory(installation, UserRepository(str(root)), config or Config(), near, parts), parts.problems


def test_agents_have_a_version_if_they_are_installed_and_a_login_if_there_is_a_key(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", FILES)
    (tmp_path / "bin").mkdir()
    for name, version in (("claude", "2.1.0"), ("codex", "strange")):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    found, problems = taken(root, ANTHROPIC_API_KEY="key")
    assert found.agents == (
        InstalledAgent("claude", "2.1.0", login=True), InstalledAgent("codex", "unknown"), InstalledAgent("gemini", "")
    )  # fmt: skip
    assert problems == []
    assert not (tmp_path / "state").exists(), "it makes no database"


def test_servers_are_named_and_broken_settings_are_told(tmp_path: Path) -> None:
    files = {
        ".mcp.json": '{"mcpServers": {"db": {}}}',
        ".claude/settings.json": "{",
        ".codex/config.toml": "#" * 300_000,
    }
    root = committed(tmp_path / "a", files)
    (root / ".gemini").mkdir()
    (root / ".gemini" / "settings.json").symlink_to(root / ".mcp.json")
    found, problems = taken(root, (*files, ".gemini/settings.json"))
    assert found.mcp_servers == ("db",)
    assert problems == [
        ".claude/settings.json: its MCP servers cannot be read",
        ".codex/config.toml: it is larger than 256 KB",
        ".gemini/settings.json: it is a symlink, or is reached through one: not followed",
    ]


def test_broken_reviewers_and_projects_leave_the_rest(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", {**FILES, ".reknit/reviewers/x.md": "no fields", "sub/reknit.toml": "["})
    found, problems = taken(root, ("AGENTS.md",))
    assert (found.tests, found.reviewers, found.agent_files) == ((), (), ("AGENTS.md",))
    assert [problem.partition(":")[0] for problem in problems] == ["tests", "reviewers"]
    assert str(tmp_path) not in str(problems)


def test_open_issues_with_an_estimate_are_counted_by_points(
    reknit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "a", {"x.py": "\n" * 9})
    efforts = ((1, 1), (1, 2), (2, 1), (3, 0), (0, 0))
    results = [
        ReportResult("ruff", f"F40{line}", str(root / "x.py"), line, effort_1_5=effort, files=files)
        for line, (effort, files) in enumerate(efforts, 1)
    ]
    take_in(reknit, root, results)
    parts = PartExplorer(find_installation(reknit.environment), str(root))

    def counted() -> tuple[tuple[int, int], ...]:
        installation = find_installation(reknit.environment)
        return take_inventory(installation, UserRepository(str(root)), Config(), (), parts).issues

    assert counted() == ((1, 1), (2, 2), (3, 1))
    assert parts.problems == []
    monkeypatch.setattr(inventory, "MAX_COUNTED_ISSUES", 2)
    assert counted() == ((1, 1), (2, 1))
    assert parts.problems == ["issues: only the oldest 2 open issues are counted"]


@pytest.mark.parametrize(
    ("box", "told"),
    [
        ("host", "host, which is not a sandbox"),
        ("nothing", "nothing cannot be used: there is no box named 'nothing'"),
        ("bubblewrap", "bubblewrap"),
    ],
)
def test_the_box_is_tested(tmp_path: Path, box: str, told: str) -> None:
    root = committed(tmp_path / "a", {})
    found, _problems = taken(root, config=Config(box=box))
    assert found.box == told


def test_a_failure_is_a_value() -> None:
    parts = PartExplorer(find_installation({"HOME": "/home/ann", "REKNIT_STATE": "/home/ann/state"}), "/home/ann/shop")

    def fails() -> int:
        raise UsageError("x", "git failed in '/home/ann/shop', /home/ann/state/x and /home/ann/y", where="a.toml")

    def unreadable() -> int:
        raise PermissionError(13, "Permission denied")

    def silent() -> int:
        raise OSError

    assert [parts.look(name, call, 7) for name, call in (("a", fails), ("b", unreadable), ("c", silent))] == [7, 7, 7]
    assert parts.look("d", lambda: 3, 7) == 3
    assert parts.problems == [
        "a: a.toml: git failed in '.', the state folder/x and ~/y", "b: Permission denied", "c: it cannot be read"
    ]  # fmt: skip
    assert PartExplorer(find_installation({"HOME": "/", "REKNIT_STATE": "/x"}), "/y").hide_paths("a/b") == "a/b"


def test_only_tracked_files_count(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", FILES)
    (root / "CONTRIBUTING.md").write_text("x")
    found = explore_tracked_files(str(root))
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
    found = explore_tracked_files(str(root))
    assert found.docs_missing == ("README.md", "CONTRIBUTING.md")
    assert "LICENSE" in found.governance_missing
    state = next(doc for doc in found.docs if doc.path == "STATE.md")
    assert (state.frontmatter, state.problem) == ((), "it is a symlink, or is reached through one: not followed")


def test_of_too_many_documents_the_rest_is_counted(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", {f"docs/{number:04}.md": "" for number in range(MAX_DOCS + 3)} | {"z.md": ""})
    found = explore_tracked_files(str(root))
    assert (len(found.docs), found.unlisted_docs, found.docs[0].path) == (MAX_DOCS, 4, "z.md")
