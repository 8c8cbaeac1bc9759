"""The steps of `fix pr` that look at the pull request, its tests and its CI. None of them writes to the forge."""

import asyncio
from dataclasses import replace

from reknit.core.causes.stale_lock import lock_path, stale_lock
from reknit.core.checks import ci
from reknit.core.checks.status import CiResult, TestsResult
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.decision import failing, round_of
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.documents import ci_document, course_document, tests_document
from reknit.core.fix_pr.state import PullRunState, RoundMeasurement, Wait
from reknit.core.forge.permission import FixBlocked, branch_gone, is_member, may_fix
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.run_chain import hop_of
from reknit.core.forge.values import Actor, CiCheck, ForgeError, ForgeFailure, Pull
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import last_checks, red_before, reruns, since
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.forge_calls import ask, fetch, remote
from reknit.workflows.shared.saved_values import save_value
from reknit.workflows.shared.tests_check import run_tests_check

NOT_SHOWN = ("forbidden", "missing")
"""Failures that mean the forge does not show this to our identity; the run continues without it."""
LOGS = 5
"""Failed checks whose log is read; the first ones are the most informative."""
WORKFLOWS = (".github/workflows/", ".circleci/", ".travis.yml", "azure-pipelines.yml", ".buildkite/")


@step("look.v1")
async def look(services: Services, spec: RunSpec, state: PullRunState) -> PullSnapshot | ForgeFailure:
    """The head that git finds counts: the API may lag behind a push."""
    target = spec.pull_target
    holder = await asyncio.to_thread(services.ledger.claim, target.key, spec.run_id)
    if holder != spec.run_id:
        return PullSnapshot(
            "", "", 0, FixBlocked("taken", f"{holder} works on this pull request: `reknit watch {holder}`")
        )

    def question(forge: Forge) -> tuple[Pull, Actor, bool, tuple[str, ...]]:
        pull, actor = forge.pull(target.number), forge.whoami()
        pull, allowed = _with_its_head(forge, pull)
        if pull.edits_allowed and not allowed and not actor.is_app:
            allowed = forge.may_push(target.place.slug)
        return pull, actor, allowed, forge.required(pull.base_ref)

    answer = await ask(services, spec, question)
    if isinstance(answer, ForgeFailure):
        return answer
    pull, actor, may_push, required = answer
    barred = may_fix(pull, actor, slug=target.place.slug, may_push=may_push)
    if barred and barred.cause == "conflict":
        return save_value(services, spec, "sight", PullSnapshot(pull.head_sha, "", 1, barred, is_app=actor.is_app))
    if barred and not barred.read_only:
        return PullSnapshot("", "", 0, barred, is_app=actor.is_app)
    heads = await ask(services, spec, lambda _: fetch(services, spec, pull))
    if isinstance(heads, ForgeFailure):
        return heads
    snapshot = await asyncio.to_thread(_snapshot, services, spec, pull, heads)
    # A label approves one commit: it must be the one we work on, not the one the API knew a moment ago.
    seen, beneath = (
        replace(pull, head_sha=snapshot.head),
        await asyncio.to_thread(newest_of_others, services, spec, state, *heads),
    )
    barred = may_fix(seen, actor, slug=target.place.slug, may_push=may_push, beneath=beneath)
    if not barred and snapshot.hop > target.limits.hops and not target.attended:
        barred = events.too_many_hops(pull, snapshot.hop - 1)
    if barred and barred.cause == "untrusted" and spec.box == "host":
        barred = replace(barred, read_only=False)  # a stranger's tests must not run with the user's rights
    by_label = not is_member(pull, actor)
    snapshot = replace(
        snapshot, barred=snapshot.barred or barred, required=required, is_app=actor.is_app, by_label=by_label
    )
    if not snapshot.head:
        return snapshot
    save_value(services, spec, "sight", snapshot)
    services.ledger.event(
        spec.run_id, f"i{state.number}-look-{snapshot.head}", events.looked(state.number, pull, snapshot)
    )
    return snapshot


def _with_its_head(forge: Forge, pull: Pull) -> tuple[Pull, bool]:
    """The pull request, and whether we may push to its branch. Its fork may have been deleted in the meantime."""
    try:
        return pull, bool(pull.head_slug) and forge.may_push(pull.head_slug)
    except ForgeError as hindered:
        if hindered.failure.kind != "missing":
            raise
        return replace(pull, head_slug="", head_url=""), False


def _snapshot(services: Services, spec: RunSpec, pull: Pull, heads: tuple[str, str]) -> PullSnapshot:
    head, tip = heads
    if gone := branch_gone(pull, heads):
        return PullSnapshot("", "", 0, gone)
    repository = services.workspace(spec).repository
    repository.show(head)
    base = repository.merge_base(tip, head) or tip
    told_by = repository.messages(tip, head)
    others = [entry for entry in told_by if f"Reknit-Run: {spec.run_id}" not in entry[1]]
    # Of the base too: a pull request that removes CI must still pass it.
    workflows = any(path.startswith(WORKFLOWS) for path in (*repository.paths(head), *repository.paths(tip)))
    return PullSnapshot(
        head=head,
        base=base,
        hop=hop_of(others),
        head_ref=pull.head_ref,
        head_url=pull.head_url,
        base_ref=pull.base_ref,
        expects_ci=workflows,
    )


def newest_of_others(services: Services, spec: RunSpec, state: PullRunState, head: str, base: str) -> str:
    """The newest commit that this run did not make, by its id: anyone can write our trailers."""
    if not head or not base or head not in state.commits:
        return head
    entries = services.workspace(spec).repository.messages(base, head)
    return next((commit for commit, *_ in entries if commit not in state.commits), head)


@step("check_tests.v1", preemptible=True)
async def check_tests(services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot) -> TestsResult:
    seen = await seen_tests(services, spec, state, snapshot.head)
    services.ledger.put_document(spec.run_id, "check.tests", events.as_json(tests_document(seen)))
    services.ledger.event(spec.run_id, f"i{state.number}-tests-{snapshot.head}", events.tests(state.number, seen))
    return replace(seen, test_files=(), passing=())


async def seen_tests(services: Services, spec: RunSpec, state: PullRunState, commit: str) -> TestsResult:
    """Once per tree: the next iteration reuses the result that proved a fix."""
    return await run_tests_check(services, spec, f"tests-{state.number}", commit, state.errors)


def _with_lock_files(services: Services, spec: RunSpec, snapshot: PullSnapshot, seen: CiResult) -> CiResult:
    """Names the lockfile that a failed check calls stale by its path."""
    if not any(stale_lock(finding.message) for finding in seen.findings):
        return seen
    services.workspace(spec).ready(snapshot.head)
    tracked = services.workspace(spec).repository.paths(snapshot.head)
    named = (
        replace(each, file=lock_path(name, tracked)) if (name := stale_lock(each.message)) else each
        for each in seen.findings
    )
    return replace(seen, findings=tuple(named))


@step("check_ci.v1")
async def check_ci(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> CiResult | ForgeFailure:
    def question(forge: Forge) -> tuple[tuple[CiCheck, ...], dict[str, str]]:
        checks = forge.checks(snapshot.head)
        failed = [check for check in checks if check.state in ("fail", "cancelled")]
        return checks, {check.name: forge.log(check) if check.is_job else check.summary for check in failed[:LOGS]}

    answer = await ask(services, spec, question)
    if isinstance(answer, ForgeFailure):
        return CiResult("error", why=answer.detail) if answer.kind in NOT_SHOWN else answer
    checks, logs = answer
    before = last_checks(services, spec, snapshot.head, checks)
    already = {check.name: reruns(services, spec, snapshot.head, check.name) for check in checks}
    began = since(services, spec, snapshot.head)
    age_s = services.clock() - began
    awaited = tuple(dict.fromkeys((*snapshot.required, *red_before(services, spec, checks))))
    if age_s < spec.pull_target.limits.ci_grace_s:  # a fast check may appear before the others have started
        awaited = tuple(dict.fromkeys((*awaited, *before)))
    seen = ci.seen(
        ci.CiObservation(checks, logs, already, age_s),
        required=awaited,
        expected=snapshot.expects_ci or bool(snapshot.required or before),
        limits=spec.pull_target.limits,
    )
    seen = await asyncio.to_thread(_with_lock_files, services, spec, snapshot, replace(seen, age_s=age_s))
    services.ledger.put_document(spec.run_id, "check.ci", events.as_json(ci_document(seen)))
    event = events.ci(state.number, seen)
    services.ledger.event(spec.run_id, f"i{state.number}-ci-{snapshot.head}-{event.text}", event)
    return seen


@step("measure.v1")
async def measure(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot
) -> RoundMeasurement:
    """Counts the findings on lines that this run wrote, according to git."""
    await asyncio.to_thread(services.workspace(spec).ready, snapshot.head)
    places = [(finding.file, finding.line) for finding in failing(checks) if finding.file and finding.line]
    commits = await asyncio.to_thread(services.workspace(spec).repository.last_commits_of_lines, snapshot.head, places)
    own = sum(commit in state.commits for commit in commits)
    document = events.as_json(course_document(state, checks))
    services.ledger.put_document(spec.run_id, "course", document)
    seconds = checks.tests.seconds + checks.review.seconds
    return RoundMeasurement(round_of(state, checks, own), services.ledger.spent(spec.run_id), seconds)


@step("confirm.v1")
async def confirm(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, checks: ChecksSnapshot
) -> bool | ForgeFailure:
    """Whether nothing has changed: a review takes minutes, in which people push, comment and re-run checks."""

    def question(forge: Forge) -> bool:
        pull = forge.pull(spec.pull_target.number)
        ci_now = forge.checks(snapshot.head)
        known = {finding.remark for finding in checks.review.findings if finding.remark}
        new = [remark for remark in forge.remarks(spec.pull_target.number) if remark.id not in known]
        head = services.workspace(spec).repository.fetch_from(
            remote(services, spec, snapshot.head_url), [f"refs/heads/{snapshot.head_ref}"]
        )
        still = {check.name: check.state for check in ci_now} == {check.name: check.state for check in checks.ci.checks}
        return pull.state == "open" and list(head.values()) == [snapshot.head] and still and not new

    return await ask(services, spec, question)


@step("poll.v1")
async def poll(
    services: Services, spec: RunSpec, checks: ChecksSnapshot, wait: Wait, count: int, *, hinted: bool
) -> tuple[bool, float]:
    """Whether to look at everything again: one request, mostly answered with `nothing new`.

    Also returns how long the commit has been known: a wait that a webhook ended early does not count in full.
    `hinted`: the forge reported that something happened, but not what.
    """

    def question(forge: Forge) -> bool:
        asks_for_pull = count % 4 == 3
        if (hinted or not asks_for_pull) and forge.has_news(checks.head) and ci.is_telling(forge.checks(checks.head)):
            return True
        if not hinted and not asks_for_pull:
            return False
        pull = forge.pull(spec.pull_target.number)
        return pull.state != "open" or pull.head_sha != checks.head

    answer = await ask(services, spec, question)
    news = answer.kind not in ("limited", "unreachable") if isinstance(answer, ForgeFailure) else answer
    if not news:
        until = services.clock() + wait.seconds
        services.ledger.waiting(spec.run_id, events.waiting(wait, checks, until).text, until)
    began = since(services, spec, checks.head)
    return news, services.clock() - began
