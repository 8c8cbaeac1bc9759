"""Who judges a change is read where it left the default branch, whatever the branch or the working tree says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET
from reknit.app.installation import Installation, find_installation
from reknit.app.start.instructions.agent_files import read_agent_files
from reknit.app.start.instructions.judges import (
    REVIEWER_FOLDER,
    SHIPPED_REVIEWERS,
    checkout_judges,
    read_reviewers,
    refuse_unknown_agents,
)
from reknit.app.start.review import ReviewRequest, list_reviewers, plan_review
from reknit.core.agents.instructions import JUDGING, select_files
from reknit.core.agents.reviewer import Reviewer
from reknit.core.errors import UsageError
from reknit.core.review.task import ReviewChange
from tests.adapters.git.users_git import git, head
from tests.tools.operator_settings import EVERY, path_of
from tests.tools.setting_spellings import other_value, toml

REVIEWER = ".reknit/reviewers/security.md"
OF_JUDGES = [
    name
    for name in REPOSITORY_MAY_SET
    if name.startswith(("review.", "challenger.", "vote.", "checks.review.", "agents.*."))
]
VALUES = {
    "challenger.satisfaction_threshold": 99.0, "vote.approve": 99.0, "vote.agents": ["mine", "other"],
    "checks.review.reviewers": ["tests"], "challenger.thinking_budget": 2000, "agents.*.thinking_budget": 2000,
}  # fmt: skip
"""Where not every value of the type is one that a repository may set."""


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "own.toml").write_text('[agents.mine]\nkind = "scripted"\n[agents.other]\nkind = "scripted"\n')
    return find_installation({"REKNIT_STATE": str(tmp_path / "state"), "REKNIT_CONFIG": str(tmp_path / "own.toml")})


def write_judges(root: Path, word: str, *, settings: str = "") -> None:
    instruction = f"---\nlevel: blocking\n---\n{word}\n"
    files = {REVIEWER: instruction, "reknit.toml": settings, "more.py": f"{word} = 1\n"}
    for name, text in {**files, **{f".reknit/agents/{each}.md": f"{word}\n" for each in JUDGING}}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=judges")


def hostile_settings() -> str:
    lines = []
    for name in OF_JUDGES:
        value = VALUES.get(name, other_value(EVERY[name].annotation))
        lines.append(f"{'.'.join(path_of(name))} = {toml('mine' if value == 'host' else value)}\n")
    return "".join(lines)


def words_of(installation: Installation, root: Path, **bases: str) -> tuple[set[str], Config]:
    """Every word that instructs a judge, and the settings."""
    with checkout_judges(installation, UserRepository.find(str(root)), {}, **bases) as judges:
        texts = {each.text for each in read_reviewers(judges.rules, {}) if each.origin}
        texts |= {text for _, text in select_files(read_agent_files(judges.rules), JUDGING)}
        return texts, judges.config


def commits_it(root: Path) -> None:
    git(root, "checkout", "--quiet", "-b", "strange")
    write_judges(root, "hostile", settings=hostile_settings())
    commit(root)


def stages_it(root: Path) -> None:
    write_judges(root, "hostile", settings=hostile_settings())
    git(root, "add", "--all")


def leaves_it(root: Path) -> None:
    write_judges(root, "hostile", settings=hostile_settings())


def squashes_it(root: Path) -> None:
    commits_it(root)
    git(root, "checkout", "--quiet", "main")
    git(root, "merge", "--quiet", "--squash", "strange")


def detaches_it(root: Path) -> None:
    commits_it(root)
    git(root, "checkout", "--quiet", "--detach")


def names_it_like_the_remote(root: Path) -> None:
    commits_it(root)
    git(root, "branch", "origin/main")
    git(root, "tag", "main")


WAYS = [commits_it, stages_it, leaves_it, squashes_it, detaches_it, names_it_like_the_remote]


@pytest.mark.parametrize("bring", WAYS)
def test_no_setting_or_file_of_a_judge_comes_with_the_change(
    installation: Installation, shop: Path, bring: Callable[[Path], None]
) -> None:
    write_judges(shop, "base")
    commit(shop)
    expected = words_of(installation, shop)
    assert expected[0] == {"base"}
    bring(shop)
    assert words_of(installation, shop) == expected
    known, (note,) = list_reviewers(installation, shop, "", {})
    assert "base" in {each.text for each in known}
    assert "what differs here does not count" in note


def test_control_each_setting_would_change_something(installation: Installation, shop: Path) -> None:
    write_judges(shop, "base")
    commit(shop)
    _, before = words_of(installation, shop)
    write_judges(shop, "hostile", settings=hostile_settings())
    commit(shop)
    words, after = words_of(installation, shop)
    assert words == {"hostile"}, "on the default branch without a remote, its last commit counts"
    parts = ("review", "challenger", "vote", "agents", "checks")
    assert all(getattr(before, part) != getattr(after, part) for part in parts)
    assert list_reviewers(installation, shop, "", {})[1] == ()


def test_a_review_asks_the_reviewers_of_the_base_whatever_it_is_compared_with(
    installation: Installation, shop: Path
) -> None:
    write_judges(shop, "base", settings='[review]\nagent = "other"\n')
    commit(shop)
    commits_it(shop)
    (shop / "more.py").write_text("more = 2\n")
    commit(shop)
    for base in ("", "main", "HEAD~1"):
        plan = plan_review(installation, shop, ReviewRequest(("security",), base=base, report_only=True), {})
        ((reviewer, agent),) = plan.spec.task_as(ReviewChange).reviewers
        assert (reviewer.text, agent.name, agent.model) == ("base", "other", "")
        assert any("what differs here does not count" in note for note in plan.notes)


def test_commits_that_are_not_on_the_remote_do_not_count(installation: Installation, shop: Path) -> None:
    write_judges(shop, "base")
    commit(shop)
    git(shop, "update-ref", "refs/remotes/origin/main", head(shop))
    write_judges(shop, "unpushed")
    commit(shop)
    assert words_of(installation, shop)[0] == {"base"}


def test_where_no_default_branch_is_known_only_a_typed_base_counts(installation: Installation, shop: Path) -> None:
    write_judges(shop, "base")
    commit(shop)
    base = head(shop)
    git(shop, "branch", "--quiet", "-m", "trunk")
    commits_it(shop)
    words, config = words_of(installation, shop)
    assert not words & {"base", "hostile"}
    assert config.vote == Config().vote
    assert "no default branch is known here" in list_reviewers(installation, shop, "", {})[1][0]
    assert words_of(installation, shop, typed_base=base)[0] == {"base"}
    assert words_of(installation, shop, pull_base=base)[0] == {"base"}
    assert words_of(installation, shop, pull_base="0" * 40, typed_base=base)[0] == {"base"}


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
    return read_reviewers(root, environment(root))


def put(root: Path, name: str, text: str) -> Path:
    """`name` with `reviewers/` before it: a person's own."""
    path = root.parent / "own" / name if name.startswith(MINE) else root / REVIEWER_FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def reviewer(level: str = "warning", body: str = "Look.", **fields: str) -> str:
    lines = [f"{key}: {value}" for key, value in {"level": level, **fields}.items()]
    return "\n".join(("---", *lines, "---", body))


def refused(root: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
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
    assert read_reviewers(None, environment(root)) == read(root)
    assert {(each.languages, each.agent, each.model, each.origin) for each in read(root)} == {((), "", "", "")}


@pytest.mark.parametrize("name", SHIPPED_REVIEWERS)
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
    others = read(root)[len(SHIPPED_REVIEWERS) :]
    assert others == (
        Reviewer("api", "blocking", "API", "Look.", ("py",), "codex", origin=f"{REVIEWER_FOLDER}/api.md", agent_line=5),
        Reviewer("docs", "warning", "DOC", "Look.", origin=str(mine)),
        Reviewer("zebra", "suggestion", "ZEB", "Look.", origin=f"{REVIEWER_FOLDER}/zebra.md"),
    )
    assert [each.name for each in read_reviewers(None, environment(root))] == [*SHIPPED_REVIEWERS, "docs"]


def test_a_later_one_replaces_an_earlier_one_at_its_place(root: Path) -> None:
    put(root, f"{MINE}/security.md", reviewer(body="mine"))
    put(root, f"{MINE}/tests.md", reviewer(body="mine"))
    put(root, "our-tests.md", reviewer(name="tests", body="ours"))
    assert [(each.name, each.text) for each in read(root)[:3] if each.origin] == [
        ("security", "mine"),
        ("tests", "ours"),
    ]
    assert [each.name for each in read(root)] == list(SHIPPED_REVIEWERS)


def test_a_persons_own_lie_beside_their_configuration_even_if_there_is_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(root.parent / "xdg"))
    folder = root.parent / "xdg" / "reknit" / "reviewers"
    folder.mkdir(parents=True)
    (folder / "docs.md").write_text(reviewer())
    assert [each.name for each in read_reviewers(root, {})] == [*SHIPPED_REVIEWERS, "docs"]


def test_what_is_no_reviewer_may_lie_there_too(root: Path) -> None:
    put(root, "README.md", "how we write these")
    put(root, "notes.txt", "x")
    assert [each.name for each in read(root)] == list(SHIPPED_REVIEWERS)


def test_a_wrong_field_is_refused_with_file_and_line(root: Path) -> None:
    put(root, "api.md", "---\nlevel: warning\nlangages: py\n---\nLook.")
    problem = refused(root)
    assert (problem.where, problem.message) == (f"{REVIEWER_FOLDER}/api.md:3", "unknown field `langages`")
    assert problem.help == "did you mean `languages`?"


def test_all_that_is_wrong_in_all_files_is_told_at_once(root: Path) -> None:
    put(root, "a.md", "---\nlvel: warning\n---\n")
    put(root, "b.md", "Look.")
    mine = put(root, f"{MINE}/c.md", "x" * 70_000)
    first, *lines = refused(root).message.splitlines()
    assert first == "the reviewer files have 6 problems:"
    assert [line.split(";")[0] for line in lines if line.startswith("  ") and not line.startswith("   ")] == [
        f"  {mine}: it is larger than 64 KB",
        f"  {REVIEWER_FOLDER}/a.md:1: `level` is missing",
        f"  {REVIEWER_FOLDER}/a.md:1: no prefix can be derived from the name `a`",
        f"  {REVIEWER_FOLDER}/a.md:2: unknown field `lvel`",
        f"  {REVIEWER_FOLDER}/a.md:3: it has no instruction",
        f"  {REVIEWER_FOLDER}/b.md:1: it has no frontmatter",
    ]


def test_two_reviewers_with_one_prefix_are_refused_with_both_files(root: Path) -> None:
    put(root, "api.md", reviewer(prefix="SEC"))
    problem = refused(root)
    both = f"'security' (shipped with reknit) and 'api' ({REVIEWER_FOLDER}/api.md)"
    assert problem.message == f"the reviewers {both} have the same prefix SEC"
    assert (problem.where, problem.help) == (f"{REVIEWER_FOLDER}/api.md", "set another `prefix` in one of them")


def test_two_files_of_a_folder_with_one_name_are_refused(root: Path) -> None:
    put(root, "a.md", reviewer(name="api"))
    put(root, "b.md", reviewer(name="api"))
    problem = refused(root)
    assert (problem.where, problem.message) == (
        f"{REVIEWER_FOLDER}/b.md",
        f"the reviewer 'api' is also in {REVIEWER_FOLDER}/a.md",
    )


@pytest.mark.parametrize("name", ["api.md", f"{MINE}/api.md"])
def test_a_link_is_not_followed(root: Path, name: str) -> None:
    path = put(root, name, "")
    path.unlink()
    (root / "secret").write_text(reviewer())
    path.symlink_to(root / "secret")
    assert refused(root).message == "it is a symlink, or is reached through one"


def test_an_agent_that_is_not_configured_is_refused_with_file_and_line(root: Path) -> None:
    put(root, "api.md", reviewer(agent="claudia"))
    put(root, "docs.md", reviewer(agent="claude"))
    config = load(root, {}, environment(root))
    with pytest.raises(UsageError, match="no agent 'claudia'; known: claude, codex, gemini") as caught:
        refuse_unknown_agents(read(root), config)
    assert caught.value.where == f"{REVIEWER_FOLDER}/api.md:3"
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
