"""What runs of the tests can show to `fix tests` and `fix pr`, with the ending and the checks that really held."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from reknit.core.agents.call import AgentSettings, Done, Usage
from reknit.core.causes.cause import LeftOut
from reknit.core.check_answer import AnswerWord, CheckAnswer
from reknit.core.checks.proof import judge_proof
from reknit.core.checks.status import CiResult, ReviewResult
from reknit.core.checks.tests import add_unready_projects, judge_commit_tests, mark_unproven
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.decision import decide_next_move
from reknit.core.fix_pr.state import StopPullRun
from reknit.core.fix_tests import baseline as base_runs
from reknit.core.fix_tests import decision as repair
from reknit.core.fix_tests.progress import RepairProgress, Try, build_attempt
from reknit.core.fix_tests.proof import RunsAfter, prove
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.hook import check as hook
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.testing.report import WHOLE_SUITE, TestReport, TestResult
from tests.tools.pull_moves import CALM, LIMITS, PULL, SIGHT
from tests.tools.pull_samples import FAILED, NEW, PASSED, PENDING, RACE

Case = tuple[str, frozenset[str]]
"""A word, and the checks that held."""
SEEN = ("passed", "failed", "skipped", "absent", "error")
BOTH = (False, True)
RESULTS: Mapping[str, TestResult] = {"passed": "passed", "failed": "failed", "skipped": "skipped"}
ONCE = Limits(attempts=1)
ACCEPTED, REFUSED = (GateVerdict(refusals, ("r",), 1, 1, 1) for refusals in ((), (Refusal("r", "a.py", "no"),)))
UNTOUCHED = replace(REFUSED, refusals=(Refusal(hook.NOTHING_CHANGED, "", "nothing"),))
LEFT_OUT: LeftOut = (("x",), "no network", "")
ROTATION = AgentRotation(("claude",))
GEMINI = AgentSettings("gemini", "gemini")
FIXING = {"result", "gate", "held", "proven", "no tampering"}


def held(**checks: bool) -> frozenset[str]:
    return frozenset(name.replace("_", " ") for name, holds in checks.items() if holds)


def report(seen: str, test: str = "t", other: str = "passed") -> TestReport:
    if "error" in (seen, other):
        return TestReport("error", "junit", why="killed")
    results = {name: RESULTS[word] for name, word in ((test, seen), ("other", other)) if word in RESULTS}
    return TestReport("fail" if "failed" in results.values() else "pass", "junit", results)


def baselines() -> Iterator[Case]:
    for first, second, alone, is_named, is_unready in product(SEEN, SEEN, SEEN, BOTH, BOTH):
        runs, again = [report(first), report(second)], [report(alone)] if first == second == "failed" else []
        baseline = base_runs.decide_baseline(runs, again, ("t",) if is_named else ())
        begun = repair.begin(base_runs.add_unready_projects(baseline, (LEFT_OUT,) if is_unready else ()), "b", ("c",))
        ran = first in ("passed", "failed") and second in ("passed", "failed")
        none_red = "failed" not in (first, second) and (ran or not is_named) and not is_unready
        if isinstance(begun, repair.StopRepair):
            yield begun.ending.word, held(result="error" not in (first, second), none_red=none_red)


def proofs() -> Iterator[Case]:
    """A proof by the runs and the tamper checks: what it calls proven lands, and is called FIXED."""
    words: tuple[AnswerWord, ...] = ("held", "tampering", "no verdict")
    before = ("passed", "failed", "absent")
    for test, whole, again, without, other in product(("t", WHOLE_SUITE), SEEN, SEEN, SEEN, before):
        baseline = base_runs.decide_baseline([report("failed", test)] * 2, [], ())
        runs = RunsAfter((report(whole, test, other),), report(again, test), report(without, test))
        proof = prove([test], baseline, (), runs)
        for canaries, twins, has_advice in product(words, words, BOTH):
            answers = (CheckAnswer("canaries", canaries, "x"), CheckAnswer("twins", twins, "x"))
            end = judge_proof(proof, answers, REFUSED.refusals if has_advice else ())
            honest = "tampering" not in (canaries, twins) and (test == "t" or canaries == "held")
            checks = held(
                result=True,
                gate=not has_advice or canaries == twins == "held",
                held=other == "passed",
                proven=(whole, again, without) == ("passed", "passed", "failed"),
                no_tampering=honest,
            )
            yield ("FIXED" if end.word == "proven" else "UNVERIFIED"), checks


def repairs() -> Iterator[Case]:
    yield from baselines()
    yield from proofs()
    words: tuple[ProofWord | None, ...] = (
        "proven", "held", "unproven", "still_red", "regressed", "unseen", "refused", None,
    )  # fmt: skip
    findings = tuple(Finding(f"T-{name}", "tests", "test-failed", name) for name in "ab")
    for first, second, flaky, is_named, is_left_out in product(words, words, ("", "a", "b"), BOTH, BOTH):
        progress = RepairProgress(
            ROTATION, findings, "base", has_requested_tests=is_named, left_out=(LEFT_OUT,) if is_left_out else ()
        )
        for number, (finding, word) in enumerate(zip(findings, (first, second), strict=True), 1):
            proof = Proof(word, "so", "junit", fixed=(finding.subject,)) if word else None
            gate = ACCEPTED if word else REFUSED
            order = Try(finding, number, "local", "claude")
            progress = progress.add_attempt(build_attempt(order, Done(), Usage(), 1.0, gate, proof), "head", 0.0)
        progress = progress.leave_out_flaky((flaky,) if flaky else ())
        proven = {name for name, word in zip("ab", (first, second), strict=True) if word == "proven"}
        stop = repair.decide(progress, ONCE)
        if isinstance(stop, repair.StopRepair):
            # A flaky test that nobody named is left out and told; it is never counted as fixed.
            asked = {*"ab"} - ({flaky} if flaky and not is_named else set())
            claimed = {name.removeprefix("T-") for name in stop.ending.fixed}
            is_whole = bool(proven) and asked <= proven and claimed <= proven and not (is_named and is_left_out)
            is_partly = bool(claimed) and claimed <= proven
            holds = is_whole if stop.ending.word == "FIXED" else is_partly
            yield stop.ending.word, frozenset(FIXING if holds else ())


def pulls() -> Iterator[Case]:
    no_ci, not_reviewed = CiResult("pass", why="this repository has no CI"), ReviewResult("pass", why="no reviewer")
    of_ci = {PASSED: True, no_ci: True, FAILED: False, PENDING: False, CiResult("error", why="lost"): False}
    of_review = {
        ReviewResult("pass"): True,
        not_reviewed: True,
        ReviewResult("pass", awaited=("ada",)): False,
        ReviewResult("fail", (RACE,)): False,
        ReviewResult("error", why="crashed"): False,
    }
    for whole, again, is_unready, unproven in product(SEEN, SEEN, BOTH, ((), ("t",))):
        first = report(whole)
        tests = judge_commit_tests(first, report(again) if first.failed else None)
        tests = mark_unproven(add_unready_projects(tests, (LEFT_OUT,) if is_unready else ()), unproven)
        is_green = whole not in ("failed", "error") and not is_unready and not unproven
        for (ci, is_ci), (review, is_review) in product(of_ci.items(), of_review.items()):
            stop = decide_next_move(NEW, SIGHT, ChecksSnapshot("a" * 40, review, tests, ci), CALM, LIMITS, PULL)
            if isinstance(stop, StopPullRun):
                yield stop.ending.word, held(tests_pass=is_green, ci=is_ci, review=is_review)
