"""Who judges a change is read where it left the default branch, whatever the branch or the working tree says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET
from reknit.app.installation import Installation, installation
from reknit.app.start.instructions.agent_files import agent_files
from reknit.app.start.instructions.judges import judges_of
from reknit.app.start.instructions.reviewer_files import reviewers
from reknit.app.start.review import ReviewRequest, list_reviewers, plan_review
from reknit.core.agents.instructions import JUDGING, only
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
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "own.toml").write_text('[agents.mine]\nkind = "scripted"\n[agents.other]\nkind = "scripted"\n')
    return installation({"REKNIT_STATE": str(tmp_path / "state"), "REKNIT_CONFIG": str(tmp_path / "own.toml")})


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


def words_of(place: Installation, root: Path, **bases: str) -> tuple[set[str], Config]:
    """Every word that instructs a judge, and the settings."""
    with judges_of(place, UserRepository.find(str(root)), {}, **bases) as judges:
        texts = {each.text for each in reviewers(judges.rules, {}) if each.origin}
        texts |= {text for _, text in only(agent_files(judges.rules), JUDGING)}
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
    place: Installation, shop: Path, bring: Callable[[Path], None]
) -> None:
    write_judges(shop, "base")
    commit(shop)
    expected = words_of(place, shop)
    assert expected[0] == {"base"}
    bring(shop)
    assert words_of(place, shop) == expected
    known, (note,) = list_reviewers(place, shop, "", {})
    assert "base" in {each.text for each in known}
    assert "what differs here does not count" in note


def test_control_each_setting_would_change_something(place: Installation, shop: Path) -> None:
    write_judges(shop, "base")
    commit(shop)
    _, before = words_of(place, shop)
    write_judges(shop, "hostile", settings=hostile_settings())
    commit(shop)
    words, after = words_of(place, shop)
    assert words == {"hostile"}, "on the default branch without a remote, its last commit counts"
    parts = ("review", "challenger", "vote", "agents", "checks")
    assert all(getattr(before, part) != getattr(after, part) for part in parts)
    assert list_reviewers(place, shop, "", {})[1] == ()


def test_a_review_asks_the_reviewers_of_the_base_whatever_it_is_compared_with(place: Installation, shop: Path) -> None:
    write_judges(shop, "base", settings='[review]\nagent = "other"\n')
    commit(shop)
    commits_it(shop)
    (shop / "more.py").write_text("more = 2\n")
    commit(shop)
    for base in ("", "main", "HEAD~1"):
        plan = plan_review(place, shop, ReviewRequest(("security",), base=base, report_only=True), {})
        ((reviewer, agent),) = plan.spec.review_target.reviewers
        assert (reviewer.text, agent.name, agent.model) == ("base", "other", "")
        assert any("what differs here does not count" in note for note in plan.notes)


def test_commits_that_are_not_on_the_remote_do_not_count(place: Installation, shop: Path) -> None:
    write_judges(shop, "base")
    commit(shop)
    git(shop, "update-ref", "refs/remotes/origin/main", head(shop))
    write_judges(shop, "unpushed")
    commit(shop)
    assert words_of(place, shop)[0] == {"base"}


def test_where_no_default_branch_is_known_only_a_typed_base_counts(place: Installation, shop: Path) -> None:
    write_judges(shop, "base")
    commit(shop)
    base = head(shop)
    git(shop, "branch", "--quiet", "-m", "trunk")
    commits_it(shop)
    words, config = words_of(place, shop)
    assert not words & {"base", "hostile"}
    assert config.vote == Config().vote
    assert "no default branch is known here" in list_reviewers(place, shop, "", {})[1][0]
    assert words_of(place, shop, typed_base=base)[0] == {"base"}
    assert words_of(place, shop, pull_base=base)[0] == {"base"}
    assert words_of(place, shop, pull_base="0" * 40, typed_base=base)[0] == {"base"}
