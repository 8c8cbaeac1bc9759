"""What a run records, and what the pull request shows of it while it works, waits and ends."""

from pathlib import Path
from typing import Any

import pytest

from reknit.app.runs.stop import cancel_run
from reknit.core.checks.proof import NOT_ASKED
from reknit.core.runs.view import EventView
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of, plan, play, play_spec
from tests.tools.pull_scene import (
    BRANCH,
    FIX_LINT,
    PASSED,
    RIGHT,
    SLUG,
    SOURCE,
    WRONG,
    PullScene,
    changed,
    shop_files,
)

GREEN = changed(test=False, lint=False)
ASKED = "tests/test_pricing.py::PricingTest::test_discount_is_a_share"


def test_a_cancelled_run_does_not_stay_at_work_on_the_pull_request(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, reviews=[PASSED])
    spec = plan(scene)

    def stop(seen: EventView) -> None:
        if seen.event.kind == "iteration":
            cancel_run(place_of(scene), spec.run_id)

    assert play_spec(scene, spec, tell=stop).ending == "CANCELLED"
    (comment,) = hub.comments(SLUG, scene.number)
    assert "### reknit: CANCELLED" in comment["body"]


@pytest.mark.parametrize("fault", ["server_error", "git_unavailable"])
def test_a_forge_that_is_away_for_a_moment_is_asked_again(hub: GitHub, tmp_path: Path, fault: str) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    played = play(scene, at={"look 1": lambda: hub.faults.switch(fault)})
    assert (played.ending, hub.faults.is_armed(fault)) == ("CLEAN", False)
    assert [event.data["why"] for event in played.told("waiting")][:1] == ["forge unreachable"]


def test_a_forge_that_stays_away_ends_the_run_unverified(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])

    def away() -> None:
        hub.faults.server_error = 1000

    played = play(scene, at={"look 1": away}, flags={"loop": {"waits": 2}})
    assert (played.ending, played.cause, played.exit_code) == ("UNVERIFIED", "forge", 5)
    assert played.steps.count("look") == 3


def unittest_shop() -> dict[str, str]:
    """Its tests can be chosen one by one."""
    return {name: text for name, text in shop_files().items() if name not in ("run_tests.py", "reknit.toml")}


def receipts(scene: PullScene, run_id: str) -> list[dict[str, Any]]:
    return list(RunReader(open_store(place_of(scene).database)).receipts(run_id))


def test_the_receipt_of_an_asked_test_stands_on_runs_with_and_without_the_fix(hub: GitHub, tmp_path: Path) -> None:
    """What the gate only suspects does not refuse it, and is told to the reviewer and the pull request."""
    fix = {"replace": {SOURCE: [WRONG, f"{RIGHT}  # noqa: E501"]}}
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), fixes=[fix], reviews=[PASSED], files=unittest_shop())
    played = play(scene)
    assert played.ending == "CLEAN", played.run.reason
    assert played.reviews[0].facts["advice"] == ()
    (advice,) = played.reviews[1].facts["advice"]
    assert (advice[:19], advice in played.reviews[1].prompt) == ("[suppression-added]", True)
    assert "Suspected by the gate" in hub.comments(SLUG, scene.number)[0]["body"]
    (receipt,) = receipts(scene, played.run.id)
    assert receipt["advice"] == [advice]
    assert receipt["red_before"] == f"{ASKED} was red every time on {receipt['base'][:7]}"
    assert receipt["green_after"] == "3 passed; 1 fixed: green every time, red again without the change"
    assert receipt["red_without"] == "1 test(s) were red again without the fix"
    assert [each.partition(":")[0] for each in receipt["checks"]] == [
        "canaries held", "twins held", "second-harness held",
    ]  # fmt: skip
    assert "what turned green, alone, without the change" in [run["what"] for run in receipt["ran"]]


def test_a_fix_that_only_looks_for_its_test_is_not_pushed(hub: GitHub, tmp_path: Path) -> None:
    share = "share = 'test' in sys._getframe(1).f_code.co_name"
    cheat = f"import sys\n    {share}\n    {RIGHT} if share else price - percent"
    fix = {"replace": {SOURCE: [WRONG, cheat]}}
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), fixes=[fix], reviews=[PASSED], files=unittest_shop())
    played = play(scene, fruitless=1)
    assert (played.ending, pushes(hub)) == ("DEFERRED", 0)
    (proof,) = played.told("verify")
    assert (proof.data["proof"], "tampering seen by the check" in proof.text) == ("refused", True), proof.text


def test_a_receipt_says_that_no_test_was_asked_about(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(test=False), fixes=[FIX_LINT], reviews=[PASSED])
    played = play(scene)
    (receipt,) = receipts(scene, played.run.id)
    assert (receipt["red_before"], receipt["red_without"]) == ("failing check lint", NOT_ASKED)
    assert (receipt["checks"], played.told("verify")) == ([], [])


def pushes(hub: GitHub) -> int:
    return sum(author == "reknit" for *_, author in hub.log(SLUG, BRANCH))
