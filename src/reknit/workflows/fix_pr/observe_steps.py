"""The steps of `fix pr` that look at the pull request, its tests and its CI. None of them writes to the forge."""

import asyncio
from dataclasses import replace

from reknit.core.checks import ci
from reknit.core.checks.status import CiResult, TestsResult
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.decision import count_round, list_failures
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.documents import to_ci_document, to_course_document, to_tests_document
from reknit.core.fix_pr.state import PullRunState, RoundMeasurement, Wait
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.permission import (
    FixBlocked,
    PullSnapshot,
    count_hop,
    find_fix_blocker,
    find_missing_branch,
    is_member,
)
from reknit.core.forge.values import Actor, CiCheck, ForgeError, ForgeFailure, Pull
from reknit.core.gate.stale_lock import find_lock_path, find_stale_lock
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import count_reruns, read_first_look, remember_check_names, remember_red_checks
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.forge_calls import ask_forge, fetch_pull, make_remote
from reknit.workflows.shared.saved_values import save_value
from reknit.workflows.shared.tests_check import run_tests_check

NOT_SHOWN = ("forbidden", "missing")
"""Failures that mean the forge does not show this to our identity; the run continues without it."""
LOGS = 5
"""Failed checks whose log is read; the first ones are the most informative."""
WORKFLOWS = (".github/workflows/", ".circleci/", ".travis.yml", "azure-pipelines.yml", ".buildkite/")


@step("look.v1")
async def look(services: Services, spec: RunSpec, state: PullRunState) -> PullSnapshot | ForgeFailure:
    """Look at the pull request. The head that git finds counts: the API may lag behind a push."""
    target = spec.task_as(FixPullRequest)
    holder = await asyncio.to_thread(services.ledger.claim, target.claim, spec.run_id)
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

    answer = await ask_forge(services, spec, question)
    if isinstance(answer, ForgeFailure):
        return answer
    pull, actor, may_push, required = answer
    barred = find_fix_blocker(pull, actor, slug=target.place.slug, may_push=may_push)
    if barred and barred.cause == "conflict":
        return save_value(services, spec, "sight", PullSnapshot(pull.head_sha, "", 1, barred, is_app=actor.is_app))
    if barred and not barred.read_only:
        return PullSnapshot("", "", 0, barred, is_app=actor.is_app)
    heads = await ask_forge(services, spec, lambda _: fetch_pull(services, spec, pull))
    if isinstance(heads, ForgeFailure):
        return heads
    snapshot = await asyncio.to_thread(_snapshot, services, spec, pull, heads)
    # A label approves one commit: it must be the one we work on, not the one the API knew a moment ago.
    fetched_pull, newest = (
        replace(pull, head_sha=snapshot.head),
        await asyncio.to_thread(find_newest_foreign_commit, services, spec, state, *heads),
    )
    barred = find_fix_blocker(fetched_pull, actor, slug=target.place.slug, may_push=may_push, beneath=newest)
    if not barred and snapshot.hop > target.limits.hops and not target.attended:
        barred = events.block_for_hops(pull, snapshot.hop - 1)
    if barred and barred.cause == "untrusted" and spec.box == "host":
        barred = replace(barred, read_only=False)  # a stranger's tests must not run with the user's rights
    by_label = not is_member(pull, actor)
    snapshot = replace(
        snapshot, barred=snapshot.barred or barred, required=required, is_app=actor.is_app, by_label=by_label
    )
    if not snapshot.head:
        return snapshot
    save_value(services, spec, "sight", snapshot)
    services.ledger.put_event(
        spec.run_id, f"i{state.number}-look-{snapshot.head}", events.report_look(state.number, pull, snapshot)
    )
    return snapshot


def _with_its_head(forge: Forge, pull: Pull) -> tuple[Pull, bool]:
    """Return the pull request, and whether we may push to its branch; its fork may be deleted in the meantime."""
    try:
        return pull, bool(pull.head_slug) and forge.may_push(pull.head_slug)
    except ForgeError as hindered:
        if hindered.failure.kind != "missing":
            raise
        return replace(pull, head_slug="", head_url=""), False


def _snapshot(services: Services, spec: RunSpec, pull: Pull, heads: tuple[str, str]) -> PullSnapshot:
    head, tip = heads
    if blocked := find_missing_branch(pull, heads):
        return PullSnapshot("", "", 0, blocked)
    repository = services.workspace(spec).repository
    repository.show(head)
    base = repository.merge_base(tip, head) or tip
    entries = repository.messages(tip, head)
    others = [entry for entry in entries if f"Reknit-Run: {spec.run_id}" not in entry[1]]
    # Of the base too: a pull request that removes CI must still pass it.
    workflows = any(path.startswith(WORKFLOWS) for path in (*repository.paths(head), *repository.paths(tip)))
    return PullSnapshot(
        head=head,
        base=base,
        hop=count_hop(others),
        head_ref=pull.head_ref,
        head_url=pull.head_url,
        base_ref=pull.base_ref,
        expects_ci=workflows,
    )


def find_newest_foreign_commit(services: Services, spec: RunSpec, state: PullRunState, head: str, base: str) -> str:
    """Return the newest commit that this run did not make, recognised by its id: anyone can write our trailers."""
    if not head or not base or head not in state.commits:
        return head
    entries = services.workspace(spec).repository.messages(base, head)
    return next((commit for commit, *_ in entries if commit not in state.commits), head)


@step("check_tests.v1", preemptible=True)
async def check_tests(services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot) -> TestsResult:
    """Run the tests of the head and save the result for `show`."""
    tests = await run_tests_once(services, spec, state, snapshot.head)
    services.ledger.put_document(spec.run_id, "check.tests", events.to_json(to_tests_document(tests)))
    services.ledger.put_event(
        spec.run_id, f"i{state.number}-tests-{snapshot.head}", events.report_tests(state.number, tests)
    )
    return replace(tests, test_files=(), passing=())


async def run_tests_once(services: Services, spec: RunSpec, state: PullRunState, commit: str) -> TestsResult:
    """Run the tests once per tree: the next iteration reuses the result that proved a fix."""
    return await run_tests_check(services, spec, f"tests-{state.number}", commit, state.errors)


def _with_lock_files(services: Services, spec: RunSpec, snapshot: PullSnapshot, result: CiResult) -> CiResult:
    """Name the lockfile that a failed check calls stale by its path."""
    if not any(find_stale_lock(finding.message) for finding in result.findings):
        return result
    services.workspace(spec).ensure_commits(snapshot.head)
    tracked = services.workspace(spec).repository.paths(snapshot.head)
    findings = (
        replace(finding, file=find_lock_path(name, tracked)) if (name := find_stale_lock(finding.message)) else finding
        for finding in result.findings
    )
    return replace(result, findings=tuple(findings))


@step("check_ci.v1")
async def check_ci(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> CiResult | ForgeFailure:
    """Ask the forge for the CI checks of the head."""

    def question(forge: Forge) -> tuple[tuple[CiCheck, ...], dict[str, str]]:
        checks = forge.checks(snapshot.head)
        failed = [check for check in checks if check.state in ("fail", "cancelled")]
        return checks, {check.name: forge.log(check) if check.is_job else check.summary for check in failed[:LOGS]}

    answer = await ask_forge(services, spec, question)
    if isinstance(answer, ForgeFailure):
        return CiResult("error", why=answer.detail) if answer.kind in NOT_SHOWN else answer
    checks, logs = answer
    before = remember_check_names(services, spec, snapshot.head, checks)
    already = {check.name: count_reruns(services, spec, snapshot.head, check.name) for check in checks}
    began = read_first_look(services, spec, snapshot.head)
    age_s = services.clock() - began
    awaited = tuple(dict.fromkeys((*snapshot.required, *remember_red_checks(services, spec, checks))))
    if age_s < spec.task_as(FixPullRequest).limits.ci_grace_s:  # a fast check may appear before the others have started
        awaited = tuple(dict.fromkeys((*awaited, *before)))
    result = ci.judge_ci(
        ci.CiObservation(checks, logs, already, age_s),
        required=awaited,
        expected=snapshot.expects_ci or bool(snapshot.required or before),
        limits=spec.task_as(FixPullRequest).limits,
    )
    result = await asyncio.to_thread(_with_lock_files, services, spec, snapshot, replace(result, age_s=age_s))
    services.ledger.put_document(spec.run_id, "check.ci", events.to_json(to_ci_document(result)))
    event = events.report_ci(state.number, result)
    services.ledger.put_event(spec.run_id, f"i{state.number}-ci-{snapshot.head}-{event.text}", event)
    return result


@step("measure.v1")
async def measure(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot
) -> RoundMeasurement:
    """Count the findings on lines that this run wrote, according to git."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, snapshot.head)
    places = [(finding.file, finding.line) for finding in list_failures(checks) if finding.file and finding.line]
    commits = await asyncio.to_thread(services.workspace(spec).repository.last_commits_of_lines, snapshot.head, places)
    own = sum(commit in state.commits for commit in commits)
    document = events.to_json(to_course_document(state, checks))
    services.ledger.put_document(spec.run_id, "course", document)
    seconds = checks.tests.seconds + checks.review.seconds
    return RoundMeasurement(count_round(state, checks, own), services.ledger.total_cost(spec.run_id), seconds)


@step("confirm.v1")
async def confirm(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, checks: ChecksSnapshot
) -> bool | ForgeFailure:
    """Check that nothing has changed: a review takes minutes, in which people push, comment and re-run checks."""

    def question(forge: Forge) -> bool:
        pull = forge.pull(spec.task_as(FixPullRequest).number)
        ci_now = forge.checks(snapshot.head)
        remark_ids = {finding.remark for finding in checks.review.findings if finding.remark}
        new = [remark for remark in forge.remarks(spec.task_as(FixPullRequest).number) if remark.id not in remark_ids]
        head = services.workspace(spec).repository.fetch_from(
            make_remote(services, spec, snapshot.head_url), [f"refs/heads/{snapshot.head_ref}"]
        )
        has_same_states = {check.name: check.state for check in ci_now} == {
            check.name: check.state for check in checks.ci.checks
        }
        return pull.state == "open" and list(head.values()) == [snapshot.head] and has_same_states and not new

    return await ask_forge(services, spec, question)


@step("poll.v1")
async def poll(
    services: Services, spec: RunSpec, checks: ChecksSnapshot, wait: Wait, count: int, *, hinted: bool
) -> tuple[bool, float]:
    """Return if everything must be looked at again: one request, mostly answered with `nothing new`.

    Also returns how long the commit has been known: a wait that a webhook ended early does not count in full.
    `hinted`: the forge reported that something happened, but not what.
    """

    def question(forge: Forge) -> bool:
        asks_for_pull = count % 4 == 3
        if (
            (hinted or not asks_for_pull)
            and forge.has_news(checks.head)
            and ci.may_change_decision(forge.checks(checks.head))
        ):
            return True
        if not hinted and not asks_for_pull:
            return False
        pull = forge.pull(spec.task_as(FixPullRequest).number)
        return pull.state != "open" or pull.head_sha != checks.head

    answer = await ask_forge(services, spec, question)
    news = answer.kind not in ("limited", "unreachable") if isinstance(answer, ForgeFailure) else answer
    if not news:
        until = services.clock() + wait.seconds
        services.ledger.set_waiting(spec.run_id, events.report_wait(wait, checks, until).text, until)
    began = read_first_look(services, spec, checks.head)
    return news, services.clock() - began
