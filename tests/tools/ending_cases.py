"""Every combination of what a run can be asked and can see, with its ending and the checks that really held.

Each generator builds the decision's inputs from raw observations, and names the checks from the observations alone.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import Done
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.criteria import CheckedCriterion, apply_criteria
from reknit.core.checks.status import TestsResult
from reknit.core.fix_issues import decision as backlog
from reknit.core.fix_issues.progress import (
    BacklogProgress,
    BatchAttempt,
    ChallengeScore,
    ToolFix,
    list_addressed,
    list_resolved,
)
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.hook import check as hook
from reknit.core.plan.decision import decide_ending
from reknit.core.planning.criterion_facts import CriterionState
from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.core.review import decision as reviews
from reknit.core.review.progress import ListedWork, ReviewerAnswer, ReviewProgress, SecondLook
from reknit.core.review.progress_file.entries import Verdict
from reknit.core.review.reach import find_reach
from reknit.core.review.step_results import Confirmation, FixProof, conclude_fix
from reknit.core.review.task import ReviewChange
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending, EndingWord
from reknit.core.vote.decision import Tally, Vote
from reknit.core.vote.decision import decide_ending as decide_vote_ending
from tests.tools.plan_samples import CURRENT, PROVISIONAL, REJECTED, UNANSWERED
from tests.tools.review_samples import ONE, TARGET
from tests.tools.run_cases import (
    ACCEPTED,
    BOTH,
    GEMINI,
    ONCE,
    REFUSED,
    ROTATION,
    SEEN,
    UNTOUCHED,
    Case,
    held,
    pulls,
    repairs,
    report,
)


def issues() -> Iterator[Case]:
    """Two issues of one batch, a third that a tool fixed; who judges; what the tools, the tests and the change show."""
    own, changed = ("silent", "still", "no tool", "test proven"), ("code", "comments", "nothing")
    judges = ("approves", "objects", "approved before", "silent", "off", "unavailable")
    batch, files = Batch(1, "backend", (1, 2), 6), [(1, "a.py"), (2, "b.py"), (3, "c.py")]
    score = {"approves": ("h", 96), "objects": ("h", 50), "approved before": ("g", 96)}
    for judge, is_kept, by_tool, *rest in product(judges, BOTH, BOTH, own, own, changed, changed):
        checks, kinds = rest[:2], rest[2:]
        still = tuple(issue for issue, word in enumerate(checks, 1) if word == "still")
        checked = tuple(issue for issue, word in enumerate(checks, 1) if word in ("silent", "test proven"))
        paths = [path for path, kind in zip(("a.py", "b.py"), kinds, strict=True) if kind != "nothing"]
        code = [path for path, kind in zip(("a.py", "b.py"), kinds, strict=True) if kind == "code"]
        head, value = score.get(judge, ("h", 0))
        review = Review("passed" if value > 90 else "needs_work", value, "") if value else None
        scores = (ChallengeScore(head, review),) * 3 if judge in {*score, "silent"} else ()
        target = FixIssues(
            "shop", (batch,), None if judge in ("off", "unavailable") else GEMINI, by_choice=judge == "off",
            others=(3,) if by_tool else (),
        )  # fmt: skip
        tried = BatchAttempt(1, 1, 0, is_kept, "" if is_kept else "no", still_reported=still, checked_issues=checked)
        fixes = (ToolFix("ruff", (3,)),) if by_tool else ()
        progress = BacklogProgress(
            ROTATION, "h", target.issues, AgentRotation(("gemini",)), (tried,), scores, tool_fixes=fixes
        )
        move = backlog.decide(progress, target, ONCE)
        if isinstance(move, backlog.StopBacklog):
            yield move.ending.word, frozenset()
        if not isinstance(move, backlog.Land):
            continue
        done = list_addressed(progress, target, files, [*paths, "c.py"], code)
        resolved = list_resolved(progress, target, done)
        for issue in resolved:
            word, kind = ("silent", "code") if issue == 3 else (checks[issue - 1], kinds[issue - 1])
            is_checked = word in ("silent", "test proven")
            yield (
                "RESOLVED",
                held(
                    result=True,
                    gate=is_kept or issue == 3,
                    held=is_kept or issue == 3,
                    addressed=kind == "code" or (kind == "comments" and is_checked),
                    resolved=word != "still" and (is_checked or judge == "approves"),
                ),
            )
        ending = (
            backlog.end_after_landing(progress, target, ONCE, resolved)
            if done
            else backlog.stop_without_effect(progress, target).ending
        )
        whole = {*ending.fixed} == {f"I-{issue}" for issue in resolved}
        is_all = whole and (len(resolved) == len(target.issues) or ending.word == "PARTIAL") and bool(resolved)
        yield ending.word, frozenset({"result", "gate", "held", "addressed", "resolved"} if is_all else ())
    yield from gone_issues()


def gone_issues() -> Iterator[Case]:
    target = FixIssues("shop", (), None, others=(1, 2))
    for taken, gone in product([(1,), (1, 2)], [(), (1,), (1, 2)]):
        move = backlog.decide(BacklogProgress(ROTATION, "b", taken, ROTATION, absent_issues=gone), target, ONCE)
        if isinstance(move, backlog.StopBacklog):
            yield move.ending.word, held(result=True, gone=gone == (1, 2))


def review_runs() -> Iterator[Case]:
    """No, one or two reviewers; what they said; what the file lists; how the one fix went."""
    answers: tuple[tuple[Verdict | None, int, int], ...] = (
        ("PASSED", 0, 0), ("NEEDS_WORK", 1, 0), ("NEEDS_WORK", 0, 2), (None, 0, 0),
    )  # fmt: skip
    lists = (
        ListedWork(),
        ListedWork((ONE,)),
        ListedWork((), 1),
        ListedWork((ONE,), 0, ("W-1",)),
        ListedWork((ONE,), unavailable=("T-1",)),
    )
    changes = {
        "code": FileChange("shop.py", b"a = 1\n", b"a = 2\n", REGULAR, REGULAR),
        "comments": FileChange("shop.py", b"a = 1\n", b"a = 1  # right\n", REGULAR, REGULAR),
        "elsewhere": FileChange("other.py", b"a = 1\n", b"a = 2\n", REGULAR, REGULAR),
    }
    looks = {"passes": (), "finds": ("COR-009",), "is silent": (), "is off": ()}
    fixes = tuple(product(BOTH, BOTH, changes, ("", "still there", "unheard"), looks))
    for count, only_reports, tests in product(range(3), BOTH, ("pass", "error")):
        target: ReviewChange = replace(TARGET, reviewers=TARGET.reviewers[:count], report_only=only_reports)
        for said, work, fix in product(product(answers, repeat=count), lists, fixes):
            if work.batches and not said:
                continue  # without a reviewer the file lists nothing
            heard = tuple(ReviewerAnswer("correctness", "blocking", *each[:2], dropped=each[2]) for each in said)
            is_accepted, is_held, changed, answer, look = fix
            seen = TestsResult("pass", passed=1) if tests == "pass" else TestsResult("error", why="killed")
            progress = ReviewProgress(ROTATION, "base", heard, work, seen)
            move = reviews.decide(progress, target, ONCE)
            if isinstance(move, reviews.FixFindings):
                missed = find_reach(Change((changes[changed],)), move.batch.findings, Change(())).missed
                proof = FixProof("c", missed or ("" if is_held else "it does not hold")) if is_accepted else None
                asked = proof is not None and not proof.why
                confirmed = Confirmation(
                    answer if answer == "still there" else "", answer if answer == "unheard" else ""
                )
                gate = ACCEPTED if is_accepted else REFUSED
                tried = conclude_fix(move, Done(), gate, proof, confirmed if asked else None)
                checks = held(
                    result=tests == "pass", gate=is_accepted, held=is_held, reached=changed == "code",
                    confirmed=not answer, second_look=look in ("passes", "is off"),
                )  # fmt: skip
                if tried.succeeded:
                    yield "RESOLVED", checks
                progress = replace(progress, attempts=(tried,))
                target = replace(target, second_look=look != "is off")
                move = reviews.decide(progress, target, ONCE)
                if isinstance(move, reviews.LookAgain):
                    seen_again = SecondLook("correctness", looks[look], "crashed" if look == "is silent" else "")
                    move = reviews.decide(replace(progress, second_looks=(seen_again,)), target, ONCE)
            else:
                checks = frozenset()
            if isinstance(move, reviews.StopReview):
                is_heard = bool(said) and all(verdict and not dropped for verdict, _, dropped in said)
                is_work = bool(work.batches) and not work.only_by_waiver and not work.unavailable
                has_passed = all(verdict == "PASSED" for verdict, *_ in said)
                of_findings = checks if is_work or move.ending.word != "FIXED" else frozenset()
                yield move.ending.word, of_findings | held(answers=is_heard, passed=has_passed)


def variants() -> Iterator[Case]:
    states: tuple[CriterionState, ...] = ("passed", "failed", "unverified")
    words: tuple[EndingWord, ...] = ("CLEAN", "FIXED", "PARTIAL", "UNVERIFIED", "DEFERRED")
    for word, count, left_out in product(words, range(4), ((), ("a task",))):
        for seen in product(states, repeat=count):
            checked = [CheckedCriterion("c", state, "so") for state in seen]
            ending = apply_criteria(Ending(word, "so"), checked, left_out)
            is_met = bool(seen) and {*seen} == {"passed"} and not left_out
            yield ("" if ending.word == "PARTIAL" else ending.word), held(criteria=is_met)
    target = FixIssues("shop", (Batch(1, "backend", (1,), 3),), None, by_choice=True)
    for is_kept, path, code in product(BOTH, ("a.py", "b.py"), ((), ("a.py",))):
        tried = BatchAttempt(1, 1, 0, is_kept, "", checked_issues=(1,))
        progress = BacklogProgress(ROTATION, "h", (1,), ROTATION, (tried,))
        done = list_addressed(progress, target, [(1, "a.py")], [path], code)
        for _ in list_resolved(progress, target, done):
            yield "RESOLVED", held(result=True, gate=is_kept, held=is_kept, in_commit=path == "a.py")


def windows() -> Iterator[Case]:
    for seen, gate in product(SEEN, (ACCEPTED, REFUSED, UNTOUCHED)):
        shown = hook.add_note(hook.judge_report(report(seen), ("t",), TreeFacts()), gate)
        word = hook.to_ending(hook.find_refusal(gate) or shown).word
        yield word, held(gate=gate is ACCEPTED, named_test=seen == "passed")


def plans() -> Iterator[Case]:
    for result, is_kept in product((CURRENT, PROVISIONAL, REJECTED, UNANSWERED), BOTH):
        yield decide_ending(result, "plan.md", is_edited=is_kept).word, held(rules=result is CURRENT)


def polls() -> Iterator[Case]:
    for count, score, now in product(range(3), (0, 79, 80, 100), ("", "moved", None)):
        votes = tuple(Vote(f"v{number}", "claude", Review("passed", score, "")) for number in range(count))
        yield (
            decide_vote_ending(Tally("h" * 40, votes, 80.0, now)).word,
            held(votes=count == 2 and score >= 80, same_head=now == ""),
        )


CASES: Mapping[str, Callable[[], Iterator[Case]]] = {
    "fix tests": repairs,
    "fix pr": pulls,
    "fix issues": issues,
    "review": review_runs,
    "fix plan": variants,
    "hook check": windows,
    "plan": plans,
    "vote": polls,
}
