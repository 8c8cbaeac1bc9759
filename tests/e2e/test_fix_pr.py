"""`reknit fix pr` on the GitHub stand-in: real git over HTTP, the real claude and gemini, and how it ends."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.pull_stage import GREEN, Played, Stage, finding, gh, gh_json, review
from tests.e2e.real_agents import CANARY, processes_below
from tests.tools.github import Call, GitHub
from tests.tools.pull_scene import (
    BRANCH,
    CLEAN_REPORT,
    LINT_LINE,
    REPORT,
    RIGHT,
    SLUG,
    SOURCE,
    TITLE,
    WRONG,
    shop_files,
)
from tests.tools.scripted_model import Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

SEVERAL = 3
"""Looks at CI that bring nothing new before it answers."""
DIGITS = ("str(price)", 'format(price, ".2f")')
NO_PRICES = ("/ len(prices)", "/ max(len(prices), 1)")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []


@dataclass
class SlowCi:
    """Answers at once, but for the commit on which nothing is left to find: there only after several looks."""

    stage: Stage
    sha: str = ""
    answered_at: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)

    def __call__(self, _slug: str, _branch: str, sha: str) -> None:
        if NO_PRICES[1] not in self.stage.hub.show(SLUG, sha, REPORT):
            self.stage.lint(sha)
            return
        self.sha = sha
        for name in ("lint", "build"):
            self.stage.hub.check(SLUG, sha, name)
        threading.Thread(target=self._answer_late, name="slow-ci").start()

    @property
    def idle_looks(self) -> list[Call]:
        """Requests for the checks of that commit that brought nothing new."""
        return [call for call in self.stage.hub.calls if f"/commits/{self.sha}/" in call.path and call.status == 304]

    def _answer_late(self) -> None:
        while len(self.idle_looks) < SEVERAL:
            if self.over.wait(0.05):
                return
        self.answered_at = time.time()
        self.stage.lint(self.sha)


@dataclass(frozen=True)
class Clean:
    stage: Stage
    ci: SlowCi
    played: Played


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clean]:
    """A red test, a red check and two review findings, repaired one after the other; played once, looked at often."""
    folder = tmp_path_factory.mktemp("clean")
    broken = {SOURCE: shop_files()[SOURCE].replace(RIGHT, WRONG), REPORT: LINT_LINE + CLEAN_REPORT}
    findings = [finding("format", 6, "prices need two digits"), finding("crash", 10, "no prices: ÷ 0", "blocking")]
    with GitHub(folder / "hub") as hub:
        stage = Stage(folder, hub, broken)
        stage.lint(stage.head)
        ci = SlowCi(stage)
        hub.on_push = ci
        fixes = [
            *stage.edits(SOURCE, (WRONG, RIGHT)),
            *stage.edits(REPORT, (LINT_LINE, "")),
            *stage.edits(REPORT, DIGITS, NO_PRICES),
        ]
        try:
            played = stage.play(fixes=fixes, reviews=[*3 * review(*findings), *review()])
        finally:
            ci.over.set()
        yield Clean(stage, ci, played)
        assert hub.violations == []


def test_it_ends_clean_and_each_fix_is_a_gated_commit_of_its_own(clean: Clean) -> None:
    stage, ending = clean.stage, clean.played.ending
    assert (ending["exit_code"], ending["ending"]) == (0, "CLEAN")
    _first, (persons, *_), *fixes = reversed(stage.hub.log(SLUG, BRANCH))
    assert persons == stage.head
    assert [message.splitlines()[0] for _, message, _ in fixes] == [
        "fix: repair test_discount_is_a_share in shop/pricing.py (iteration 1)",
        "fix: change report.py for 1 check and 2 review findings (iteration 2)",
        f"fix: change {REPORT} for 2 review findings (iteration 3)",
    ]
    trailers = f"\n\nReknit-Run: {ending['run']}\nReknit-Hop: 1"
    assert [message for _, message, _ in fixes if not message.endswith(trailers)] == []
    proven = {receipt["commit"]: receipt["gate"].partition(";")[0] for receipt in ending["receipts"]}
    gated = ["1 file(s), +1 -1", "1 file(s), +0 -1", "1 file(s), +2 -2"]
    assert proven == dict(zip((sha for sha, _, _ in fixes), gated, strict=True))
    mended = CLEAN_REPORT.replace(*DIGITS).replace(*NO_PRICES)
    assert [stage.hub.read(SLUG, BRANCH, file) for file in (SOURCE, REPORT)] == [shop_files()[SOURCE], mended]


def test_the_agents_worked_as_told_and_left_nothing(clean: Clean) -> None:
    """Nobody saw a key, and no process is left."""
    stage, played = clean.stage, clean.played
    assert {request.turn for request in (*played.fixer.work, *played.reviewer.work)}.isdisjoint({"over"})
    assert (len(played.fixer.work), len(played.reviewer.work)) == (10, 8)
    files = [path for path in (stage.folder / "state").rglob("*") if path.is_file() and not path.is_symlink()]
    held = [path.name for path in files for key in (CANARY, stage.hub.token) if key.encode() in path.read_bytes()]
    assert (held, processes_below(stage.clone)) == ([], [])


def test_no_model_is_asked_while_ci_is_pending(clean: Clean) -> None:
    """And the forge once a look: two a minute with the default of 30 s, most of them free of charge."""
    began = next(event["at"] for event in clean.played.answer.events("waiting"))
    answered = clean.ci.answered_at
    assert [request.path for request in clean.played.requests if began <= request.at <= answered] == []
    calls = [call for call in clean.stage.hub.calls if began <= call.at <= answered]
    assert len(clean.ci.idle_looks) >= SEVERAL
    assert len(calls) <= answered - began + 1


def test_the_real_gh_sees_the_pull_request_its_checks_and_the_comment(clean: Clean, tmp_path: Path) -> None:
    stage, ending = clean.stage, clean.played.ending
    fields = "number,title,state,headRefOid,comments,statusCheckRollup"
    seen = gh_json(stage.hub, tmp_path, "pr", "view", str(stage.number), "--json", fields)
    assert (seen["number"], seen["title"], seen["state"]) == (stage.number, TITLE, "OPEN")
    assert seen["headRefOid"] == ending["receipts"][-1]["commit"]
    assert {check["name"]: check["conclusion"] for check in seen["statusCheckRollup"]} == {
        "lint": "SUCCESS",
        "build": "SUCCESS",
    }
    (comment,) = seen["comments"]
    assert comment["body"] == stage.comment
    assert [
        line
        for line in ("### reknit: this pull request is clean", ending["run"], "| 4 | ✓ passed |")
        if line not in stage.comment
    ] == []
    checks = gh(stage.hub, tmp_path, "pr", "checks", str(stage.number))
    assert (checks.returncode, sorted(line.split("\t")[:2] for line in checks.stdout.splitlines())) == (
        0,
        [["build", "pass"], ["lint", "pass"]],
    )


def test_what_cannot_be_fixed_ends_stalled(tmp_path: Path, hub: GitHub) -> None:
    stage = Stage(tmp_path, hub, {**GREEN, SOURCE: shop_files()[SOURCE].replace(RIGHT, WRONG)})
    stage.lint(stage.head)
    played = stage.play(
        fixes=[
            *stage.edits("tests/test_pricing.py", ("discount(200, 10), 180", "discount(200, 10), 190")),
            *stage.edits(SOURCE, (WRONG, "return price - percent / 10")),
            *stage.edits(SOURCE, (WRONG, "return price - percent / 5")),
        ],
        reviews=review(),
    )
    assert (played.ending["exit_code"], played.ending["ending"]) == (1, "STALLED")
    assert "3 fixes in a row left the same failures" in played.ending["reason"]
    assert [event["did"] for event in played.answer.events("iteration")] == [
        "nothing landed: the gate refused it",
        "nothing landed: the tests did not hold",
        "nothing landed: the tests did not hold",
        "STALLED",
    ]
    assert hub.head(SLUG, BRANCH) == stage.head
    assert "### reknit: STALLED, 1 finding left" in stage.comment


def test_fixes_that_breed_findings_end_in_churn(tmp_path: Path, hub: GitHub) -> None:
    """Each fix is wrong in a new way, on the very line it wrote."""
    stage = Stage(tmp_path, hub, GREEN)
    stage.lint(stage.head)
    line = next(number for number, text in enumerate(CLEAN_REPORT.splitlines(), 1) if DIGITS[0] in text)
    tries = ("str(price)", "str(round(price))", "str(round(price, 2))")
    played = stage.play(
        fixes=[turn for before, after in pairwise(tries) for turn in stage.edits(REPORT, (before, after))],
        reviews=[turn for what in ("format", "rounding", "locale") for turn in review(finding(what, line, what))],
    )
    assert (played.ending["exit_code"], played.ending["ending"]) == (1, "CHURN")
    assert "its own fixes breed new findings: 100 %" in played.ending["reason"]
    assert [sha for sha, _, _ in hub.log(SLUG, BRANCH)][:2] == played.ending["fixed"][::-1]
    assert "### reknit: CHURN, 1 finding left" in stage.comment


def test_ci_that_never_answers_ends_unverified(tmp_path: Path, hub: GitHub) -> None:
    stage = Stage(tmp_path, hub, GREEN, ci={"patience_s": 2})
    hub.check(SLUG, stage.head, "lint")
    played = stage.play(reviews=review())
    assert (played.ending["exit_code"], played.ending["ending"]) == (5, "UNVERIFIED")
    assert "CI (lint) gave no result" in played.ending["reason"]
    assert (played.fixer.log, len(played.reviewer.work)) == ([], 2)
    assert "### reknit: UNVERIFIED" in stage.comment


def test_three_checks_in_error_are_looked_at_twice_more_and_end_unverified(tmp_path: Path, hub: GitHub) -> None:
    stage = Stage(tmp_path, hub, {**GREEN, "run_tests.py": "import no_such_module\n"})
    hub.check(SLUG, stage.head, "lint", "action_required")
    nonsense: Turn = {"status": 400, "error": "no such field", "repeat": True}
    played = stage.play(reviews=[nonsense])
    assert (played.ending["exit_code"], played.ending["ending"]) == (5, "UNVERIFIED")
    assert (len(played.reviewer.work), played.fixer.log, hub.head(SLUG, BRANCH)) == (3, [], stage.head)
    reason = played.ending["reason"]
    assert reason.startswith("no result after 2 retries: review: gemini gave no review")
    assert [part for part in ("; tests: ", "; CI: lint waits for a person") if part not in reason] == []


def test_without_a_pull_request_nothing_starts(tmp_path: Path, hub: GitHub) -> None:
    stage = Stage(tmp_path, hub, GREEN)
    stage.git("-C", str(stage.clone), "switch", "-q", "-c", "alone")
    answer = stage.command().run("fix", "pr", cwd=stage.clone)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "No PR for current branch." in answer.err


def test_a_dirty_tree_is_left_alone(tmp_path: Path, hub: GitHub) -> None:
    stage = Stage(tmp_path, hub, GREEN)
    (stage.clone / REPORT).write_text("unfinished\n")
    answer = stage.command().run("fix", "pr", cwd=stage.clone)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "Uncommitted changes." in answer.err
