"""The steps of the pull-request loop that look at it, its tests and its CI. None of them writes to the forge."""

import asyncio
from dataclasses import replace

from reknit.core.checks import ci
from reknit.core.checks.status import CiSeen, TestsSeen
from reknit.core.fix_pr.checks_snapshot import Picture
from reknit.core.fix_pr.decision import failing, round_of
from reknit.core.fix_pr.output import events as told
from reknit.core.fix_pr.output.documents import ci_document, course_document, tests_document
from reknit.core.fix_pr.state import Course, Measured, Wait
from reknit.core.forge.permission import Barred, branch_gone, is_member, may_fix
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.forge.run_chain import hop_of
from reknit.core.forge.values import Actor, CiCheck, Hindered, Hindrance, Pull
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import last_checks, red_before, reruns, since
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.forge_calls import ask, fetch, remote, target
from reknit.workflows.shared.saved_values import keep
from reknit.workflows.shared.tests_check import look_at_tests

NOT_SHOWN = ("forbidden", "missing")
"""What a forge does not show this identity is not seen; the run goes on without it."""
LOGS = 5
"""Failed checks whose log is read; the first ones say the most."""
WORKFLOWS = (".github/workflows/", ".circleci/", ".travis.yml", "azure-pipelines.yml", ".buildkite/")


@step("look.v1")
async def look(services: Services, spec: RunSpec, course: Course) -> Sight | Hindrance:
    """The head that git finds is the head: an API may be a moment behind a push."""
    pull_target = target(spec)
    holder = await asyncio.to_thread(services.ledger.claim, pull_target.key, spec.run_id)
    if holder != spec.run_id:
        return Sight("", "", 0, Barred("taken", f"{holder} works on this pull request: `reknit watch {holder}`"))

    def question(forge: Forge) -> tuple[Pull, Actor, bool, tuple[str, ...]]:
        pull, actor = forge.pull(pull_target.number), forge.whoami()
        pull, allowed = _with_its_head(forge, pull)
        if pull.edits_allowed and not allowed and not actor.is_app:
            allowed = forge.may_push(pull_target.place.slug)
        return pull, actor, allowed, forge.required(pull.base_ref)

    answer = await ask(services, spec, question)
    if isinstance(answer, Hindrance):
        return answer
    pull, actor, may_push, required = answer
    barred = may_fix(pull, actor, slug=pull_target.place.slug, may_push=may_push)
    if barred and barred.cause == "conflict":
        return keep(services, spec, "sight", Sight(pull.head_sha, "", 1, barred, is_app=actor.is_app))
    if barred and not barred.read_only:
        return Sight("", "", 0, barred, is_app=actor.is_app)
    heads = await ask(services, spec, lambda _: fetch(services, spec, pull))
    if isinstance(heads, Hindrance):
        return heads
    sight = await asyncio.to_thread(_sight, services, spec, pull, heads)
    # A label speaks of one commit: of the one that is worked on, not of the one the API knew a moment ago.
    seen, beneath = replace(pull, head_sha=sight.head), await asyncio.to_thread(_beneath, services, spec, course, heads)
    barred = may_fix(seen, actor, slug=pull_target.place.slug, may_push=may_push, beneath=beneath)
    if not barred and sight.hop > pull_target.limits.hops and not pull_target.attended:
        barred = told.too_many_hops(pull, sight.hop - 1)
    if barred and barred.cause == "untrusted" and spec.box == "host":
        barred = replace(barred, read_only=False)  # a stranger's tests do not run with the user's rights
    by_label = not is_member(pull, actor)
    sight = replace(sight, barred=sight.barred or barred, required=required, is_app=actor.is_app, by_label=by_label)
    if not sight.head:
        return sight
    keep(services, spec, "sight", sight)
    services.ledger.event(spec.run_id, f"i{course.number}-look-{sight.head}", told.looked(course.number, pull, sight))
    return sight


def _with_its_head(forge: Forge, pull: Pull) -> tuple[Pull, bool]:
    """The pull request, and whether its branch may be pushed to. A fork may be gone since the forge spoke of it."""
    try:
        return pull, bool(pull.head_slug) and forge.may_push(pull.head_slug)
    except Hindered as hindered:
        if hindered.hindrance.kind != "missing":
            raise
        return replace(pull, head_slug="", head_url=""), False


def _sight(services: Services, spec: RunSpec, pull: Pull, heads: tuple[str, str]) -> Sight:
    head, tip = heads
    if gone := branch_gone(pull, heads):
        return Sight("", "", 0, gone)
    repository = services.workspace(spec).repository
    repository.show(head)
    base = repository.merge_base(tip, head) or tip
    told_by = repository.messages(tip, head)
    others = [entry for entry in told_by if f"Reknit-Run: {spec.run_id}" not in entry[1]]
    # Of the base too: a pull request that takes CI out still has to be seen by it.
    workflows = any(path.startswith(WORKFLOWS) for path in (*repository.paths(head), *repository.paths(tip)))
    return Sight(
        head=head,
        base=base,
        hop=hop_of(others),
        head_ref=pull.head_ref,
        head_url=pull.head_url,
        base_ref=pull.base_ref,
        expects_ci=workflows,
    )


def _beneath(services: Services, spec: RunSpec, course: Course, heads: tuple[str, str]) -> str:
    """The newest commit that this run did not make, by its id: our trailers are anybody's to write."""
    head, tip = heads
    if not head or not tip or head not in course.commits:
        return head
    entries = services.workspace(spec).repository.messages(tip, head)
    return next((commit for commit, *_ in entries if commit not in course.commits), head)


@step("check_tests.v1", preemptible=True)
async def check_tests(services: Services, spec: RunSpec, course: Course, sight: Sight) -> TestsSeen:
    seen = await seen_tests(services, spec, course, sight.head)
    services.ledger.put_document(spec.run_id, "check.tests", told.as_json(tests_document(seen)))
    services.ledger.event(spec.run_id, f"i{course.number}-tests-{sight.head}", told.tests(course.number, seen))
    return replace(seen, test_files=(), passing=())


async def seen_tests(services: Services, spec: RunSpec, course: Course, commit: str) -> TestsSeen:
    """Once a tree: what a fix was proven with is what the next iteration sees."""
    return await look_at_tests(services, spec, f"tests-{course.number}", commit, course.errors)


@step("check_ci.v1")
async def check_ci(services: Services, spec: RunSpec, course: Course, sight: Sight) -> CiSeen | Hindrance:
    def question(forge: Forge) -> tuple[tuple[CiCheck, ...], dict[str, str]]:
        checks = forge.checks(sight.head)
        failed = [check for check in checks if check.state in ("fail", "cancelled")]
        return checks, {check.name: forge.log(check) if check.is_job else check.summary for check in failed[:LOGS]}

    answer = await ask(services, spec, question)
    if isinstance(answer, Hindrance):
        return CiSeen("error", why=answer.detail) if answer.kind in NOT_SHOWN else answer
    checks, logs = answer
    before = last_checks(services, spec, sight.head, checks)
    already = {check.name: reruns(services, spec, sight.head, check.name) for check in checks}
    began = since(services, spec, sight.head)
    age_s = services.clock() - began
    awaited = tuple(dict.fromkeys((*sight.required, *red_before(services, spec, checks))))
    if age_s < target(spec).limits.ci_grace_s:  # a quick check may be there before the others have begun
        awaited = tuple(dict.fromkeys((*awaited, *before)))
    seen = ci.seen(
        checks,
        logs,
        required=awaited,
        expected=sight.expects_ci or bool(sight.required or before),
        age_s=age_s,
        reruns=already,
        limits=target(spec).limits,
    )
    seen = replace(seen, age_s=age_s)
    services.ledger.put_document(spec.run_id, "check.ci", told.as_json(ci_document(seen)))
    event = told.ci(course.number, seen)
    services.ledger.event(spec.run_id, f"i{course.number}-ci-{sight.head}-{event.text}", event)
    return seen


@step("measure.v1")
async def measure(services: Services, spec: RunSpec, course: Course, sight: Sight, picture: Picture) -> Measured:
    """How many findings sit on lines that this run wrote, by git's own word."""
    await asyncio.to_thread(services.workspace(spec).ready, sight.head)
    places = [(finding.file, finding.line) for finding in failing(picture) if finding.file and finding.line]
    writers = await asyncio.to_thread(services.workspace(spec).repository.writers, sight.head, places)
    own = sum(writer in course.commits for writer in writers)
    document = told.as_json(course_document(course, picture))
    services.ledger.put_document(spec.run_id, "course", document)
    seconds = picture.tests.seconds + picture.review.seconds
    return Measured(round_of(course, picture, own), services.ledger.spent(spec.run_id), seconds)


@step("confirm.v1")
async def confirm(services: Services, spec: RunSpec, sight: Sight, picture: Picture) -> bool | Hindrance:
    """Whether all of it still holds: a review takes minutes, and people push, talk and run things again meanwhile."""

    def question(forge: Forge) -> bool:
        pull = forge.pull(target(spec).number)
        checks = forge.checks(sight.head)
        known = {finding.remark for finding in picture.review.findings if finding.remark}
        new = [remark for remark in forge.remarks(target(spec).number) if remark.id not in known]
        head = services.workspace(spec).repository.fetch_from(
            remote(services, spec, sight.head_url), [f"refs/heads/{sight.head_ref}"]
        )
        still = {check.name: check.state for check in checks} == {
            check.name: check.state for check in picture.ci.checks
        }
        return pull.state == "open" and list(head.values()) == [sight.head] and still and not new

    return await ask(services, spec, question)


@step("poll.v1")
async def poll(
    services: Services, spec: RunSpec, sight: Sight, picture: Picture, wait: Wait, count: int, *, hinted: bool
) -> tuple[bool, float]:
    """Whether it is worth looking at everything again: one request, and mostly one that says `nothing new`.

    And for how long the commit is known now: a wait that a hint ended early was no whole one.
    `hinted`: the forge itself said that something happened; it did not say what.
    """

    def question(forge: Forge) -> bool:
        asks_for_pull = count % 4 == 3
        if (hinted or not asks_for_pull) and forge.has_news(sight.head) and ci.is_telling(forge.checks(sight.head)):
            return True
        if not hinted and not asks_for_pull:
            return False
        pull = forge.pull(target(spec).number)
        return pull.state != "open" or pull.head_sha != sight.head

    answer = await ask(services, spec, question)
    news = answer.kind not in ("limited", "unreachable") if isinstance(answer, Hindrance) else answer
    if not news:
        until = services.clock() + wait.seconds
        services.ledger.waiting(spec.run_id, told.waiting(wait, picture, until).text, until)
    began = since(services, spec, sight.head)
    return news, services.clock() - began
