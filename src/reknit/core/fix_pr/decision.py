"""What a pull-request run does next, from what it has seen and done so far. No model has a say in it."""

from dataclasses import replace

from reknit.core.agents.call import Broke
from reknit.core.agents.strategy import strategy_of
from reknit.core.checks.status import CiSeen, TestsSeen
from reknit.core.finding import Finding
from reknit.core.fix_pr.check_summary import shown
from reknit.core.fix_pr.checks_snapshot import Picture
from reknit.core.fix_pr.convergence import Round, curve, diverges
from reknit.core.fix_pr.matrix import Part, decide, unseen
from reknit.core.fix_pr.stall import is_stalled, signature
from reknit.core.fix_pr.state import Course, Fix, Move, Rerun, Stop, Wait
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.forge.values import Hindrance
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits, PullLimits


def next_move(course: Course, sight: Sight, picture: Picture, seen: Round, limits: Limits, pull: PullLimits) -> Move:
    """The matrix says what the picture asks for; the limits say whether it may still be done."""
    asked = decide(picture.review.status, picture.tests.status, picture.ci.status)
    if asked.word == "clean":
        return Stop(_clean(course, picture))
    if asked.word == "retry":
        return _retry(course, picture, limits, pull)
    if asked.word == "wait":
        return _wait(course, sight, picture, pull)
    if ending := _spent(course, limits) or _at_an_end(course, sight, picture, seen, pull):
        return Stop(replace(ending, fixed=course.commits, left=left(picture)))
    now = signature(failing(picture))
    same = next(
        (count for count, turn in enumerate(reversed(course.turns)) if turn.signature != now), course.number - 1
    )
    return Fix(
        number=course.number,
        parts=asked.parts,
        findings=_to_fix(picture, asked.parts, only_critical=course.only_critical(pull)),
        strategy=strategy_of(same + 1),
        agent=course.crew.next,
        feedback=course.turns[-1].feedback if same else "",
        only_critical=course.only_critical(pull),
    )


def barred(course: Course, sight: Sight) -> Stop | None:
    """Why there is nothing to look at, if so."""
    if sight.barred is None or sight.barred.read_only:
        return None
    return Stop(Ending("BLOCKED", sight.barred.sentence, sight.barred.cause, course.commits))


def goes_without_review(tests: TestsSeen, ci: CiSeen) -> bool:
    """Red tests and a red CI can be worked on while a reviewer's provider says `not now`."""
    return tests.status != "pass" or ci.status == "fail"


def hindered(course: Course, hindrance: Hindrance, limits: Limits) -> Ending | None:
    """Whether a forge that does not answer ends the run; None: it is waited for."""
    if hindrance.kind == "login":
        return Ending("BLOCKED", f"the forge does not take the login: {hindrance.detail}", LOGIN, course.commits)
    if hindrance.kind in ("forbidden", "missing"):
        return Ending("BLOCKED", f"the forge refused: {hindrance.detail}", hindrance.kind, course.commits)
    if course.hindered >= limits.waits:
        why = f"the forge did not answer {course.hindered} times in a row: {hindrance.detail}"
        return Ending("UNVERIFIED", why, "forge", course.commits)
    return None


def round_of(course: Course, picture: Picture, own: int) -> Round:
    """`own`: findings on lines that this run itself wrote."""
    landed = bool(course.turns and course.turns[-1].commit)
    grown = sum(turn.grown_source for turn in course.turns), sum(turn.grown_tests for turn in course.turns)
    return Round(len(failing(picture)), own, landed, *grown)


def failing(picture: Picture) -> tuple[Finding, ...]:
    """What keeps the pull request from being clean, by priority."""
    return tuple(finding for finding in picture.findings if finding.weight != "minor")


def left(picture: Picture) -> tuple[str, ...]:
    return tuple(f"{finding.id} {finding.subject}" for finding in failing(picture))


def _clean(course: Course, picture: Picture) -> Ending:
    """What was seen, and of which commit; nothing is claimed that nobody looked at."""
    review, tests, of_ci = shown(picture)
    told = f"review {picture.review.why or review}, tests {tests}, CI {picture.ci.why or of_ci}"
    if picture.review.awaited:
        who = ", ".join(picture.review.awaited[:3])
        why = f"nothing fails at {picture.head[:7]} ({told}); {who} asked for changes and has to look again"
        return Ending("BLOCKED", why, "review", course.commits)
    return Ending("CLEAN", f"PR CLEAN at {picture.head[:7]}: {told}", fixed=course.commits)


def _retry(course: Course, picture: Picture, limits: Limits, pull: PullLimits) -> Move:
    if ending := _spent(course, limits):
        return Stop(replace(ending, fixed=course.commits))
    if course.errors < pull.error_retries:
        return Wait("error", pull.ci_wait_s, 0)
    why = f"not seen after {course.errors} more looks: {'; '.join(unseen(picture))}"
    return Stop(Ending("UNVERIFIED", why, "checks", course.commits))


def _wait(course: Course, sight: Sight, picture: Picture, pull: PullLimits) -> Move:
    if course.heads > pull.iterations:
        why = f"the branch moved {course.heads} times while CI was awaited (loop.max_iterations)"
        return Stop(Ending("UNVERIFIED", why, "moving", course.commits))
    waited_s = picture.ci.age_s + course.pending_s
    if waited_s >= pull.ci_patience_s:
        open_checks = [check.name for check in picture.ci.checks if check.state == "pending"]
        named = f" ({', '.join(open_checks[:3])})" if open_checks else ""
        why = f"CI{named} gave no answer in {waited_s:.0f} s (checks.ci.patience_s)"
        return Stop(Ending("UNVERIFIED", why, "ci", course.commits))
    if picture.ci.infra and sight.barred:
        named = ", ".join(check.name for check in picture.ci.infra[:3])
        why = f"{named} failed for no fault of the code and may not be run again here: {sight.barred.sentence}"
        return Stop(Ending("UNVERIFIED", why, "ci", course.commits))
    if picture.ci.infra:  # after the patience: a forge that lets nobody run it again must not be asked for ever
        return Rerun(picture.ci.infra)
    is_settled = all(check.state != "pending" for check in picture.ci.checks)
    if is_settled and picture.ci.age_s < pull.ci_grace_s <= waited_s:
        return Wait("ci", min(1.0, pull.ci_wait_s), 0)  # what has not come by now means something
    if course.pending_looks < 2:
        return Wait("ci", pull.ci_wait_s, 1)
    watched_s = min(pull.ci_watch_s, pull.ci_patience_s - waited_s)  # or the patience would be passed by a whole watch
    return Wait("ci", pull.ci_wait_s, max(1, round(watched_s / pull.ci_wait_s)))


def _spent(course: Course, limits: Limits) -> Ending | None:
    if nobody := course.crew.stopped(limits):
        return nobody
    over = course.broke if isinstance(course.broke, Broke) and course.broke.why == "budget" else None
    if course.spent_usd >= limits.budget_usd or over:
        told = f"${course.spent_usd:.2f} of ${limits.budget_usd:.2f} spent (loop.budget_usd)"
        return Ending("OVER_BUDGET", f"{told}; {over.detail}" if over and over.detail else told)
    if course.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{course.worked_s:.0f} s of {limits.timeout_s:.0f} s worked (loop.timeout_s)")
    return None


def _at_an_end(course: Course, sight: Sight, picture: Picture, now: Round, pull: PullLimits) -> Ending | None:
    if sight.barred:
        return Ending("BLOCKED", sight.barred.sentence, sight.barred.cause)
    seen = [turn.signature for turn in course.turns]
    if is_stalled([*seen, signature(failing(picture))], pull.stall_after):
        return Ending("STALLED", f"the same failures {pull.stall_after} times in a row (loop.stall_after)")
    rounds = [*(turn.seen for turn in course.turns), now]
    if why := diverges(rounds, pull):
        return Ending("CHURN", f"{why}; {curve(rounds)}")
    if course.number > pull.iterations:
        return Ending("EXHAUSTED", f"{pull.iterations} iterations (loop.max_iterations)")
    if course.fruitless >= pull.fruitless:
        why = f"{course.fruitless} fixes in a row did not land (loop.fruitless)"
        return Ending("DEFERRED", why)
    return None


def _to_fix(picture: Picture, parts: tuple[Part, ...], *, only_critical: bool) -> tuple[Finding, ...]:
    wanted = ("critical",) if only_critical else ("critical", "important")
    by_part = {"tests": picture.tests.findings, "ci": picture.ci.findings, "review": picture.review.findings}
    return tuple(finding for part in parts for finding in by_part[part] if finding.weight in wanted)
