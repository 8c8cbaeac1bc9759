"""Steps of a vote in trouble: a forge that fails, limits it sets, money that runs out, and what is still said then."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.github import GitHub
from tests.tools.pull_play import play_spec
from tests.tools.pull_scene import BRANCH, SLUG
from tests.tools.vote_scene import ANN, BOB, ballot, planned, vote_scene

SOME = [ballot(ANN, 85, "warning")], [ballot(BOB, 78)]


def test_nobody_is_asked_when_nothing_is_left(hub: GitHub, tmp_path: Path) -> None:
    dear = {"outcome": "invalid_output", "cost_usd": 0.5}
    scene = vote_scene(tmp_path, hub, [dear], [dear])
    played = play_spec(scene, planned(scene, {"loop": {"budget_usd": 1.0}}))
    assert (played.ending, played.run.spent_usd, len(played.asked)) == ("OVER_BUDGET", 1.0, 2)
    assert "nothing is left to spend; $1.00 is for both" in played.run.reason


def test_a_known_limit_of_a_provider_asks_nobody(hub: GitHub, tmp_path: Path) -> None:
    """Told to one run, known to the next, which makes no call to hear it again."""
    late = ballot(BOB, 78, outcome="rate_limited", wait_s=600.0, account="bobs")
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 85)], [late])

    def voters() -> list[str]:
        spec = planned(scene)
        played = play_spec(scene, replace(spec, limits=replace(spec.limits, waits=0)))
        assert (played.ending, played.cause) == ("BLOCKED", "provider")
        return sorted(str(event.data["agent"]) for event in played.told("voter"))

    assert [voters(), voters()] == [[ANN, BOB], [ANN]]


@pytest.mark.parametrize("fault", ["server_error", "secondary_limit", "dropped", "git_unavailable"])
def test_a_forge_that_does_not_answer_is_waited_for(hub: GitHub, tmp_path: Path, fault: str) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene), at={"vote_look 1": lambda: hub.faults.switch(fault)})
    assert (played.ending, len(hub.comments(SLUG, scene.number))) == ("CLEAN", 1)


def test_a_forge_that_never_answers_leaves_it_unverified(hub: GitHub, tmp_path: Path) -> None:
    def fail() -> None:
        hub.faults.server_error = 1000

    scene = vote_scene(tmp_path, hub, *SOME)
    spec = planned(scene)
    quick = replace(spec, limits=replace(spec.limits, waits=2, wait_s=0.01))
    played = play_spec(scene, quick, at={"vote_look 1": fail})
    hub.faults.server_error = 0
    assert (played.ending, played.cause, played.exit_code, played.asked) == ("UNVERIFIED", "forge", 5, [])


@pytest.mark.parametrize(
    ("times", "ending", "cause"),
    [pytest.param(1, "CLEAN", "", id="a bad moment"), pytest.param(1000, "UNVERIFIED", "unseen", id="for good")],
)
def test_where_the_branch_is_must_be_seen_before_it_is_approved(
    hub: GitHub, tmp_path: Path, times: int, ending: str, cause: str
) -> None:
    def fail() -> None:
        hub.faults.git_unavailable = times

    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene), at={"count 1": fail})
    hub.faults.git_unavailable = 0
    assert (played.ending, played.cause) == (ending, cause)
    assert ("the current head of the branch is unknown: unreachable: " in played.run.reason) == (times > 1)
    assert len(hub.comments(SLUG, scene.number)) == 1, "both votes are told, whatever is on the branch"


def test_a_branch_that_is_gone_when_both_are_in_is_not_approved(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene), at={"count 1": lambda: hub.delete_branch(SLUG, BRANCH)})
    assert (played.ending, played.cause, played.exit_code) == ("UNVERIFIED", "unseen", 5)
    assert played.run.reason.endswith("the current head of the branch is unknown: it is gone")


def test_a_login_that_the_forge_does_not_take_is_a_persons_to_mend(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene), at={"vote_look 1": lambda: hub.faults.revoked.add(hub.token)})
    assert (played.ending, played.cause, played.exit_code) == ("BLOCKED", "login", 4)


@pytest.mark.parametrize(
    ("fault", "comments", "told"),
    [
        pytest.param("lost_answer", 1, 1, id="an answer that was lost"),
        pytest.param("server_error", 1, 1, id="a moment of trouble"),
        pytest.param("permission", 0, 1, id="no right to comment"),
    ],
)
def test_the_votes_stand_whatever_becomes_of_the_comment(
    hub: GitHub, tmp_path: Path, fault: str, comments: int, told: int
) -> None:
    def break_down() -> None:
        hub.faults.switch(fault)

    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene), at={"post 1": break_down})
    assert (played.ending, len(hub.comments(SLUG, scene.number)), len(played.told("report"))) == (
        "CLEAN",
        comments,
        told,
    )


def test_a_box_that_is_not_there_is_a_persons_to_mend(hub: GitHub, tmp_path: Path) -> None:
    """What goes wrong in one voter's call ends the other's too, and is told."""
    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, replace(planned(scene), box="nowhere"))
    assert (played.ending, played.cause) == ("BLOCKED", "unknown-box")
    assert json.dumps(played.run.detail["reason"]).count("nowhere") == 1
