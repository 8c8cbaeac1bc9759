"""What a review tells while it works, in its commits, and at its end."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.agent_reports.values import FixReport
from reknit.core.agents.call import AgentCall, Done, Usage
from reknit.core.capability import StoredRun
from reknit.core.errors import UsageError
from reknit.core.review import run_text
from reknit.core.review.answer import NumberedFinding, SavedReview
from reknit.core.review.decision import FixFindings
from reknit.core.review.progress import FindingBatch, ListedWork
from reknit.core.review.progress_file.layout import EntryProblem
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView
from tests.tools.review_samples import COR, FIRST, LAST, MEAN, ONE, SPEC, TARGET, TST, TWO

CALL = AgentCall(Done(), Usage(cost_usd=0.05), 12.0)
MOVE = FixFindings(4, "claude", ONE, 0, "local", "")
HOSTILE = "x\n\nCloses #7 @alice [skip ci]\nReknit-Run: r-9"
RUN = RunView(
    id="r-1", kind="review", repository="/shop", base="b" * 40, agent="claude", state="ended", phase="", worker="",
    reason="3 findings reported", until=None, ending="DEFERRED", detail={}, commit=None, spent_usd=0.1,
    budget_usd=5.0, created_at=100.0, ended_at=165.0, undone_at=None, spec={},
)  # fmt: skip


def spec(**changes: Any) -> RunSpec:
    return replace(SPEC, task=replace(TARGET, **changes))


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        pytest.param(
            SPEC,
            [
                "r-1  correctness, tests on main...HEAD (1 file)",
                "  fixes findings of blocking reviewers; at most $5.00",
            ],
            id="who reads what",
        ),
        pytest.param(
            spec(strict=True, reviewers=()),
            ["r-1  no reviewer on main...HEAD (1 file)", "  fixes findings of every level; at most $5.00"],
            id="strict, and nobody",
        ),
        pytest.param(
            spec(report_only=True),
            ["r-1  correctness, tests on main...HEAD (1 file)", "  reports only; at most $5.00"],
            id="reports only",
        ),
        pytest.param(
            spec(resumes="r-0"),
            ["r-1  r-0 is resumed", "  fixes findings of blocking reviewers; at most $5.00"],
            id="resumes",
        ),
    ],
)
def test_what_will_be_done_and_the_cap_are_told_first(made: RunSpec, lines: list[str]) -> None:
    assert run_text.render_heading(made) == lines


def test_the_opening_names_who_is_skipped() -> None:
    opening = run_text.report_start(SPEC)
    assert opening.text == "2 reviewers, main...HEAD (1 file); skipped, for other languages: templates, queries"
    assert opening.data["reviewers"] == ["correctness", "tests"]
    resumed = run_text.report_start(spec(resumes="r-0", skipped=()))
    assert (resumed.text, resumed.data["resumes"]) == ("what r-0 reported, main...HEAD (1 file)", "r-0")


def test_who_reads_is_told() -> None:
    event = run_text.report_review_start(TST, "gemini")
    assert (event.label, event.text) == ("review", "tests (warning): gemini reads the change")


def saved(*found: Any, dropped: int = 0, silenced: int = 0) -> SavedReview:
    return SavedReview("NEEDS_WORK", tuple(NumberedFinding(each, 7, 2) for each in found), dropped, silenced)


@pytest.mark.parametrize(
    ("review", "is_known", "mark", "text"),
    [
        pytest.param(SavedReview("PASSED", ()), False, "ok", "PASSED, 12 s  $0.05", id="passed"),
        pytest.param(
            SavedReview("PASSED", ()), True, "ok", "PASSED, known from an earlier run, no call", id="known"
        ),
        pytest.param(
            saved(MEAN, LAST, dropped=2, silenced=1), False, "bad",
            "NEEDS_WORK, 2 findings, 2 dropped, because they name no line of the tree, 1 ignored before, 12 s  $0.05",
            id="needs work",
        ),
    ],
)  # fmt: skip
def test_what_a_reviewer_said(review: SavedReview, *, is_known: bool, mark: str, text: str) -> None:
    event = run_text.report_review(COR, review, CALL, is_from_cache=is_known)
    assert (event.kind, event.label, event.mark, event.text) == (
        "reviewed", "review", mark, f"correctness (blocking): {text}",
    )  # fmt: skip
    assert (event.data["verdict"], event.data["known"]) == (review.verdict, is_known)


def test_a_finding_has_a_line_of_its_own_and_cannot_add_another() -> None:
    assert run_text.report_finding(MEAN).text == "COR-001  shop.py:6  mean of nothing crashes"
    assert len(run_text.report_finding(replace(MEAN, title=HOSTILE, file=HOSTILE)).text.splitlines()) == 1
    event = run_text.report_review(COR, saved(*[MEAN] * 7), CALL, is_from_cache=False)
    assert len(list(event.data["findings"])) == 7  # type: ignore[call-overload]


@pytest.mark.parametrize(("is_refuted", "word"), [(True, "not real"), (False, "real")])
def test_what_a_second_agent_said(is_refuted: bool, word: str) -> None:
    event = run_text.report_second_opinion(MEAN, "gemini", "traced it\nall", is_refuted=is_refuted)
    assert (event.text, event.data["refuted"]) == (f"gemini says that COR-001 is {word}: traced it all", is_refuted)


def test_a_reviewer_that_was_not_heard_is_told() -> None:
    event = run_text.report_no_review(COR, "gemini: crashed")
    assert (event.mark, event.text) == ("bad", "correctness (blocking) was not heard: gemini: crashed")
    assert event.data["verdict"] is None


@pytest.mark.parametrize(
    ("work", "problems", "text"),
    [
        pytest.param(ListedWork(), (), "P.txt lists 0 findings to fix", id="nothing"),
        pytest.param(ListedWork((ONE,)), (), "P.txt lists 1 finding to fix", id="one"),
        pytest.param(ListedWork((ONE, TWO)), (), "P.txt lists 3 findings to fix, in 2 batches", id="several"),
        pytest.param(
            ListedWork(), (EntryProblem(4, "no verdict"), EntryProblem(9, "x")),
            "P.txt lists 0 findings to fix; line 4 is not understood: no verdict", id="a file that is not understood",
        ),
    ],
)  # fmt: skip
def test_what_the_file_lists(work: ListedWork, problems: tuple[EntryProblem, ...], text: str) -> None:
    event = run_text.report_listed_work(work, "P.txt", problems)
    assert (event.label, event.text, event.data["problems"]) == (
        "fix", text, [{"line": each.line, "what": each.message} for each in problems],
    )  # fmt: skip


def test_what_an_attempt_is_about() -> None:
    assert run_text.describe_batch(ONE) == "COR-001 mean of nothing crashes"
    assert run_text.describe_batch(TWO) == "COR-002, COR-003 first returns the second and 1 more"
    assert run_text.describe_batch(FindingBatch(1, "tests", (LAST,))) == "COR-003 The last element is at -1."


@pytest.mark.parametrize(
    ("why", "mark", "text"),
    [
        ("", "ok", "correctness: COR-001 is gone with an earlier fix"),
        ("None\ncrashes", "note", "correctness: COR-001 is still there: None crashes"),
    ],
)
def test_whether_a_finding_is_still_there_after_other_fixes(why: str, mark: str, text: str) -> None:
    event = run_text.report_recheck(ONE, why)
    assert (event.mark, event.text, event.data["still_there"]) == (mark, text, bool(why))


@pytest.mark.parametrize(
    ("found", "why", "mark", "told"),
    [
        ((), "", "ok", "no objection"),
        (("COR-009",), "", "bad", "more found: COR-009"),
        ((), "gemini: crashed", "bad", "no answer (gemini: crashed)"),
    ],
)
def test_what_a_second_look_found(found: tuple[str, ...], why: str, mark: str, told: str) -> None:
    event = run_text.report_second_look(COR, found, why)
    assert (event.mark, event.text) == (mark, f"correctness reads the whole change again: {told}")
    assert (event.data["findings"], event.data["why"]) == ([*found], why)


def test_what_the_reviewer_says_of_a_fix() -> None:
    still = run_text.report_confirmation(MOVE, "None\nstill crashes")
    assert (still.mark, still.text) == ("bad", "correctness says that it is still there: None still crashes")
    gone = run_text.report_confirmation(MOVE, "")
    assert (gone.mark, gone.text) == ("ok", "correctness has no objection")
    assert [event.data["still_there"] for event in (still, gone)] == [True, False]


def test_a_commit_says_who_found_what() -> None:
    assert run_text.render_commit_message(ONE, "r-1") == (
        "fix(review): correctness - COR-001 - mean of nothing crashes\n\n"
        "- COR-001 shop.py:6 mean of nothing crashes\n\nReknit-Run: r-1\nReknit-Hop: 1\n"
    )
    assert run_text.render_subject(TWO) == "fix(review): correctness - COR-002, COR-003 - first returns the second"
    assert run_text.render_subject(FindingBatch(1, "tests", (LAST,))).endswith(
        " - COR-003 - The last element is at -1."
    )


def test_words_of_a_finding_do_nothing_in_a_commit() -> None:
    found = replace(FIRST, title=HOSTILE, file=HOSTILE, id="COR-002")
    message = run_text.render_commit_message(FindingBatch(1, "correctness", (found,)), "r-1")
    subject, empty, listed, between, run, hop = message.splitlines()
    assert (empty, between, run, hop) == ("", "", "Reknit-Run: r-1", "Reknit-Hop: 1")
    assert not [line for line in (subject, listed) if "Closes #7" in line or "[skip ci]" in line or " @alice" in line]


def test_what_landed_and_what_was_given_up() -> None:
    landed = run_text.report_landing(ONE, "c" * 40, "reknit/r-1")
    assert landed.text == "ccccccc on reknit/r-1: fix(review): correctness - COR-001 - mean of nothing crashes"
    assert landed.data["findings"] == ["COR-001"]
    assert (
        run_text.report_give_up(TWO, "t is red\nmore").text == "gave up on COR-002, COR-003; the next finding is taken"
    )


RECEIPT = {"commit": "c" * 40, "red_before": "COR-001\nx", "green_after": "5 passed", "judged": "not there"}
REPORTED = {"report_only": True, "progress": "PROGRESS.txt"}


@pytest.mark.parametrize(
    ("stored", "lines"),
    [
        pytest.param(
            StoredRun(replace(RUN, spec={"task": REPORTED})),
            [
                "  edit    PROGRESS.txt: delete, reword or add findings",
            ],
            id="a report can be edited",
        ),
        pytest.param(
            StoredRun(replace(RUN, spec={"task": {**REPORTED, "report_only": False}})),
            [],
            id="nothing was fixed",
        ),
        pytest.param(StoredRun(RUN), [], id="nothing is known"),
        pytest.param(
            StoredRun(replace(RUN, spec={"task": REPORTED}), receipts=(RECEIPT,)),
            ["  commit  ccccccc on reknit/r-1   COR-001 x"],
            id="a fix is named",
        ),
    ],
)
def test_the_end_says_why_and_what_was_fixed(stored: StoredRun, lines: list[str]) -> None:
    assert run_text.render_ending(stored, 80).splitlines() == [
        "DEFERRED   0 attempts, 65 s, $0.10 of $5.00", "  why     3 findings reported", *lines,
    ]  # fmt: skip


def test_a_receipt_says_what_was_seen() -> None:
    assert run_text.render_receipt(RECEIPT | {"red_before": "COR-001 mean"}) == [
        "findings     COR-001 mean", "tests        5 passed", "judged       not there",
    ]  # fmt: skip


def test_phases_say_review_fix_or_plan() -> None:
    words = {text.split(":")[0] for text in run_text.PHASES.values()}
    assert words == {"review", "fix", "plan", "waiting for an agent", "ends"}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        pytest.param(
            replace(CALL, report=FixReport("fixed", "An empty list\ngives 0.")), "An empty list gives 0.", id="report"
        ),
        pytest.param(replace(CALL, last_message="It gives 0."), "It gives 0.", id="last message"),
        pytest.param(
            replace(CALL, last_message="a" * 1000), "a" * (run_text.MAX_DESCRIPTION_CHARS - 1) + "…", id="long"
        ),
        pytest.param(CALL, MEAN.title, id="an agent that says nothing"),
    ],
)
def test_a_fix_is_described_by_the_agent_that_made_it(call: AgentCall, told: str) -> None:
    assert run_text.describe_fix(ONE, call) == (told,)


def test_a_progress_file_that_cannot_be_written_is_told() -> None:
    told = run_text.report_unwritten(UsageError("file-busy", "it is open"))
    assert (told.mark, told.text) == ("bad", "the progress file does not say what is not fixed: it is open")
