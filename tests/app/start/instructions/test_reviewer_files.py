"""Reviewers: six are shipped, people and repositories add and replace, and what is wrong is refused with its line."""

from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.app.start.instructions import reviewer_files
from reknit.app.start.instructions.reviewer_files import FOLDER, SHIPPED, refuse_unknown_agents
from reknit.core.agents.reviewer import Reviewer
from reknit.core.errors import UsageProblem

MINE = "reviewers"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repository").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").touch()
    return tmp_path / "repository"


def environment(root: Path) -> dict[str, str]:
    return {"REKNIT_CONFIG": str(root.parent / "own" / "config.toml")}


def read(root: Path) -> tuple[Reviewer, ...]:
    return reviewer_files.reviewers(root, environment(root))


def put(root: Path, name: str, text: str) -> Path:
    """`name` with `reviewers/` before it: a person's own."""
    path = root.parent / "own" / name if name.startswith(MINE) else root / FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def reviewer(level: str = "warning", body: str = "Look.", **fields: str) -> str:
    lines = [f"{key}: {value}" for key, value in {"level": level, **fields}.items()]
    return "\n".join(("---", *lines, "---", body))


def refused(root: Path) -> UsageProblem:
    with pytest.raises(UsageProblem) as caught:
        read(root)
    assert (caught.value.name, caught.value.exit_code) == ("reviewer-file", 2)
    return caught.value


def test_six_are_shipped(root: Path) -> None:
    assert [(each.name, each.level, each.prefix) for each in read(root)] == [
        ("correctness", "blocking", "COR"),
        ("security", "blocking", "SEC"),
        ("tests", "warning", "TST"),
        ("architecture", "warning", "ARC"),
        ("performance", "suggestion", "PRF"),
        ("maintainability", "suggestion", "MNT"),
    ]
    assert reviewer_files.reviewers(None, environment(root)) == read(root)
    assert {(each.languages, each.agent, each.model, each.origin) for each in read(root)} == {((), "", "", "")}


@pytest.mark.parametrize("name", SHIPPED)
def test_each_says_what_to_look_for_and_what_not_to_report_and_nothing_about_tools(root: Path, name: str) -> None:
    (text,) = (each.text for each in read(root) if each.name == name)
    assert text.startswith(f"# {name.capitalize()}\n")
    assert [part for part in ("\nLook for:\n", "\nA finding names ", "\nDo not report:\n") if part not in text] == []
    assert [word for word in ("report_finding", "finish_review", "MCP", "JSON", "verdict") if word in text] == []
    assert len(text) < 3_000


def test_a_persons_own_and_the_repositorys_are_added_by_name(root: Path) -> None:
    put(root, "zebra.md", reviewer("suggestion"))
    put(root, "api.md", reviewer("blocking", prefix="API", languages="[py]", agent="codex"))
    mine = put(root, f"{MINE}/docs.md", reviewer())
    others = read(root)[len(SHIPPED) :]
    assert others == (
        Reviewer("api", "blocking", "API", "Look.", ("py",), "codex", origin=f"{FOLDER}/api.md", agent_line=5),
        Reviewer("docs", "warning", "DOC", "Look.", origin=str(mine)),
        Reviewer("zebra", "suggestion", "ZEB", "Look.", origin=f"{FOLDER}/zebra.md"),
    )
    assert [each.name for each in reviewer_files.reviewers(None, environment(root))] == [*SHIPPED, "docs"]


def test_a_later_one_replaces_an_earlier_one_at_its_place(root: Path) -> None:
    put(root, f"{MINE}/security.md", reviewer(body="mine"))
    put(root, f"{MINE}/tests.md", reviewer(body="mine"))
    put(root, "our-tests.md", reviewer(name="tests", body="ours"))
    assert [(each.name, each.text) for each in read(root)[:3] if each.origin] == [
        ("security", "mine"),
        ("tests", "ours"),
    ]
    assert [each.name for each in read(root)] == list(SHIPPED)


def test_a_persons_own_lie_beside_their_configuration_even_if_there_is_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(root.parent / "xdg"))
    folder = root.parent / "xdg" / "reknit" / "reviewers"
    folder.mkdir(parents=True)
    (folder / "docs.md").write_text(reviewer())
    assert [each.name for each in reviewer_files.reviewers(root, {})] == [*SHIPPED, "docs"]


def test_what_is_no_reviewer_may_lie_there_too(root: Path) -> None:
    put(root, "README.md", "how we write these")
    put(root, "notes.txt", "x")
    assert [each.name for each in read(root)] == list(SHIPPED)


def test_a_wrong_field_is_refused_with_file_and_line(root: Path) -> None:
    put(root, "api.md", "---\nlevel: warning\nlangages: py\n---\nLook.")
    problem = refused(root)
    assert (problem.where, problem.what) == (f"{FOLDER}/api.md:3", "unknown field `langages`")
    assert problem.help == "did you mean `languages`?"


def test_all_that_is_wrong_in_all_files_is_told_at_once(root: Path) -> None:
    put(root, "a.md", "---\nlvel: warning\n---\n")
    put(root, "b.md", "Look.")
    mine = put(root, f"{MINE}/c.md", "x" * 70_000)
    first, *lines = refused(root).what.splitlines()
    assert first == "the reviewer files have 6 problems:"
    assert [line.split(";")[0] for line in lines if line.startswith("  ") and not line.startswith("   ")] == [
        f"  {mine}: it is larger than 64 KB",
        f"  {FOLDER}/a.md:1: `level` is missing",
        f"  {FOLDER}/a.md:1: no prefix can be derived from the name `a`",
        f"  {FOLDER}/a.md:2: unknown field `lvel`",
        f"  {FOLDER}/a.md:3: it has no instruction",
        f"  {FOLDER}/b.md:1: it has no frontmatter",
    ]


def test_two_reviewers_with_one_prefix_are_refused_with_both_files(root: Path) -> None:
    put(root, "api.md", reviewer(prefix="SEC"))
    problem = refused(root)
    both = f"'security' (shipped with reknit) and 'api' ({FOLDER}/api.md)"
    assert problem.what == f"the reviewers {both} have the same prefix SEC"
    assert (problem.where, problem.help) == (f"{FOLDER}/api.md", "set another `prefix` in one of them")


def test_two_files_of_a_folder_with_one_name_are_refused(root: Path) -> None:
    put(root, "a.md", reviewer(name="api"))
    put(root, "b.md", reviewer(name="api"))
    problem = refused(root)
    assert (problem.where, problem.what) == (f"{FOLDER}/b.md", f"the reviewer 'api' is also in {FOLDER}/a.md")


@pytest.mark.parametrize("name", ["api.md", f"{MINE}/api.md"])
def test_a_link_is_not_followed(root: Path, name: str) -> None:
    path = put(root, name, "")
    path.unlink()
    (root / "secret").write_text(reviewer())
    path.symlink_to(root / "secret")
    assert refused(root).what == "it is a symlink, or is reached through one"


def test_an_agent_that_is_not_configured_is_refused_with_file_and_line(root: Path) -> None:
    put(root, "api.md", reviewer(agent="claudia"))
    put(root, "docs.md", reviewer(agent="claude"))
    config = load(root, {}, environment(root))
    with pytest.raises(UsageProblem, match="no agent 'claudia'; known: claude, codex, gemini") as caught:
        refuse_unknown_agents(read(root), config)
    assert caught.value.where == f"{FOLDER}/api.md:3"
    ours = {"agents": {"claudia": {"command": ["claudia"]}}}
    refuse_unknown_agents(read(root), load(root, ours, environment(root)))


def test_the_example_of_the_guide_is_a_reviewer(root: Path) -> None:
    guide = Path(__file__).parents[4] / "docs" / "guides" / "reviews.md"
    example = guide.read_text().split("```markdown\n")[1].split("```")[0]
    put(root, "api-contracts.md", example)
    found = read(root)[-1]
    assert (found.name, found.level, found.prefix, found.languages) == (
        "api-contracts",
        "blocking",
        "API",
        ("py", "ts"),
    )
