"""`reknit vote` with the real claude and gemini: what each model was sent holds no word of the other."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.pull_stage import GREEN, PATIENCE_S, Stage
from tests.e2e.real_agents import CANARY, CASTS, Cast, call_of, processes_below
from tests.tools.command_line import Answer
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, REPORT, SLUG
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

CLAUDE, GEMINI = CASTS["claude"], CASTS["gemini"]
WORDS = {CLAUDE.name: "quokka-7f3a91", GEMINI.name: "wombat-52c0de"}
READS = {CLAUDE.name: "Read", GEMINI.name: "read_file"}


def ballot(cast: Cast, score: int, file: Path) -> list[Turn]:
    """The voter reads a file, reports a finding, votes and says so, each time in a word that only it has."""
    word = WORDS[cast.name]
    found = {"category": "format", "severity": "warning", "file": REPORT, "line": 6, "issue": f"{word}: two digits"}
    verdict = {"verdict": "passed" if score >= 80 else "needs_work", "score": score}
    return [
        {**call_of(READS[cast.name], file_path=str(file)), "text": f"{word} reads"},
        cast.report("report_finding", **found),
        cast.report("finish_review", **verdict, summary=f"{word} has looked at it"),
        {"text": f"{word} gives {score}"},
    ]


@dataclass(frozen=True)
class Voted:
    stage: Stage
    answer: Answer
    models: dict[str, ScriptedModel]
    head: str

    def sent_to(self, cast: Cast) -> bytes:
        """All that this voter's model was sent, to the byte."""
        requests = self.models[cast.name].log
        return b"\n".join(f"{request.path} {request.headers}".encode() + request.raw for request in requests)


def play(stage: Stage, claude: Sequence[Turn], gemini: Sequence[Turn], *, late: bool = False) -> Voted:
    """`late`: claude gets its first answer only when gemini has voted."""
    voted = threading.Event()
    first, *rest = claude
    turns: list[Turn] = [{**first, "delay": voted} if late else first, *rest]
    with ScriptedModel(turns=turns) as one, ScriptedModel(turns=gemini) as other:
        waiting = threading.Thread(target=_set_after, args=(voted, other, len(gemini)))
        waiting.start()
        reknit = stage.command(
            **{CLAUDE.key_env: CANARY, CLAUDE.url_env: one.url},
            **{GEMINI.key_env: CANARY, GEMINI.url_env: other.url},
        )
        argv = ("vote", "--agents", "claude,gemini", "--format", "json")
        with reknit.start(*argv, cwd=stage.clone) as child:
            try:
                out, err = child.communicate(timeout=PATIENCE_S)
            finally:
                child.terminate()  # or it would go on alone
        waiting.join()
    answer, models = Answer(child.returncode, out, err), {CLAUDE.name: one, GEMINI.name: other}
    return Voted(stage, answer, models, stage.hub.head(SLUG, BRANCH))


def _set_after(event: threading.Event, model: ScriptedModel, requests: int) -> None:
    model.wait_for(requests, PATIENCE_S)
    event.set()


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Voted]:
    """Twice on the same pull request, so that both voters' words stand on it already; looked at often."""
    folder = tmp_path_factory.mktemp("vote")
    with GitHub(folder / "hub") as hub:
        stage = Stage(folder, hub, GREEN)
        file = stage.clone / REPORT
        before = play(stage, ballot(CLAUDE, 55, file), ballot(GEMINI, 60, file))
        assert (before.answer.exit_code, before.answer.ending["ending"]) == (1, "BLOCKED"), before.answer.err
        yield play(stage, ballot(CLAUDE, 85, file), ballot(GEMINI, 78, file), late=True)
        assert hub.violations == []


def test_two_real_voters_approve_it_together(voted: Voted) -> None:
    ending = voted.answer.ending
    assert (voted.answer.exit_code, ending["ending"]) == (0, "CLEAN"), voted.answer.err
    assert ending["reason"] == f"approved at {voted.head[:7]}: claude 85, gemini 78, average 81.5, needs 80"
    votes = {vote["agent"]: vote for vote in ending["votes"]["votes"]}
    assert {name: vote["score"] for name, vote in votes.items()} == {"claude": 85, "gemini": 78}
    assert [name for name, word in WORDS.items() if word not in votes[name]["summary"]] == []
    assert {vote["findings"][0]["file"] for vote in votes.values()} == {REPORT}


def test_what_a_voter_was_sent_holds_no_word_of_the_other(voted: Voted) -> None:
    """Claude went on for three requests after gemini had voted; and both had voted once before, on this very branch."""
    for cast, other in ((CLAUDE, GEMINI), (GEMINI, CLAUDE)):
        sent = voted.sent_to(cast)
        assert WORDS[cast.name].encode() in sent, "its own word is in what it was sent, or this would prove nothing"
        assert WORDS[other.name].encode() not in sent
        assert len(voted.models[cast.name].work) == 4
    last_of_gemini = max(request.at for request in voted.models["gemini"].work)
    assert sum(request.at > last_of_gemini for request in voted.models["claude"].work) == 3


def test_nothing_tells_a_vote_before_both_are_in(voted: Voted) -> None:
    lines = [line for line in voted.answer.lines if line["event"] not in ("votes", "ending")]
    assert [line["agent"] for line in lines if line["event"] == "voted"] == ["gemini", "claude"]
    assert [line for line in lines for word in WORDS.values() if word in str(line)] == []
    assert [line for line in lines if {"score", "scores", "verdict"} & set(line)] == []


def test_one_comment_has_both(voted: Voted) -> None:
    """The vote before is replaced."""
    comment = voted.stage.comment
    told = ("### reknit vote: approved", "| claude | 85 |", "| gemini | 78 |", voted.head, *WORDS.values())
    assert [part for part in told if part not in comment] == []
    assert "| 55 |" not in comment


def test_voters_only_read_and_leave_nothing(voted: Voted) -> None:
    for cast in (CLAUDE, GEMINI):
        offered = {tool for request in voted.models[cast.name].work for tool in request.tools}
        assert offered.isdisjoint(cast.writes), offered
    stage = voted.stage
    files = [path for path in (stage.folder / "state").rglob("*") if path.is_file() and not path.is_symlink()]
    held = [path.name for path in files for key in (CANARY, stage.hub.token) if key.encode() in path.read_bytes()]
    assert (held, processes_below(stage.clone)) == ([], [])
    assert stage.hub.head(SLUG, BRANCH) == stage.head


def test_a_voter_who_gives_no_vote_leaves_it_open(tmp_path: Path) -> None:
    with GitHub(tmp_path / "hub") as hub:
        stage = Stage(tmp_path, hub, GREEN)
        nonsense: Turn = {"status": 400, "error": "no such field", "repeat": True}
        played = play(stage, ballot(CLAUDE, 85, stage.clone / REPORT), [nonsense])
        assert (played.answer.exit_code, played.answer.ending["votes"]) == (1, None), played.answer.err
        assert "no vote from gemini: " in played.answer.ending["reason"]
        assert hub.comments(SLUG, stage.number) == []
        assert WORDS["claude"] not in played.answer.out
