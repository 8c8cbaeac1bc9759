"""Steps of a vote in trouble: a forge that fails, limits it sets, money that runs out, and what is still said then."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from reknit.app.installation import Installation
from reknit.core.vote.decision import make_key
from reknit.core.vote.task import VoteOnPullRequest
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of, play_spec
from tests.tools.pull_scene import BRANCH, REPORT, SLUG, PullScene
from tests.tools.vote_scene import ANN, BOB, WORDS, ballot, planned, vote_scene

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


BEFORE_BOTH = ("look", "voter", "voted", "no_vote", "waiting")


def bodies(hub: GitHub, scene: PullScene) -> list[str]:
    return [str(comment["body"]) for comment in hub.comments(SLUG, scene.number)]


def document(installation: Installation, run_id: str, name: str) -> Any:
    database = open_store(installation.database)
    found = RunReader(database).document(run_id, name)
    database.dispose()
    return json.loads(found or "{}")


def test_two_votes_approve_and_one_comment_tells_both(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene))
    head = hub.head(SLUG, BRANCH)
    assert (played.ending, played.exit_code) == ("CLEAN", 0)
    assert played.run.reason == f"approved at {head[:7]}: ann 85, bob 78, average 81.5, needs 80"
    (body,) = bodies(hub, scene)
    assert [
        part for part in ("approved", "| ann | 85 |", "| bob | 78 |", *WORDS.values(), head) if part not in body
    ] == []
    assert played.steps == ["vote_look", "cast", "cast", "count", "post", "end"]
    assert document(place_of(scene), played.run.id, "votes")["average"] == 81.5
    assert played.run.spent_usd == pytest.approx(0.1)


def test_both_get_the_same_prompt_with_no_word_of_each_other(hub: GitHub, tmp_path: Path) -> None:
    """Also in a second vote, when both words stand on the pull request."""
    scene = vote_scene(tmp_path, hub, *SOME)
    first = play_spec(scene, planned(scene))
    second = play_spec(scene, planned(scene))
    prompts = [asked.prompt for asked in (*first.asked, *second.asked)]
    assert ([asked.name for asked in first.asked], len(prompts), len(set(prompts))) == (["vote"] * 2, 4, 1)
    assert not [word for word in (*WORDS.values(), ANN, BOB) if re.search(rf"\b{word}", prompts[0])]
    assert f"+++ b/{REPORT}" in prompts[0]
    assert len(bodies(hub, scene)) == 1


def test_nothing_shows_a_vote_before_both_are_in(hub: GitHub, tmp_path: Path) -> None:
    """Ann has voted and Bob waits for his provider: nobody can see how she voted."""
    late = ballot(BOB, 78, outcome="rate_limited", limited_times=1, wait_s=1.0, account="bobs")
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 85, "warning")], [late])
    spec, seen = planned(scene), list[str]()

    def look() -> None:
        for arguments in (("show",), ("show", "--why", "--format", "json")):
            answer = scene.command.run(arguments[0], spec.run_id, *arguments[1:])
            assert answer.exit_code == 0, answer.err
            seen.append(answer.out)
        database = open_store(place_of(scene).database)
        seen.extend(str(asdict(event.event)) for event in RunReader(database).events(spec.run_id))
        database.dispose()
        seen.extend(bodies(hub, scene))

    played = play_spec(scene, spec, at={"cast 3": look})
    assert (played.ending, len(seen) > 5) == ("CLEAN", True)
    assert [text for text in seen if WORDS[ANN] in text or re.search(r"(?<![\w.])85(?![\w.])", text)] == []
    assert any("has voted" in text for text in seen)
    kinds = [event.kind for event in played.events]
    assert set(kinds[: kinds.index("votes")]) <= set(BEFORE_BOTH)


def test_below_the_mark_a_person_must_decide(hub: GitHub, tmp_path: Path) -> None:
    """A blocking finding alone changes no score."""
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 85, "blocking")], [ballot(BOB, 60)])
    played = play_spec(scene, planned(scene))
    assert (played.ending, played.cause, played.exit_code) == ("BLOCKED", "vote", 1)
    assert "average 72.5, needs 80; 1 BLOCKING finding(s) named (ann 1); a person must decide" in played.run.reason
    assert "### reknit vote: not approved" in bodies(hub, scene)[0]


def test_a_second_vote_edits_the_comment_and_none_is_left_where_none_is_wanted(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    silent = play_spec(scene, planned(scene, {"forge": {"comment": False}}))
    assert (silent.ending, bodies(hub, scene), "post" in silent.steps) == ("CLEAN", [], False)
    play_spec(scene, planned(scene))
    (before,) = bodies(hub, scene)
    hub.commit(SLUG, BRANCH, {"more.py": "more = 1\n"})
    play_spec(scene, planned(scene))
    (after,) = bodies(hub, scene)
    assert (hub.head(SLUG, BRANCH) in before, hub.head(SLUG, BRANCH) in after) == (False, True)


def test_the_votes_are_about_the_commit_that_was_read(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    read = hub.head(SLUG, BRANCH)
    played = play_spec(scene, planned(scene), at={"cast 1": lambda: hub.commit(SLUG, BRANCH, {"more.py": "m = 1\n"})})
    now = hub.head(SLUG, BRANCH)
    assert (played.ending, played.cause, played.exit_code) == ("UNVERIFIED", "moved", 5)
    assert played.run.reason.startswith(f"approved at {read[:7]}: ")
    assert f"the branch has moved to {now[:7]}, which was not voted on" in played.run.reason
    assert f"about {read}" in bodies(hub, scene)[0]
    assert "### reknit vote: approved at " in bodies(hub, scene)[0]
    assert f"The branch has moved to {now[:7]}" in bodies(hub, scene)[0]


def test_what_is_not_approved_stays_so_wherever_the_branch_goes(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 50)], [ballot(BOB, 60)])
    played = play_spec(scene, planned(scene), at={"cast 1": lambda: hub.commit(SLUG, BRANCH, {"more.py": "m = 1\n"})})
    assert (played.ending, played.cause, played.exit_code) == ("BLOCKED", "vote", 1)


def test_two_that_approve_with_blocking_findings_say_so_loudly(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 85, "blocking")], [ballot(BOB, 85, "blocking", "blocking")])
    played = play_spec(scene, planned(scene))
    assert (played.ending, played.exit_code) == ("CLEAN", 0)
    assert played.run.reason.endswith("; 3 BLOCKING finding(s) named (ann 1, bob 2)")
    assert "**3 BLOCKING finding(s) named (ann 1, bob 2).** The average still decides" in bodies(hub, scene)[0]


def test_a_call_without_a_vote_is_made_again_and_then_it_is_unverified(hub: GitHub, tmp_path: Path) -> None:
    broken = {"outcome": "invalid_output", "cost_usd": 0.01}
    scene = vote_scene(tmp_path / "1", hub, [ballot(ANN, 90)], [broken, ballot(BOB, 90)])
    played = play_spec(scene, planned(scene))
    assert (played.ending, played.steps.count("cast"), round(played.run.spent_usd, 6)) == ("CLEAN", 3, 0.11)
    assert [event.data["call"] for event in played.told("voter") if event.data["agent"] == BOB] == [1, 2]
    scene.command.configure(
        agents={
            ANN: {"kind": "scripted", "story": json.dumps([ballot(ANN, 90)])},
            BOB: {"kind": "scripted", "story": json.dumps([broken])},
        },
        vote={"agents": [ANN, BOB]},
        forge={"api": hub.url},
    )
    before = bodies(hub, scene)
    played = play_spec(scene, planned(scene))
    assert (played.ending, played.exit_code, bodies(hub, scene)) == ("UNVERIFIED", 5, before)
    assert played.run.reason.startswith("no vote from bob in 2 call(s) (vote.tries); the last: invalid_output")
    assert not [event for event in played.events if WORDS[ANN] in str(event)]
    assert document(place_of(scene), played.run.id, "votes") == {}


@pytest.mark.parametrize(
    ("outcome", "ending", "cause", "exit_code", "calls"),
    [
        pytest.param("login", "BLOCKED", "login", 4, 1, id="no key"),
        pytest.param("auth", "BLOCKED", "login", 4, 3, id="a key that is not taken"),
        pytest.param("budget", "OVER_BUDGET", "", 1, 1, id="no money"),
        pytest.param("overloaded", "BLOCKED", "provider", 1, 3, id="a provider that never answers"),
    ],
)
def test_one_voter_who_cannot_vote_ends_it(
    hub: GitHub, tmp_path: Path, outcome: str, ending: str, cause: str, exit_code: int, calls: int
) -> None:
    """Who has voted is not asked again."""
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 90)], [{"outcome": outcome}])
    spec = planned(scene)
    played = play_spec(scene, replace(spec, limits=replace(spec.limits, waits=2, wait_s=0.01)))
    assert (played.ending, played.cause, played.exit_code) == (ending, cause, exit_code)
    assert (played.run.reason.startswith("no vote from bob"), bodies(hub, scene)) == (True, [])
    assert len(played.asked) == 1 + calls


def test_a_providers_limit_is_waited_for(hub: GitHub, tmp_path: Path) -> None:
    limits = [
        ballot(agent, 90, outcome="rate_limited", limited_times=times, wait_s=0.2)
        for agent, times in ((ANN, 1), (BOB, 2))
    ]
    scene = vote_scene(tmp_path, hub, limits[:1], limits[1:])
    played = play_spec(scene, planned(scene))
    assert (played.ending, played.steps.count("cast"), played.steps.count("wait_agent")) == ("CLEAN", 5, 3)


def test_one_that_was_closed_meanwhile_is_not_voted_on(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    played = play_spec(scene, planned(scene), at={"vote_look 1": lambda: hub.close_pull(SLUG, scene.number)})
    assert (played.ending, played.cause, played.exit_code) == ("BLOCKED", "closed", 1)
    assert "is closed; reopen it, then `reknit vote 1`" in played.run.reason
    assert (played.steps, bodies(hub, scene)) == (["vote_look", "end"], [])


def test_a_fork_that_is_gone_is_not_voted_on(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME, fork="dev")
    played = play_spec(scene, planned(scene), at={"vote_look 1": lambda: hub.delete_repository("dev/shop")})
    assert (played.ending, played.cause, played.asked) == ("BLOCKED", "fork-gone", [])


def test_one_vote_at_a_time(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    first, second = planned(scene), planned(scene)

    def refused() -> None:
        answer = scene.command.run("vote", str(scene.number), cwd=scene.clone)
        assert (answer.exit_code, f"{first.run_id} is open on #1" in answer.err) == (2, True), answer.err

    ends = [play_spec(scene, first, at={"count 1": refused}), play_spec(scene, second)]
    assert [end.ending for end in ends] == ["CLEAN", "CLEAN"]
    assert len(bodies(hub, scene)) == 1


def test_of_two_that_start_at_once_one_gives_way(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME)
    other = planned(scene)

    def comes_first() -> None:
        database = open_store(place_of(scene).database)
        ledger = SqlRunLedger(database)
        ledger.create(other)
        assert ledger.claim(make_key(other.task_as(VoteOnPullRequest)), other.run_id) == other.run_id
        database.dispose()

    played = play_spec(scene, planned(scene), at={"vote_look 1": comes_first})
    assert (played.ending, played.cause, played.asked) == ("BLOCKED", "taken", [])
    assert f"`reknit watch {other.run_id}`" in played.run.reason


def test_the_reviewer_files_are_those_of_the_changed_files(hub: GitHub, tmp_path: Path) -> None:
    scene = vote_scene(tmp_path, hub, *SOME, changes={"web/app.tsx": "export const a = 1\n"})
    spec = planned(scene)
    guides = spec.task_as(VoteOnPullRequest).guides
    asked = play_spec(scene, spec).asked[0]
    used = [name for name, text in guides if text in asked.prompt]
    assert (used, len(guides)) == (["reviewer_fe_architecture", "reviewer_fe_quality"], 4)
