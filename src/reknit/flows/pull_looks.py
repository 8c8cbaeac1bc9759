"""The steps of the pull-request loop that look at it, its tests and its CI. None of them writes to the forge."""

import asyncio
from dataclasses import replace

from reknit.core import ci, tests_seen
from reknit.core import pull_events as told
from reknit.core.course import Course, Measured, Sight, Wait
from reknit.core.forge import Actor, CiCheck, Hindered, Hindrance, Pull
from reknit.core.hops import hop_of
from reknit.core.picture import CiSeen, Picture, TestsSeen
from reknit.core.pull_documents import ci_document, course_document, tests_document
from reknit.core.pull_request import failing, round_of
from reknit.core.run import RunSpec
from reknit.core.trust import Barred, may_fix
from reknit.flows.forge_calls import ask, remote, target
from reknit.flows.pull_papers import keep, kept, last_checks, reruns, since
from reknit.flows.rooms import test
from reknit.flows.services import Services
from reknit.flows.steps import step
from reknit.ports import Forge

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
    if barred and not barred.read_only:
        closed = Sight("" if barred.cause != "conflict" else pull.head_sha, "", 0, barred, is_app=actor.is_app)
        return keep(services, spec, "sight", closed)
    heads = await ask(services, spec, lambda _: _fetch(services, spec, pull))
    if isinstance(heads, Hindrance):
        return heads
    sight = await asyncio.to_thread(_sight, services, spec, pull, heads)
    # A label speaks of one commit: of the one that is worked on, not of the one the API knew a moment ago.
    seen, beneath = replace(pull, head_sha=sight.head), await asyncio.to_thread(_beneath, services, spec, course, heads)
    barred = may_fix(seen, actor, slug=pull_target.place.slug, may_push=may_push, beneath=beneath)
    if not barred and sight.hop > pull_target.limits.hops:
        barred = told.too_many_hops(pull, sight.hop - 1)
    sight = replace(sight, barred=sight.barred or barred, required=required, is_app=actor.is_app)
    keep(services, spec, "sight", sight)
    services.ledger.event(spec.run_id, f"look-{sight.head}", told.looked(course.number, pull, sight))
    return sight


def _with_its_head(forge: Forge, pull: Pull) -> tuple[Pull, bool]:
    """The pull request, and whether its branch may be pushed to. A fork may be gone since the forge spoke of it."""
    try:
        return pull, bool(pull.head_slug) and forge.may_push(pull.head_slug)
    except Hindered as hindered:
        if hindered.hindrance.kind != "missing":
            raise
        return replace(pull, head_slug="", head_url=""), False


def _fetch(services: Services, spec: RunSpec, pull: Pull) -> tuple[str, str]:
    """(head, tip of the base branch); an empty head: the branch is gone."""
    repository = services.workspace(spec).repository
    head, base = f"refs/heads/{pull.head_ref}", f"refs/heads/{pull.base_ref}"
    refs = [base, head] if pull.head_url == pull.base_url else [base]
    found = dict(repository.fetch_from(remote(services, spec, pull.base_url), refs))
    if pull.head_url != pull.base_url:
        found[head] = repository.fetch_from(remote(services, spec, pull.head_url), [head]).get(head, "")
    return found.get(head, ""), found.get(base, "")


def _sight(services: Services, spec: RunSpec, pull: Pull, heads: tuple[str, str]) -> Sight:
    head, tip = heads
    if not head or not tip:
        gone = pull.head_ref if not head else pull.base_ref
        return Sight("", "", 0, Barred("closed", f"the branch {gone!r} is gone; restore it, then try again"))
    repository = services.workspace(spec).repository
    repository.show(head)
    base = repository.merge_base(tip, head) or tip
    told_by = repository.messages(tip, head)
    others = [entry for entry in told_by if f"Reknit-Run: {spec.run_id}" not in entry[1]]
    workflows = any(path.startswith(WORKFLOWS) for path in repository.paths(head))
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
    return replace(seen, test_files=())


async def seen_tests(services: Services, spec: RunSpec, course: Course, commit: str) -> TestsSeen:
    """Once a tree: what a fix was proven with is what the next iteration sees."""
    await asyncio.to_thread(services.workspace(spec).ready, commit)
    tree = services.workspace(spec).repository.tree_of(commit)
    if isinstance(known := kept(services, spec, f"tests-{tree}", course.errors), TestsSeen):
        return replace(known, seconds=0.0)
    whole = await test(services, spec, f"tests-{course.number}", commit)
    red = sorted(whole.failed)
    only = red if spec.tests.select else []
    again = await test(services, spec, f"tests-{course.number}-red", commit, only=only) if red else None
    return keep(services, spec, f"tests-{tree}", tests_seen.settle(whole, again), course.errors)


@step("check_ci.v1")
async def check_ci(services: Services, spec: RunSpec, course: Course, sight: Sight) -> CiSeen | Hindrance:
    def question(forge: Forge) -> tuple[tuple[CiCheck, ...], dict[str, str]]:
        checks = forge.checks(sight.head)
        failed = [check for check in checks if check.state in ("fail", "cancelled")]
        return checks, {check.name: forge.log(check) if check.is_job else check.summary for check in failed[:LOGS]}

    answer = await ask(services, spec, question)
    if isinstance(answer, Hindrance):
        return answer
    checks, logs = answer
    already = {check.name: reruns(services, spec, sight.head, check.name) for check in checks}
    began = since(services, spec, sight.head)
    age_s = services.clock() - began
    awaited = sight.required
    if age_s < target(spec).limits.ci_grace_s:  # a quick check may be there before the others have begun
        awaited = tuple(dict.fromkeys((*sight.required, *last_checks(services, spec, sight.head, checks))))
    seen = ci.seen(
        checks,
        logs,
        required=awaited,
        expected=sight.expects_ci or bool(sight.required),
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
