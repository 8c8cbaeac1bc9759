"""Finding the pull request that a person means, at any remote."""

import pytest

from reknit.app.start.fix_pr import plan_fix_pr
from reknit.core.errors import LoginNeededError, UsageError
from reknit.core.fix_pr.task import FixPullRequest
from tests.tools.github import GitHub
from tests.tools.pull_plans import find_scene_installation, git, plan, problem
from tests.tools.pull_scene import BRANCH, SLUG, PullScene


def test_another_is_found_by_its_number(scene: PullScene, hub: GitHub) -> None:
    hub.commit(SLUG, "other", {"x.py": "x = 1\n"})
    number = hub.open_pull(SLUG, head="other", title="Another\x1b[2J one")
    made = plan(scene, number)
    assert (made.spec.task_as(FixPullRequest).number, made.spec.base) == (number, hub.head(SLUG, "other"))
    assert made.spec.task_as(FixPullRequest).title.isprintable()


def test_the_branch_is_asked_for_by_its_name_there(scene: PullScene) -> None:
    git(scene, "branch", "-m", "mine")
    assert plan(scene).spec.task_as(FixPullRequest).number == scene.number


def test_what_gh_pr_checkout_left_is_known(scene: PullScene) -> None:
    git(scene, "config", f"branch.{BRANCH}.merge", f"refs/pull/{scene.number}/head")
    assert plan(scene).spec.task_as(FixPullRequest).number == scene.number


def test_a_pull_request_from_a_fork_is_found_at_its_upstream(scene: PullScene, hub: GitHub) -> None:
    fork = hub.fork(SLUG, "dev")
    hub.commit(fork, "feature", {"x.py": "x = 1\n"})
    number = hub.open_pull(SLUG, head="feature", head_slug=fork)
    git(scene, "remote", "rename", "origin", "upstream")
    git(scene, "remote", "add", "origin", f"{hub.url}/{fork}.git")
    git(scene, "checkout", "-q", "-b", "feature")
    target = plan(scene).spec.task_as(FixPullRequest)
    assert (target.number, target.place.slug) == (number, SLUG)


def test_a_strangers_branch_of_the_same_name_is_not_ours(scene: PullScene, hub: GitHub) -> None:
    fork = hub.fork(SLUG, "stranger")
    hub.commit(fork, "feature", {"x.py": "x = 1\n"})
    hub.open_pull(SLUG, head="feature", head_slug=fork, author="stranger")
    git(scene, "checkout", "-q", "-b", "feature")
    assert problem(scene).message == f"No PR for current branch. 'feature' has none open in {SLUG}"


def test_without_a_pull_request_the_words_are_the_designs(scene: PullScene) -> None:
    git(scene, "checkout", "-q", "-b", "lonely")
    told = problem(scene)
    assert (told.name, told.exit_code) == ("no-pr", 2)
    assert told.message.startswith("No PR for current branch.")
    assert "`gh pr create`" in told.help


def test_no_branch_is_no_pull_request(scene: PullScene) -> None:
    git(scene, "checkout", "-q", "--detach")
    assert problem(scene).message == "No PR for current branch. No branch is checked out"
    assert plan(scene, scene.number).spec.task_as(FixPullRequest).number == scene.number


def test_without_a_forge_the_number_or_the_branch_cannot_be_looked_up(scene: PullScene) -> None:
    git(scene, "remote", "remove", "origin")
    assert problem(scene).message == "No PR for current branch. No remote of this repository is on a forge"
    told = problem(scene, 12)
    assert (told.name, told.message) == ("no-pr", "#12 cannot be looked up: no remote of this repository is on a forge")
    assert "`forge.remote` names the right one" in told.help


def test_a_number_that_nobody_has(scene: PullScene) -> None:
    assert problem(scene, 99).message == f"there is no pull request #99 in {SLUG}"


def test_an_address_names_the_repository_too(scene: PullScene, hub: GitHub) -> None:
    made = plan_fix_pr(find_scene_installation(scene), scene.clone, scene.number, {}, slug=SLUG.upper(), attended=True)
    assert (made.spec.task_as(FixPullRequest).number, made.spec.task_as(FixPullRequest).attended) == (
        scene.number,
        True,
    )
    with pytest.raises(UsageError, match="no remote of this repository points to zoo/shop"):
        plan_fix_pr(find_scene_installation(scene), scene.clone, scene.number, {}, slug="zoo/shop")
    assert not plan(scene).spec.task_as(FixPullRequest).attended


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_one_that_is_over_is_not_repaired(scene: PullScene, hub: GitHub, state: str) -> None:
    (hub.close_pull if state == "closed" else hub.merge)(SLUG, scene.number)
    assert (problem(scene, scene.number).name, problem(scene, scene.number).message) == ("pr-closed", f"#1 is {state}")
    assert problem(scene).name == "no-pr"


def test_a_login_that_is_not_taken_is_told_as_one(scene: PullScene) -> None:
    with pytest.raises(LoginNeededError, match="rejected the login") as caught:
        plan_fix_pr(find_scene_installation(scene, GH_TOKEN="wrong"), scene.clone, None, {})
    assert caught.value.exit_code == 4


def test_a_forge_that_is_away_is_told(scene: PullScene, hub: GitHub) -> None:
    hub.faults.server_error = 99
    assert (problem(scene).name, problem(scene, scene.number).name) == ("forge", "forge")


def test_a_remote_that_cannot_be_asked_is_in_nobodys_way(scene: PullScene, hub: GitHub) -> None:
    git(scene, "remote", "add", "upstream", f"{hub.url}/acme/gone.git")
    assert plan(scene).spec.task_as(FixPullRequest).place.slug == SLUG
    git(scene, "checkout", "-q", "-b", "lonely")
    told = problem(scene).message
    none = f"No PR for current branch. 'lonely' has none open in {SLUG}"
    assert told.startswith(f"{none}; acme/gone could not be checked: ")
    assert problem(scene, 99).message == f"there is no pull request #99 in acme/gone, {SLUG}"


def test_where_none_can_be_asked_the_likeliest_is_told(scene: PullScene) -> None:
    git(scene, "remote", "add", "upstream", "https://git.corp.example/acme/shop.git")
    scene.command.configure(fixer="scripted", agents={"scripted": {"story": "[]"}})
    with pytest.raises(LoginNeededError, match=r"no login for 'git\.corp\.example'"):
        plan_fix_pr(find_scene_installation(scene, PATH=""), scene.clone, None, {})
