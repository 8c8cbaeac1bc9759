"""Runs read back: as text for people, as documents for programs."""

from dataclasses import replace

import pytest

from reknit.core import run_text
from reknit.core.capability import StoredRun
from reknit.core.runs.event import Event
from reknit.core.runs.view import AttemptView, EventView, RunView
from reknit.core.vote.record import tally_to_document
from tests.tools import vote_samples

RUN = RunView(
    id="r-1", kind="fix tests", repository="/shop", base="b" * 40, agent="claude", state="ended", phase="finish",
    worker="", reason="all that was asked, proven", until=None, ending="FIXED", detail={"fixed": ["T-1"], "left": []},
    commit="c" * 40, spent_usd=0.5, budget_usd=5.0, created_at=100.0, ended_at=142.0, undone_at=None,
    spec={"tests": {"argv": ["pytest", "-q"], "origin": "pyproject.toml"}},
)  # fmt: skip
LIVE = replace(RUN, state="running", ending=None, detail={}, ended_at=None, commit=None)
ATTEMPT = AttemptView(
    number=1, finding="T-1", subject="t::one", strategy="local", starts=1, outcome="done", gate={"refusals": []},
    proof={"word": "proven", "sentence": "3 passed", "output_tail": ""}, said="Fixed.", cost_usd=0.5, tokens=10,
    started_at=1.0, ended_at=2.0,
)  # fmt: skip
REFUSED = replace(
    ATTEMPT, proof=None, gate={"refusals": [{"rule": "test-removed", "path": "t.py", "sentence": "it removed t::one"}]}
)
RECEIPT = {
    "finding": "T-1", "tests": ["t::one", "t::two"], "base": "b" * 40, "commit": "c" * 40, "tree": "d" * 40,
    "attempt": 1, "strategy": "local", "agent": "claude", "evidence": "junit", "red_before": "was red",
    "green_after": "is green", "red_without": "red again", "gate": "1 file", "box": "bubblewrap",
}  # fmt: skip


@pytest.mark.parametrize(
    ("run", "line"),
    [
        pytest.param(RUN, "FIXED  all that was asked, proven", id="ended"),
        pytest.param(
            replace(RUN, spec={"task": {"bug": "BUG-001"}}), "FIXED  BUG-001: all that was asked, proven", id="of a bug"
        ),
        pytest.param(
            replace(RUN, spec={"task": {"variant": {"topic": "tidy"}}}),
            "FIXED  plan tidy: all that was asked, proven",
            id="of a plan",
        ),
        pytest.param(replace(RUN, undone_at=5.0), "FIXED, undone  all that was asked, proven", id="ended and undone"),
        pytest.param(replace(LIVE, state="waiting", reason="for the limit"), "waiting  for the limit", id="waiting"),
        pytest.param(LIVE, "running  ends", id="at a step"),
        pytest.param(
            replace(LIVE, state="left"),
            "left by a worker that died (ends): `reknit resume r-1`",
            id="left by a dead worker",
        ),
        pytest.param(
            replace(LIVE, state="interrupted", reason=""),
            "interrupted (ends): `reknit resume r-1`",
            id="interrupted",
        ),
        pytest.param(
            replace(LIVE, state="interrupted", reason="the repository\nis gone"),
            "interrupted (ends), the repository is gone: `reknit resume r-1`",
            id="parked",
        ),
        pytest.param(replace(LIVE, state="queued", phase=""), "queued", id="not begun"),
        pytest.param(
            replace(LIVE, state="interrupted", phase="", reason=""),
            "interrupted before its first step: `reknit resume r-1`",
            id="left at once",
        ),
        pytest.param(replace(LIVE, kind="fix pr", phase="poll"), "running  waiting for CI", id="a pull request"),
        pytest.param(
            replace(LIVE, kind="fix issues", phase="work_issues"), "running  an agent works on a batch", id="a backlog"
        ),
        pytest.param(replace(LIVE, kind="fix pr", phase="later"), "running  later", id="a step of a later release"),
        pytest.param(
            replace(LIVE, kind="fix pr", state="interrupted", phase="look", reason=""),
            "interrupted (reads the pull request): `reknit resume r-1`",
            id="a pull request that was left",
        ),
    ],
)
def test_the_headline_says_where_a_run_is(run: RunView, line: str) -> None:
    assert run_text.render_headline(run) == line


LISTED = replace(RUN, kind="fix issues", spent_usd=0.07)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        pytest.param(
            0,
            "r-1  2026-11-15 13:36  fix issues  shop              $0.07    FIXED  all that was asked, proven",
            id="whole",
        ),
        pytest.param(
            80, "r-1  2026-11-15 13:36  fix issues  shop              $0.07    FIXED  all that w…", id="a cut reason"
        ),
        pytest.param(60, "r-1  2026-11-15 13:36  fix issues  shop              FIXED …", id="without its cost"),
        pytest.param(50, "r-1  2026-11-15 13:36  fix issues  FIXED  all tha…", id="without its folder"),
        pytest.param(38, "r-1  fix issues  FIXED  all that was …", id="without its time"),
        pytest.param(20, "r-1  FIXED  all tha…", id="what is left"),
    ],
)
def test_a_list_of_runs_keeps_how_they_ended(width: int, line: str) -> None:
    assert run_text.render_run_line(LISTED, "2026-11-15 13:36", "shop", width) == line


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        pytest.param("ok", "  ok    gate        none refused", id="good"),
        pytest.param("note", "        gate        none refused", id="a note has no sign"),
    ],
)
def test_an_event_is_one_line(mark: str, line: str) -> None:
    event = Event("gate", "ok" if mark == "ok" else "note", "gate", "none refused")
    assert run_text.render_event(event) == line


def test_an_event_is_one_document() -> None:
    seen = EventView(3, "r-1", 1.23456, Event("gate", "ok", "gate", "text", {"accepted": True}))
    expected = {"schema": 1, "event": "gate", "run": "r-1", "at": 1.235, "accepted": True}
    assert run_text.build_event_document(seen) == expected


def test_the_document_of_an_ending_has_all_that_a_program_needs() -> None:
    document = run_text.build_ending_document(StoredRun(RUN, [ATTEMPT], [RECEIPT]), 0)
    assert (document["event"], document["ending"], document["exit_code"]) == ("ending", "FIXED", 0)
    assert (document["commit"], document["branch"], document["receipt"]) == ("c" * 40, "reknit/r-1", RECEIPT)
    assert document["attempts"] == [run_text.build_attempt_document(ATTEMPT)]


@pytest.mark.parametrize(
    "run",
    [pytest.param(LIVE, id="nothing landed"), pytest.param(replace(RUN, undone_at=5.0), id="it was undone")],
)
def test_there_is_no_branch_where_none_is(run: RunView) -> None:
    document = run_text.build_run_document(StoredRun(run, [], []))
    assert (document["branch"], document["receipt"]) == (None, None)


@pytest.mark.parametrize(
    ("attempt", "line"),
    [
        pytest.param(ATTEMPT, "  attempt 1  local   one  proven: 3 passed", id="proven"),
        pytest.param(REFUSED, "  attempt 1  local   one  refused [test-removed]: it removed t::one", id="refused"),
        pytest.param(
            replace(ATTEMPT, proof=None, gate=None, outcome=None, starts=2),
            "  attempt 1  local   one  not finished, started 2 times",
            id="not finished, after a crash",
        ),
        pytest.param(
            replace(
                ATTEMPT, finding="i1", subject="1 test, lint", proof={"word": "proven", "sentence": "pushed as ddd"}
            ),
            "  attempt 1  local   1 test, lint  pushed as ddd",
            id="of an iteration",
        ),
        pytest.param(
            replace(ATTEMPT, finding="i1", subject="lint", proof={"word": "unproven", "sentence": "the branch moved"}),
            "  attempt 1  local   lint  not pushed: the branch moved",
            id="of an iteration, not pushed",
        ),
        pytest.param(
            replace(ATTEMPT, proof=None, gate=None, outcome="idle"), "  attempt 1  local   one  idle", id="broke"
        ),
    ],
)
def test_an_attempt_is_one_line(attempt: AttemptView, line: str) -> None:
    assert run_text.render_attempt_line(attempt) == line


def test_a_run_is_shown_with_its_attempts_and_receipts() -> None:
    text = run_text.render_run(StoredRun(RUN, [ATTEMPT], [RECEIPT]))
    assert text.splitlines()[:4] == [
        "r-1  fix tests  FIXED  all that was asked, proven",
        "  in      /shop at bbbbbbb",
        "  agent   claude, $0.50 of $5.00 spent",
        "  attempt 1  local   one  proven: 3 passed",
    ]
    assert "    tests        t::one, t::two, seen by junit" in text
    assert "    red without  red again" in text


def test_an_explanation_shows_command_events_refusals_and_output() -> None:
    seen = EventView(1, "r-1", 1.0, Event("gate", "bad", "gate", "refused"))
    red = replace(ATTEMPT, number=2, proof={"output_tail": "\n".join(map(str, range(30)))})
    text = run_text.render_explanation(StoredRun(RUN, [REFUSED, red]), [seen])
    assert "  tests   pytest -q   (from pyproject.toml)" in text
    assert "  bad   gate        refused" in text
    assert "  attempt 1 refused [test-removed] t.py: it removed t::one" in text
    assert "    | 29" in text
    assert "    | 9\n" not in text


def test_an_explanation_without_a_known_command_leaves_it_out() -> None:
    assert "tests" not in run_text.render_explanation(StoredRun(replace(RUN, spec={}, reason="")), [])


def test_explain_shows_the_end_of_what_could_not_be_seen() -> None:
    event = Event("baseline", "bad", "baseline", "not seen: no report", {"output_tail": "line 1\nBUILD FAILURE"})
    text = run_text.render_explanation(StoredRun(LIVE), [EventView(1, "r-1", 1.0, event)])
    assert "        | BUILD FAILURE" in text.splitlines()


def test_words_of_others_reach_the_terminal_without_escapes() -> None:
    sly = replace(ATTEMPT, proof={"word": "still_red", "sentence": "t\x1b]0;PWN\x07 is red", "output_tail": ""})
    assert "\x1b" not in run_text.render_run(StoredRun(LIVE, [sly], []))
    forged = {**RECEIPT, "tests": ["t::one\nFIXED  9 of 9"]}
    assert not any(
        line.startswith("FIXED  9") for line in run_text.render_ending(StoredRun(RUN, [], [forged])).splitlines()
    )
    assert Event("gate", "bad", "gate", "a\x1b[31m\nFIXED  9 of 9").text == "a FIXED  9 of 9"


def test_a_run_without_attempts_has_no_diff_to_show() -> None:
    assert "diff " not in run_text.render_run(StoredRun(LIVE, [], []))
    assert "  diff    reknit show r-1 --attempt 1" in run_text.render_run(StoredRun(LIVE, [ATTEMPT], []))


PULL = replace(
    RUN,
    kind="fix pr",
    detail={"fixed": ["c" * 40]},
    spec={"task": {"number": 1, "title": "Discounts", "url": "https://github.com/o/r/pull/1"}},
)


def test_the_end_of_a_pull_request_run_speaks_of_the_pull_request_and_of_no_branch() -> None:
    text = run_text.render_ending(StoredRun(PULL, [ATTEMPT], [RECEIPT]))
    assert "  pr      https://github.com/o/r/pull/1" in text
    assert "reknit/r-1" not in text
    assert run_text.build_run_document(StoredRun(PULL, [], []))["branch"] is None


def test_the_lines_of_a_kind_of_run_stand_between_head_and_attempts() -> None:
    stored = StoredRun(PULL, [ATTEMPT])
    lines = run_text.render_run(stored).splitlines()
    more = "  pr      #1 Discounts   https://github.com/o/r/pull/1"
    assert lines[2:5] == ["  agent   claude, $0.50 of $5.00 spent", more, run_text.render_attempt_line(ATTEMPT)]
    assert more in run_text.render_explanation(stored, []).splitlines()


def test_a_receipt_of_an_iteration_claims_no_test_for_what_was_asked_about() -> None:
    more = {"checks": ["twins held: red"], "advice": ["[test-awareness] a.py\nlooks"]}
    receipt = {**RECEIPT, **more, "finding": "i2", "tests": ["t::one", "lint"]}
    text = run_text.render_run(StoredRun(PULL, [], [receipt]))
    assert "  receipt of iteration 2\n" in text
    assert "    asked about  t::one, lint\n    red before   " in text
    assert "    green after  is green\n    red without  red again\n    checked      twins held: red\n" in text
    assert "    suspected    [test-awareness] a.py looks\n" in text
    assert "junit" not in text


def test_the_reason_of_any_run_breaks_between_words() -> None:
    wordy = replace(RUN, ending="BLOCKED", reason="a b " * 30)
    assert max(map(len, run_text.render_ending(StoredRun(wordy, [], []), width=60).splitlines())) <= 60


def test_a_vote_is_told_in_its_own_words() -> None:
    vote = vote_samples.RUN
    assert run_text.render_headline(vote) == "running  the voters read the change"
    assert run_text.describe_place(vote) == " (the voters read the change)"
    shown = run_text.render_run(StoredRun(vote, (), ()))
    assert "  agent   claude, mine, $0.10 of $5.00 spent" in shown
    tested = replace(vote, spec={**vote.spec, "tests": {"argv": ["true"], "origin": ""}})
    assert "tests" not in run_text.render_explanation(StoredRun(tested), ())
    ended = replace(vote, ending="CLEAN", reason="approved")
    assert "mine  78 of 100" in run_text.render_ending(
        StoredRun(ended, documents={"votes": tally_to_document(vote_samples.TALLY)})
    )


def test_a_run_of_a_kind_that_is_not_known_is_still_told() -> None:
    later = replace(LIVE, kind="fix everything", phase="dig")
    assert run_text.render_headline(later) == "running  step dig"
    assert run_text.render_ending(StoredRun(replace(RUN, kind="fix everything"))) == (
        "FIXED   42 s, $0.50 of $5.00\n  why     all that was asked, proven\n  next    reknit show r-1 --why"
    )
    assert "branch" in run_text.build_show_document(StoredRun(later))


def test_an_ending_shows_the_change_before_what_to_do_next() -> None:
    diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
    lines = run_text.render_ending(StoredRun(RUN, [ATTEMPT], [RECEIPT]), 80, diff).splitlines()
    assert lines[-8:] == [
        "", "  a.py", "    -x", "    +y", "",
        "  next    git merge reknit/r-1", "  look    reknit show r-1 --diff", "  undo    reknit undo r-1",
    ]  # fmt: skip


def test_reserved_money_is_shown_apart_from_what_was_spent() -> None:
    held = replace(LISTED, held_usd=0.4)
    assert "$0.07   up to $0.40 more  " in run_text.render_run_line(held, "now", "shop", 0)
    text = run_text.render_run(StoredRun(replace(held, ending=None)))
    assert "$0.07 of $5.00 spent, up to $0.40 reserved" in text
    document = run_text.build_run_document(StoredRun(held))
    assert (document["spent_usd"], document["reserved_usd"]) == (0.07, 0.4)
