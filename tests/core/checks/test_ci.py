"""CI of one commit: the code's failures, the machines', and what is not in yet."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.checks.ci import CiObservation, format_counts, judge_ci, may_change_decision
from reknit.core.checks.status import CiResult
from reknit.core.finding import Finding
from reknit.core.forge.values import CiCheck, CiState
from reknit.core.runs.limits import PullLimits

LIMITS = PullLimits()
REQUIRED_ONLY = replace(LIMITS, ci_required_only=True)
LOST = "##[error]The runner has received a shutdown signal."
RED = "FAILED tests/test_a.py::test_x - assert 1 == 2"


def check(name: str, state: CiState = "pass", word: str = "", *, is_job: bool = True, summary: str = "") -> CiCheck:
    words = {"pass": "success", "fail": "failure", "pending": "in_progress"}
    return CiCheck(name, state, word or words.get(state, state), id=1, is_job=is_job, summary=summary)


LINT, TEST = check("lint"), check("test")


def look(
    *checks: CiCheck,
    logs: dict[str, str] | None = None,
    required: tuple[str, ...] = (),
    expected: bool = True,
    age_s: float = 600.0,
    reruns: dict[str, int] | None = None,
    limits: PullLimits = LIMITS,
) -> CiResult:
    observed = CiObservation(checks, logs or {}, reruns or {}, age_s)
    return judge_ci(observed, required=required, expected=expected, limits=limits)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(look(LINT, TEST), CiResult("pass", (LINT, TEST)), id="all pass"),
        pytest.param(look(LINT, check("e2e", "skipped")).status, "pass", id="skipped counts as passed"),
        pytest.param(
            look(age_s=119.0), CiResult("pending", why="no check has appeared yet"), id="no check yet, and it is early"
        ),
        pytest.param(look(age_s=119.0, expected=False).status, "pending", id="early even if none is expected"),
        pytest.param(
            look(age_s=120.0, expected=False), CiResult("pass", why="this repository has no CI"), id="no CI at all"
        ),
        pytest.param(
            look(age_s=120.0),
            CiResult(
                "error",
                why="no check appeared within 120 s (checks.ci.grace_s), although this repository has CI",
            ),
            id="CI that does not show up",
        ),
        pytest.param(
            look(LINT, check("test", "pending")),
            CiResult("pending", (LINT, check("test", "pending")), why="waiting for test"),
            id="one still runs",
        ),
        pytest.param(
            look(LINT, required=("lint", "e2e", "e2e"), age_s=9e9),
            CiResult("pending", (LINT,), why="e2e is required and has not appeared"),
            id="a required check is not there yet, however long ago",
        ),
        pytest.param(look(required=("lint",), expected=False, age_s=9e9).status, "pending", id="nor is any other"),
        pytest.param(
            look(check("deploy", "fail", "action_required"), LINT, required=("e2e",)).why,
            "deploy waits for a person",
            id="a person is awaited, and what hangs on it is not",
        ),
        pytest.param(
            look(check("deploy", "pending", "action_required")).status, "error", id="also where it counts as pending"
        ),
        pytest.param(
            look(check("deploy", "fail", "action_required"), check("test", "pending")).status,
            "pending",
            id="what still runs may show a failure to fix",
        ),
        pytest.param(look(check("a", "cancelled")).infra_checks, (check("a", "cancelled"),), id="to be run again"),
        pytest.param(
            look(check("a", "cancelled"), check("b", "pending")).why,
            "waiting for b; a failed on CI infrastructure and will be re-run",
            id="run again while others run",
        ),
        pytest.param(
            look(check("a", "cancelled"), reruns={"a": 1}),
            CiResult(
                "error",
                (check("a", "cancelled"),),
                why="a failed on CI infrastructure and is not re-run (checks.ci.reruns)",
            ),
            id="run again once and lost again",
        ),
        pytest.param(look(check("a", "cancelled"), reruns={"b": 1}).status, "pending", id="another was run again"),
        pytest.param(
            look(check("a", "cancelled"), check("b", "pending")).infra_checks, (), id="no re-run while others run"
        ),
        pytest.param(
            look(check("cla", "pass", is_job=False), age_s=5.0).status, "pending", id="only a quick check has answered"
        ),
        pytest.param(look(check("cla", "pass", is_job=False)).status, "pass", id="and nothing came after it"),
        pytest.param(
            look(check("cla", "pass", is_job=False), age_s=5.0, expected=False).status, "pass", id="no CI is expected"
        ),
        pytest.param(look(check("a", "cancelled", is_job=False)).status, "error", id="nothing that could be run again"),
        pytest.param(
            look(check("a", "cancelled"), check("b", "fail", "action_required"), reruns={"a": 1}).why,
            "b waits for a person; a failed on CI infrastructure and is not re-run (checks.ci.reruns)",
            id="two reasons",
        ),
        pytest.param(
            look(check("a", "fail"), logs={"a": LOST}).infra_checks, (check("a", "fail"),), id="its log, by its name"
        ),
        pytest.param(look(check("a", "fail"), logs={"b": LOST}).status, "fail", id="another's log does not"),
        pytest.param(
            look(check("a", "cancelled"), check("b", "fail"), check("c", "pending")).status,
            "fail",
            id="the code's failure goes before all others",
        ),
        pytest.param(look(check("a", "cancelled"), check("b", "fail")).infra_checks, (), id="and no re-run for it"),
        pytest.param(
            look(LINT, check("slow", "fail"), required=("lint",), limits=REQUIRED_ONLY),
            CiResult("pass", (LINT, check("slow", "fail"))),
            id="only the required ones count",
        ),
        pytest.param(
            look(LINT, check("slow", "pending"), required=("lint", "test"), limits=REQUIRED_ONLY).why,
            "test is required and has not appeared",
            id="only a required one is awaited",
        ),
        pytest.param(look(check("a", "fail"), limits=REQUIRED_ONLY).status, "fail", id="all count where none is known"),
        pytest.param(look(LINT, check("slow", "fail"), required=("lint",)).status, "fail", id="else all count"),
    ],
)  # fmt: skip
def test_ci_is_judged_by_its_checks(answer: object, expected: object) -> None:
    assert answer == expected


def test_findings_come_with_their_logs_the_required_ones_first() -> None:
    answer = look(
        check("Build (3.11, x64)", "fail"), check("lint", "fail", summary="2 problems"), check("a", "fail"), TEST,
        logs={"Build (3.11, x64)": f"##[group]Run make\n##[endgroup]\n{RED}\n##[error]exit 1"},
        required=("lint",),
    )  # fmt: skip
    assert answer.findings == (
        Finding("C-1", "ci", "lint", "lint", message="2 problems"),
        Finding("C-2", "ci", "build-3-11-x64", "Build (3.11, x64)", message=f"Run make\n{RED}\nerror: exit 1"),
        Finding("C-3", "ci", "a", "a", message="a ended as failure without output"),
    )
    assert len(answer.checks) == 4


def test_a_name_without_a_letter_still_has_a_rule() -> None:
    assert look(check("✗", "fail")).findings[0].rule == "check"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        pytest.param(look(LINT, TEST), "2/2", id="all pass"),
        pytest.param(look(LINT, check("e2e", "skipped")), "1/1, 1 skipped", id="a skipped one did not pass"),
        pytest.param(look(LINT, check("test", "pending")), "… 1/2", id="one still runs"),
        pytest.param(look(LINT, check("test", "fail")), "test", id="one failed"),
        pytest.param(look(*(check(name, "fail") for name in "abcde")), "a, b, c and 2 more", id="many failed"),
        pytest.param(look(check("a\nb", "fail")), "a b", id="a name of two lines"),
        pytest.param(look(age_s=0.0), "…", id="none yet"),
        pytest.param(look(expected=False), "none", id="none at all"),
        pytest.param(look(), "not seen", id="an error"),
    ],
)
def test_ci_is_counted_for_people(answer: CiResult, text: str) -> None:
    assert format_counts(answer) == text


def test_what_did_not_appear_is_counted_too() -> None:
    assert format_counts(look(LINT, required=("lint", "test")), ("lint", "test")) == "… 1/2"


CHECKS = st.builds(
    check,
    st.sampled_from("abcdef"),
    st.sampled_from(get_args(CiState)),
    st.sampled_from(["", "timed_out", "startup_failure", "action_required"]),
    is_job=st.booleans(),
)


@given(
    st.lists(CHECKS, max_size=6, unique_by=lambda one: one.name),
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([LOST, RED, ""])),
    st.sets(st.sampled_from("abcdefg")),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2)),
    st.booleans(),
    st.booleans(),
)
def test_no_pass_hides_a_check_and_each_answer_can_be_acted_on(
    checks: list[CiCheck],
    logs: dict[str, str],
    required: set[str],
    reruns: dict[str, int],
    expected: bool,
    required_only: bool,
) -> None:
    limits = replace(LIMITS, ci_required_only=required_only)
    answer = look(*checks, logs=logs, required=tuple(sorted(required)), expected=expected, reruns=reruns, limits=limits)
    counting = [one for one in checks if not (required_only and required) or one.name in required]
    good = all(one.state in ("pass", "skipped") and one.word != "action_required" for one in counting)
    complete = required <= {one.name for one in checks}
    assert (answer.status == "pass") is (good and complete and bool(checks or required or not expected))
    assert bool(answer.findings) is (answer.status == "fail")
    assert bool(answer.why) or answer.status in ("pass", "fail")
    assert all(one.is_job and reruns.get(one.name, 0) < limits.reruns for one in answer.infra_checks)
    assert answer.status == "pending" or not answer.infra_checks
    assert answer.checks == tuple(checks)
    assert format_counts(answer)


@pytest.mark.parametrize(
    ("states", "telling"),
    [
        pytest.param([], True, id="none is left to wait for"),
        pytest.param(["pass", "pending"], False, id="one of two is done"),
        pytest.param(["pass", "skipped"], True, id="all are done"),
        pytest.param(["fail", "pending"], True, id="one has failed while another runs"),
        pytest.param(["cancelled", "pending"], True, id="one was cancelled while another runs"),
    ],
)
def test_only_what_decides_is_worth_a_look(states: list[CiState], telling: bool) -> None:
    assert may_change_decision([CiCheck(f"c{number}", state, state) for number, state in enumerate(states)]) is telling
