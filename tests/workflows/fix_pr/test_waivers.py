"""A pull request whose CI fails on a lockfile: a person is asked at once, and what that person allows is named."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reknit.core.gate.waiver import parse_typed
from tests.tools.github import GitHub
from tests.tools.pull_play import Played, play
from tests.tools.pull_scene import BRANCH, FIX_LINT, FIX_TEST, PASSED, SLUG, PullScene, changed, shop_files

LOCK, MANIFEST = "web/package-lock.json", "web/package.json"
LOG = """##[group]Run npm ci
npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.
npm error Missing: left-pad@1.3.0 from lock file
##[error]Process completed with exit code 1.
"""
FRESH = '{"packages": {"left-pad": "1.3.0"}}\n'
MEND = {"write": {LOCK: FRESH}, "cost_usd": 0.02}
ALLOW = {"gate": {"allow": (parse_typed(f"protected-config:{LOCK}"),)}}
USE = f"protected-config:{LOCK} allowed by a person (--allow)"


@dataclass
class LockScene(PullScene):
    def ci(self, slug: str, branch: str, sha: str) -> None:
        super().ci(slug, branch, sha)
        stale = self.hub.show(slug, sha, LOCK) != FRESH
        self.hub.check(SLUG, sha, "install", "failure" if stale else "success", log=LOG if stale else "ok")


def scene(
    hub: GitHub, tmp_path: Path, *fixes: Any, test: bool = False, lint: bool = False, forbid: str = ""
) -> LockScene:
    """`forbid`: what base's own file has besides."""
    files = {**shop_files(), LOCK: "{}\n", MANIFEST: "{}\n"}
    files["reknit.toml"] += forbid
    changes = {**changed(test=test, lint=lint), MANIFEST: '{"dependencies": {"left-pad": "1.3.0"}}\n'}
    return LockScene(tmp_path, hub, files=files, changes=changes, fixes=[*fixes] or [MEND], reviews=[PASSED])


def comment(hub: GitHub, played_on: LockScene) -> str:
    (found,) = hub.comments(SLUG, played_on.number)
    return str(found["body"])


def outcome(played: Played) -> tuple[str, str, int]:
    return played.ending, played.cause, len(played.fixes)


def test_it_is_blocked_at_once_with_what_to_type(hub: GitHub, tmp_path: Path) -> None:
    opened = scene(hub, tmp_path)
    played = play(opened)
    assert outcome(played) == ("BLOCKED", "waiver", 0)
    assert f"add `--allow protected-config:{LOCK}`" in played.run.reason
    assert f"--allow protected-config:{LOCK}" in comment(hub, opened)
    assert played.run.spent_usd == 0


def test_typed_it_ends_clean_and_comment_commit_and_receipt_name_it(hub: GitHub, tmp_path: Path) -> None:
    opened = scene(hub, tmp_path)
    played = play(opened, flags=ALLOW)
    assert (played.ending, len(played.fixes)) == ("CLEAN", 1)
    assert hub.read(SLUG, BRANCH, LOCK) == FRESH
    assert USE in comment(hub, opened).replace("\\", "")
    assert f"Reknit-Allowed: {USE}" in hub.log(SLUG, BRANCH)[0][1]


def test_what_else_is_red_is_repaired_before_a_person_is_asked(hub: GitHub, tmp_path: Path) -> None:
    opened = scene(hub, tmp_path, FIX_TEST, FIX_LINT, test=True, lint=True)
    played = play(opened)
    assert (played.ending, played.cause) == ("BLOCKED", "waiver")
    assert all("install" not in asked.subjects for asked in played.fixes)
    assert len([author for *_, author in hub.log(SLUG, BRANCH) if author == "reknit"]) >= 1


def test_another_file_than_the_allowed_one_is_refused_and_named(hub: GitHub, tmp_path: Path) -> None:
    opened = scene(hub, tmp_path, {"write": {MANIFEST: "{}\n"}})
    played = play(opened, flags=ALLOW)
    assert outcome(played) == ("BLOCKED", "waiver", 2)
    assert (MANIFEST in played.run.reason, "--allow" in played.run.reason) == (True, False)


def test_what_base_forbids_cannot_be_allowed(hub: GitHub, tmp_path: Path) -> None:
    opened = scene(hub, tmp_path, forbid='\n[gate]\nforbid = ["protected-config:**"]\n')
    played = play(opened, flags=ALLOW, iterations=1)
    assert outcome(played) == ("BLOCKED", "waiver", 0)
    assert "--allow" not in played.run.reason
    assert hub.read(SLUG, BRANCH, LOCK) == "{}\n"


def test_the_heads_own_file_allows_nothing(hub: GitHub, tmp_path: Path) -> None:
    opened = scene(hub, tmp_path)
    entry = f'\n[[gate.allow]]\nrule = "protected-config"\npath = "{LOCK}"\nreason = "mine"\n'
    head = hub.commit(SLUG, BRANCH, {"reknit.toml": shop_files()["reknit.toml"] + entry}, message="let me")
    opened.ci(SLUG, BRANCH, head)
    played = play(opened)
    assert outcome(played) == ("BLOCKED", "waiver", 0)
