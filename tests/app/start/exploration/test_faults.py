"""Whatever is wrong in a repository, its exploration ends with a value that says so, or with the name of the stage."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.app.start.exploration.explore import explore
from reknit.core.errors import ToolMissingError
from reknit.core.planning.context import RepoContext
from tests.tools.explored_repository import FILES, TODAY, as_json, committed, explored, git, place_in

SECRET = "kept outside"
LINK = "it is a symlink, or is reached through one: not followed"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text(f"---\ntitle: {SECRET}\n---\n")
    return committed(tmp_path / "shop", FILES)


def put(path: str, content: str | bytes) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        git(root, "add", "--force", path)

    return change


def link(path: str, to: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / path).unlink(missing_ok=True)
        (root / path).symlink_to(to)
        git(root, "add", "--force", path)

    return change


def without_docs(root: Path) -> None:
    git(root, "rm", "--quiet", "-r", "docs", "README.md", "STATE.md", "CHANGELOG.md", "AGENTS.md")


def linked_docs(root: Path) -> None:
    os.rename(root / "docs", root / "moved")
    (root / "docs").symlink_to("../outside")
    (root.parent / "outside" / "ARCHITECTURE.md").write_text(f"---\ntitle: {SECRET}\n---\n")


def folder_for_readme(root: Path) -> None:
    (root / "README.md").unlink()
    (root / "README.md").mkdir()


def pipe_for_readme(root: Path) -> None:
    (root / "README.md").unlink()
    os.mkfifo(root / "README.md")


def huge_doc(root: Path) -> None:
    put("docs/huge.md", "---\ntitle: Huge\n---\n")(root)
    os.truncate(root / "docs" / "huge.md", 3_000_000_000)


def broken_database(root: Path) -> None:
    (root.parent / "state").mkdir()
    (root.parent / "state" / "reknit.sqlite").write_bytes(b"garbage" * 1000)


def doc(found: RepoContext, path: str) -> tuple[dict[str, str], str]:
    (one,) = (each for each in found.docs if each.path == path)
    return dict(one.frontmatter), one.problem


@pytest.mark.parametrize(
    ("change", "look", "expected"),
    [
        pytest.param(
            without_docs,
            lambda found: (found.docs, found.docs_missing, found.state_age_days),
            ((), ("README.md", "STATE.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md"), None),
            id="no documents",
        ),
        pytest.param(
            put("README.md", "---\nstatus current\n---\n"),
            lambda found: doc(found, "README.md"),
            ({}, "line 2: `status current` is not a field"),
            id="broken frontmatter",
        ),
        pytest.param(
            put("README.md", "---\n" + "a: b\n" * 2_000),
            lambda found: doc(found, "README.md"),
            ({}, "its frontmatter is not closed by a line `---`"),
            id="frontmatter without end",
        ),
        pytest.param(
            put("docs/latin.md", "---\ntitle: größe\n---\n".encode("latin-1")),
            lambda found: doc(found, "docs/latin.md"),
            ({}, "it is not UTF-8 text"),
            id="not UTF-8",
        ),
        pytest.param(
            link("docs/secret.md", "../../outside/secret.md"),
            lambda found: doc(found, "docs/secret.md"),
            ({}, LINK),
            id="a link to outside",
        ),
        pytest.param(
            linked_docs,
            lambda found: (doc(found, "docs/ARCHITECTURE.md"), found.docs_missing),
            (({}, LINK), ("CONTRIBUTING.md",)),
            id="a folder that is a link to outside",
        ),
        pytest.param(
            folder_for_readme, lambda found: found.docs_missing[0], "README.md", id="a folder called README.md"
        ),
        pytest.param(pipe_for_readme, lambda found: found.docs_missing[0], "README.md", id="a pipe called README.md"),
        pytest.param(huge_doc, lambda found: doc(found, "docs/huge.md"), ({"title": "Huge"}, ""), id="3 GB"),
        pytest.param(
            put(".mcp.json", '{"mcpServers": '),
            lambda found: (found.inventory.mcp_servers, found.problems),
            (("web",), (".mcp.json: its MCP servers cannot be read",)),
            id="broken .mcp.json",
        ),
        pytest.param(
            put(".reknit/plans/index.md", "[x](gone.md) [y](../../README.md)"),
            lambda found: (found.plans_index, found.plans, found.plans_index_frontmatter, found.problems),
            (True, (), (), ()),
            id="an index that refers to nothing",
        ),
        pytest.param(
            link(".reknit/plans/index.md", "../../../outside/secret.md"),
            lambda found: (found.plans_index, found.plans_index_frontmatter, found.problems),
            (True, (), (f".reknit/plans/index.md: {LINK}",)),
            id="an index that is a link to outside",
        ),
        pytest.param(
            link(".reknit/plans/one-advisor.md", "../../../outside/secret.md"),
            lambda found: found.plans,
            (),
            id="a plan that is a link to outside",
        ),
        pytest.param(
            put("reknit.toml", "oops = "),
            lambda found: (found.is_configured, found.problems[0].partition(":")[0], found.forge_problem),
            (True, "settings", "it was not asked, because the settings cannot be read"),
            id="broken settings",
        ),
        pytest.param(
            broken_database,
            lambda found: (found.inventory.issues, [each.partition(":")[0] for each in found.problems]),
            ((), ["issues"]),
            id="a broken database",
        ),
        pytest.param(
            lambda root: (root / ".git" / "index").write_bytes(b"garbage"),
            lambda found: (found.docs, found.has_status, {each.partition(":")[0] for each in found.problems}),
            ((), False, {"files", "status", "tests"}),
            id="a broken index",
        ),
        pytest.param(
            lambda root: git(root, "switch", "--quiet", "--detach"),
            lambda found: (found.branch, found.on_default_branch),
            ("", False),
            id="no branch",
        ),
        pytest.param(
            lambda root: None,
            lambda found: (
                found.default_branch,
                found.default_branch_problem,
                found.has_forge_login,
                found.forge_problem,
            ),
            ("", "there is no remote called origin", False, ""),
            id="no origin",
        ),
        pytest.param(
            lambda root: git(root, "remote", "add", "origin", "https://github.com/acme/shop"),
            lambda found: (
                found.has_forge_login,
                "GITHUB_TOKEN" in found.forge_problem or "login" in found.forge_problem,
            ),
            (False, True),
            id="no login",
        ),
    ],
)
def test_a_fault_is_a_value(
    root: Path, change: Callable[[Path], object], look: Callable[[RepoContext], object], expected: object
) -> None:
    change(root)
    found = explored(root)
    assert look(found) == expected, found.problems
    text = as_json(found)
    assert json.loads(text)
    assert str(root.parent) not in text
    assert SECRET not in text


def test_without_git_the_stage_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(ToolMissingError, match="exploration: git is not on PATH"):
        explored(root)


def test_a_forge_that_hangs_is_left(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reknit.app.start.exploration.explore._MAX_WAIT_S", 0.3)
    git(root, "remote", "add", "origin", "https://github.com/acme/shop")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        api = f"http://127.0.0.1:{listener.getsockname()[1]}"
        place = place_in(root.parent, REKNIT_FORGE__API=api, GITHUB_TOKEN="x")
        found = explore(place, root, TODAY)
    assert (found.has_forge_login, found.pulls) == (False, ())
    assert found.forge_problem == f"{api} did not answer within 0 s"
    assert (bool(found.commits), found.problems) == (True, ()), "the rest is there"
