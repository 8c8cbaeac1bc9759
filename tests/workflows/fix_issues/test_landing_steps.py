"""The challenger: its words go to the fixer, its silence is no approval, and its limits are waited out."""

from collections.abc import Callable
from pathlib import Path

from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.workflows.fix_issues.backlog_runs import ALL, fix, log, moves

Here = Callable[..., Answer]


def test_below_the_mark_the_challengers_words_go_to_the_fixer(here: Here, reknit: CommandLine, root: Path) -> None:
    rework = {"replace": {"app/b1.py": ["return 42", "return 6 * 7"]}, "cost_usd": 0.1}
    feedback = scene.score(82, "b1 is not as clear as it could be", issue="say why", suggestion="6 * 7")
    scene.tell(reknit, [*ALL, rework], [feedback, scene.score(96)])
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.err
    scores = [(each["round"], each["score"], each["approved"]) for each in answer.events("challenged")]
    assert scores == [(1, 82, False), (2, 96, True)]
    assert moves(answer)[-1] == ("C-1", "done")
    assert len(log(root, answer.ending["run"])) == 1


def test_three_rounds_below_the_mark_commit_nothing(here: Here, reknit: CommandLine, root: Path) -> None:
    rework = [{"write": {"app/b1.py": f"def answer() -> int:\n    return 42 + {n} - {n}\n"}} for n in (1, 2)]
    scene.tell(reknit, [*ALL, *rework], [scene.score(60), scene.score(70), scene.score(94)])
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("DEFERRED", 1)
    assert "94 of 100, needs 95, in round 3 of 3" in answer.ending["reason"]
    assert answer.ending["commit"] is None
    assert set(scene.states(reknit, root).values()) == {"FAILED"}


def test_a_challenger_that_says_nothing_is_no_approval(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL, [{"say": "looks fine to me, 100 of 100"}])
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5)
    assert answer.ending["commit"] is None
    assert set(scene.states(reknit, root).values()) == {"OPEN"}


def test_limits_of_both_are_waited_out(here: Here, reknit: CommandLine, root: Path) -> None:
    limited = {"outcome": "rate_limited", "wait_s": 0.1, "limited_times": 1}
    scene.tell(reknit, [{**ALL[0], **limited}, *ALL[1:]], [{**scene.score(96), **limited}])
    answer = fix(here, root)
    assert answer.ending["ending"] == "FIXED", answer.err
    assert len(answer.events("waiting")) == 2
