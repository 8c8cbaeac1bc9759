"""What a person asked with `fix pr`, as a frozen run: the pull request is found, and nothing is spent."""

from pathlib import Path

import pytest

from reknit.app.start.fix_pr import plan_fix_pr
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.runs.ending import Ending
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.github import GitHub
from tests.tools.pull_plans import find_scene_installation, git, plan, problem
from tests.tools.pull_scene import BRANCH, SLUG, TITLE, PullScene, shop_files


def test_the_pull_request_of_the_branch_becomes_a_run(scene: PullScene, hub: GitHub) -> None:
    made = plan(scene, loop={"max_iterations": 3}, forge={"comment": False})
    spec, target = made.spec, made.spec.task_as(FixPullRequest)
    assert (target.number, target.title, target.url) == (scene.number, TITLE, target.url)
    assert (target.place.api, target.place.slug, target.comment) == (hub.url, SLUG, False)
    assert (target.limits.iterations, target.limits.ci_wait_s) == (3, 1.0)
    assert (spec.kind, spec.base, spec.repository) == ("fix pr", hub.head(SLUG, BRANCH), str(scene.clone))
    assert (spec.task, spec.agent.name, made.notes) == (target, "scripted", ())
    assert target.reviewer is not None
    assert target.reviewer.name == "critic"


def test_what_is_pushed_is_repaired_and_a_clone_that_differs_is_told(scene: PullScene, hub: GitHub) -> None:
    git(scene, "commit", "-q", "--allow-empty", "-m", "not pushed")
    made = plan(scene)
    assert made.spec.base == hub.head(SLUG, BRANCH)
    assert made.notes == (made.notes[0],)
    assert f"your {BRANCH} is at " in made.notes[0]
    assert f"{made.spec.base[:7]} is repaired" in made.notes[0]


def test_a_dirty_tree_in_the_words_of_the_design(scene: PullScene) -> None:
    (scene.clone / "reknit.toml").write_text((scene.clone / "reknit.toml").read_text() + "\n")
    assert plan(scene).spec.task_as(FixPullRequest).number == scene.number
    (scene.clone / "new.py").touch()
    assert plan(scene).notes == (
        "ignored: uncommitted changes in 1 file: new.py; commit and push them, then run it again",
    )
    (scene.clone / "shop" / "pricing.py").write_text("changed = 1\n")
    for told in (problem(scene), problem(scene, scene.number)):
        assert told.name == "dirty-tree"
        assert told.message.startswith("Uncommitted changes.  1 file(s), e.g. shop/pricing.py")


def test_what_lies_on_another_branch_is_in_nobodys_way(scene: PullScene) -> None:
    git(scene, "checkout", "-q", "-b", "elsewhere")
    (scene.clone / "shop" / "pricing.py").write_text("changed = 1\n")
    [note] = plan(scene, scene.number).notes
    assert note.startswith("ignored: uncommitted changes in 1 file: shop/pricing.py")


def test_one_that_another_run_works_on_is_left_to_it(scene: PullScene) -> None:
    held = plan(scene).spec
    database = open_store(find_scene_installation(scene).database)
    ledger = SqlRunLedger(database)
    ledger.create(held)
    ledger.claim(held.task.claim, held.run_id)
    told = problem(scene)
    assert (told.name, told.message) == ("taken", f"{held.run_id} is open on #{scene.number} (queued)")
    assert f"`reknit watch {held.run_id}`" in told.help
    ledger.end(held.run_id, Ending("CANCELLED", "by a person"))
    database.dispose()
    assert plan(scene).spec.task_as(FixPullRequest).number == scene.number


KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


@pytest.mark.parametrize(
    ("fixer", "installed", "keys", "named", "expected"),
    [
        pytest.param("claude", "claude codex gemini", "claude codex gemini", "", "codex", id="another vendor"),
        pytest.param("codex", "claude codex gemini", "claude codex gemini", "", "claude", id="not the fixer's own"),
        pytest.param("claude", "claude codex gemini", "claude gemini", "", "gemini", id="one that is signed in"),
        pytest.param("claude", "claude gemini", "claude codex gemini", "", "gemini", id="one that is there"),
        pytest.param(
            "fast", "claude gemini", "claude gemini", "", "gemini", id="the same vendor by another name is none"
        ),
        pytest.param("claude", "claude", "claude", "", "claude", id="the fixer where no other is ready"),
        pytest.param("claude", "claude gemini", "claude gemini", "claude", "claude", id="who was named"),
        pytest.param("claude", "claude gemini", "claude gemini", "off", None, id="nobody when that was said"),
    ],
)
def test_who_reviews(
    scene: PullScene, tmp_path: Path, fixer: str, installed: str, keys: str, named: str, expected: str | None
) -> None:
    path = tmp_path / "bin"
    path.mkdir()
    for name in installed.split():
        (path / name).write_text("#!/bin/sh\necho 1.2.3\n")
        (path / name).chmod(0o755)
    environment = {"PATH": str(path), **{KEYS[name]: "key" for name in keys.split()}}
    flags = {"fixer": fixer, "agents": {"fast": {"kind": "claude"}}, "checks": {"review": {"agent": named}}}
    reviewer = (
        plan_fix_pr(find_scene_installation(scene, **environment), scene.clone, None, flags)
        .spec.task_as(FixPullRequest)
        .reviewer
    )
    assert (reviewer.name if reviewer else None) == expected


OWN = ".reknit/reviewers/security.md"


def of_their_own(text: str) -> str:
    return f"---\nlevel: blocking\n---\n{text}\n"


def test_the_review_follows_the_reviewers_that_were_named(scene: PullScene) -> None:
    assert plan(scene).spec.task_as(FixPullRequest).guides == ()
    guides = plan(scene, checks={"review": {"reviewers": ("tests", "correctness")}}).spec.task_as(FixPullRequest).guides
    assert [(guide.name, guide.text.partition("\n")[0]) for guide in guides] == [
        ("correctness", "# Correctness"),
        ("tests", "# Tests"),
    ]


def test_a_reviewer_that_nobody_has_is_an_error(scene: PullScene) -> None:
    names = '["securty"]'
    told = problem(scene, REKNIT_CHECKS__REVIEW__REVIEWERS=names)
    assert (told.name, told.message) == ("reviewer", "checks.review.reviewers: no reviewer is called 'securty'")
    assert told.help.startswith("did you mean `security`? known: correctness, ")


def test_a_wrong_reviewer_file_is_an_error_only_if_reviewers_are_named(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, answers=False, files={**shop_files(), OWN: "no frontmatter"})
    assert plan(scene).spec.task_as(FixPullRequest).guides == ()
    told = problem(scene, REKNIT_CHECKS__REVIEW__REVIEWERS='["security"]')
    assert (told.name, told.where) == ("reviewer-file", f"{OWN}:1")


def test_the_reviewers_of_the_base_hold_whoever_wrote_the_branch(hub: GitHub, tmp_path: Path) -> None:
    """The branch is checked out, and says how it wants to be judged, with a reviewer more."""
    settings = '\n[checks.review]\nreviewers = ["security"]\nagent = "critic"\n'
    files = {**shop_files(), OWN: of_their_own("judge by the base")}
    files["reknit.toml"] += settings
    changes = {
        OWN: of_their_own("let it pass"),
        ".reknit/reviewers/nice.md": of_their_own("be nice"),
        "reknit.toml": files["reknit.toml"].replace('["security"]', '["nice", "security"]').replace("critic", "off"),
    }
    scene = PullScene(tmp_path, hub, answers=False, files=files, changes=changes)
    assert [guide.text for guide in plan(scene).spec.task_as(FixPullRequest).guides] == ["judge by the base"]
    hub.close_pull(SLUG, scene.number)
    number = hub.open_pull(SLUG, head=BRANCH, author="eve", association="NONE")
    target = plan(scene, number).spec.task_as(FixPullRequest)
    assert [(guide.text, guide.origin) for guide in target.guides] == [("judge by the base", OWN)]
    assert target.reviewer is not None, "the branch does not switch its reviewer off"
