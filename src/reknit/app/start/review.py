"""Turns `review` into a frozen run: the change, the reviewers, and the use of their findings. Spends nothing."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.files.working_tree import refuse_unappendable
from reknit.adapters.git.review_range import find_tip, range_of_branch
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.makers import make_forge_maker
from reknit.app.pulls.find import find_pull, note_differing_head, refuse_closed
from reknit.app.start.agents import find_signed_in_agents, get_agent_settings, list_fixers, set_pull_thinking
from reknit.app.start.fix_tests import list_uncommitted
from reknit.app.start.instructions.judges import checkout_judges, read_reviewers, refuse_unknown_agents
from reknit.app.start.new_spec import RunPlan, add_projects, make_spec, make_start_notes, refuse_branch_in_the_way
from reknit.app.start.projects import projects_to_test
from reknit.app.start.queue import new_run_id
from reknit.app.start.uncommitted_work import commit_staged
from reknit.app.start.vote import NO_TESTS, refuse_stranger_without_sandbox
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer, choose_reviewers
from reknit.core.errors import UsageError
from reknit.core.repository.uncommitted import PROGRESS_FILES, record_names
from reknit.core.review.progress_file.layout import choose_path
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec, UncommittedWork, warn_of_uncommitted
from reknit.core.text.format import pluralize, to_one_line
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.shared.forge_calls import build_remote, fetch_heads

MAX_AT_ONCE = 4
"""Maximum number of reviewers that read at the same time: each gets an equal part of the money that is left."""


@dataclass(frozen=True)
class ReviewRequest:
    """The options of a review."""

    names: tuple[str, ...] = ()
    """Names of the reviewers; empty: all."""
    strict: bool = False
    report_only: bool = False
    again: bool = False
    """Also try findings that an earlier run failed to fix."""
    staged: bool = False
    base: str = ""
    """Base of the comparison; empty: the branch that this one will be merged into."""


def plan_review(installation: Installation, folder: Path, request: ReviewRequest, flags: Mapping[str, Any]) -> RunPlan:
    """Plan a review of the branch or of the staged changes."""
    repository = UserRepository.find(str(folder))
    root = Path(repository.root)
    config = load(root, flags, installation.environment)
    progress = choose_path(_list_progress_files(root), config.review.progress)
    refuse_unappendable(str(root), progress)
    if not request.report_only:
        refuse_branch_in_the_way(repository)
    run_id, head = new_run_id(), repository.head()
    if request.staged:
        base, since, about = commit_staged(installation, repository, run_id), head, "what is staged"
    else:
        review_range = range_of_branch(repository, request.base)
        base, since, about = head, review_range.since, f"{review_range.name}...HEAD"
    changed = _list_changed_files(installation, repository, run_id, since, base)
    with checkout_judges(installation, repository, flags, typed_base=since if request.base else "") as judges:
        choice = choose_reviewers(read_reviewers(judges.rules, installation.environment), request.names, changed)
        notes = judges.note(repository.root, config)
    refuse_unknown_agents(choice.selected, judges.config)
    reviewers_with_agents = _assign_agents(installation, judges.config, choice.selected)
    target = ReviewChange(
        since=since,
        about=f"{about} ({pluralize(len(changed), 'file')})",
        reviewers=reviewers_with_agents,
        at_once=_count_at_once(),
        skipped=tuple(reviewer.name for reviewer in choice.skipped),
        strict=request.strict,
        report_only=request.report_only,
        again=request.again,
        progress=progress,
        second_look=config.review.second_look,
        second=_choose_second(judges.config, reviewers_with_agents),
    )
    tests = None if request.report_only else projects_to_test(installation, repository, config)
    commands = tests.tests if tests else [NO_TESTS]
    spec, _left_out = make_spec(target, repository, config, base, commands, list_fixers(config))
    spec = replace(spec, uncommitted=UncommittedWork(on_top_of=head if request.staged else ""), run_id=run_id)
    spec = add_projects(spec, repository, tests) if tests else spec
    notes = (*notes, *(tests.notes if tests else ()))
    return RunPlan(*_add_notes(repository, spec, notes, staged=request.staged))


def list_reviewers(
    installation: Installation, folder: Path, base: str, flags: Mapping[str, Any]
) -> tuple[tuple[Reviewer, ...], tuple[str, ...]]:
    """Return the reviewers that would be asked, and notes for people."""
    repository = UserRepository.find(str(folder))
    typed_base = range_of_branch(repository, base).since if base else ""
    with checkout_judges(installation, repository, flags, typed_base=typed_base) as judges:
        return read_reviewers(judges.rules, installation.environment), judges.note(repository.root, judges.config)


def plan_resumed_review(
    installation: Installation, folder: Path, run_id: str, flags: Mapping[str, Any], *, strict: bool = False
) -> RunPlan:
    """Plan fixes for the findings in the progress file; the reviewers of that run are not called again."""
    repository = UserRepository.find(str(folder))
    earlier = _read_review_spec(installation, run_id)
    if earlier.repository != repository.root:
        raise UsageError("another-repository", f"{run_id} reviewed {earlier.repository}", help="go there first")
    before = earlier.task_as(ReviewChange)
    if before.pull:
        message = f"{run_id} reviewed a pull request: {before.pull}"
        raise UsageError("not-resumable", message, help="`reknit fix pr` repairs it")
    if earlier.uncommitted.on_top_of:
        message = f"{run_id} reviewed what was staged, which may have changed since"
        raise UsageError("not-resumable", message, help="commit it, then `reknit review`")
    config = load(Path(repository.root), flags, installation.environment)
    refuse_unappendable(repository.root, before.progress)
    refuse_branch_in_the_way(repository)
    tests = projects_to_test(installation, repository, config)
    target = replace(before, strict=strict or before.strict, report_only=False, resumes=run_id)
    # On top of that run's fixes: a second look read them, and what it found may be in them.
    base = find_tip(repository, f"reknit/{run_id}") or earlier.base
    spec, _left_out = make_spec(target, repository, config, base, tests.tests, list_fixers(config))
    spec = add_projects(spec, repository, tests)
    here, notes = repository.head(), tests.notes
    if here != spec.base:
        notes = (f"HEAD is at {here[:7]}; {run_id} ended at {spec.base[:7]}, and fixes are made there", *notes)
    return RunPlan(*_add_notes(repository, spec, notes, staged=False))


def plan_review_of_pull(
    installation: Installation,
    folder: Path,
    pull_address: tuple[int | None, str],
    request: ReviewRequest,
    flags: Mapping[str, Any],
) -> RunPlan:
    """Plan a review of a pull request, which only reports: `fix pr` repairs.

    `pull_address`: the number, and the repository's slug.
    """
    repository, (number, slug) = UserRepository.find(str(folder)), pull_address
    forge_place, pull = find_pull(
        installation, repository, load(None, flags, installation.environment), number, slug, "reknit review --pr"
    )
    refuse_closed(pull)
    with checkout_judges(installation, repository, flags, pull_base=pull.base_sha) as judges:
        config, all_reviewers = judges.config, read_reviewers(judges.rules, installation.environment)
    refuse_stranger_without_sandbox(installation, forge_place, pull, config)
    run_id = new_run_id()
    trusted, forges = (
        TrustedGit.open(str(installation.runs / run_id / "trusted.git")),
        make_forge_maker(installation.environment),
    )
    head, tip = fetch_heads(trusted, lambda url: build_remote(forges, forge_place, url), pull)
    if not head or not tip:
        raise UsageError("no-branch", f"the branches of {pull.url} are gone")
    since = trusted.merge_base(tip, head) or tip
    for name, commit in (("head", head), ("since", since)):
        trusted.keep(f"refs/reknit/{run_id}/{name}", commit)
    changed = trusted.change(since, head).paths
    choice = choose_reviewers(all_reviewers, request.names, changed)
    refuse_unknown_agents(choice.selected, config)
    target = ReviewChange(
        since=since,
        about=f"#{pull.number} {to_one_line(pull.title)[:100]} ({pluralize(len(changed), 'file')})",
        reviewers=tuple(
            (reviewer, set_pull_thinking(agent))
            for reviewer, agent in _assign_agents(installation, config, choice.selected)
        ),
        at_once=_count_at_once(),
        skipped=tuple(reviewer.name for reviewer in choice.skipped),
        report_only=True,
        progress="",
        pull=pull.url,
    )
    spec, _left_out = make_spec(target, repository, config, head, [NO_TESTS], list_fixers(config))
    return RunPlan(replace(spec, run_id=run_id), tuple(note_differing_head(repository, pull, "reviewed")))


def _count_at_once() -> int:
    """Return how many agents this machine can run: two on each core, since they mostly wait, and one in each GiB."""
    memory_gib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**30
    return max(1, min(MAX_AT_ONCE, 2 * len(os.sched_getaffinity(0)), memory_gib))


def _list_changed_files(
    installation: Installation, repository: UserRepository, run_id: str, since: str, head: str
) -> tuple[str, ...]:
    trusted = TrustedGit.open(str(installation.runs / run_id / "trusted.git"))
    if not trusted.resolve(head):
        trusted.fetch(repository.root, head)
    paths = trusted.change(since, head).paths
    if not paths:
        raise UsageError("nothing-to-review", f"no file differs between {since[:7]} and {head[:7]}")
    return paths


def _read_review_spec(installation: Installation, run_id: str) -> RunSpec:
    database = open_store(installation.database)
    saved = SqlRunLedger(database).document(run_id, "spec")
    database.dispose()
    spec = CODEC.deserialize(saved) if saved else None
    if not isinstance(spec, RunSpec) or not isinstance(spec.task, ReviewChange):
        raise UsageError("no-such-review", f"{run_id} is not a review", help="`reknit runs` lists the runs")
    return spec


def _add_notes(
    repository: UserRepository, spec: RunSpec, notes: Sequence[str], *, staged: bool
) -> tuple[RunSpec, tuple[str, ...]]:
    task = spec.task_as(ReviewChange)
    dirty = () if staged else tuple(path for path in list_uncommitted(repository) if path != task.progress)
    spec = replace(spec, uncommitted=replace(spec.uncommitted, paths=record_names(dirty), count=len(dirty)))
    skipped = (f"skipped, for other languages: {', '.join(task.skipped)}",) if task.skipped else ()
    unseen = warn_of_uncommitted(spec)
    return spec, (*make_start_notes(spec), *notes, *skipped, *((unseen,) if unseen else ()))


def _list_progress_files(root: Path) -> tuple[str, ...]:
    return tuple(path for path in PROGRESS_FILES if (root / path).is_file())


def _assign_agents(
    installation: Installation, config: Config, selected: Sequence[Reviewer]
) -> tuple[tuple[Reviewer, AgentSettings], ...]:
    """Assign another vendor, which notices other things than the fixer; if none is signed in, the fixer itself."""
    usual = get_agent_settings(config, config.review.agent or config.fixer)
    if not config.review.agent and any(not reviewer.agent for reviewer in selected):
        usual = next(find_signed_in_agents(installation, config, but=(usual.vendor,)), usual)
    pairs = (
        (reviewer, get_agent_settings(config, reviewer.agent) if reviewer.agent else usual) for reviewer in selected
    )
    return tuple((reviewer, replace(agent, model=reviewer.model or agent.model)) for reviewer, agent in pairs)


def _choose_second(
    config: Config, reviewers_with_agents: Sequence[tuple[Reviewer, AgentSettings]]
) -> AgentSettings | None:
    if not config.review.second_opinion:
        return None
    second = get_agent_settings(config, config.review.second_opinion)
    same = next(
        (
            reviewer.name
            for reviewer, agent in reviewers_with_agents
            if reviewer.level == "blocking" and agent.vendor == second.vendor
        ),
        "",
    )
    if same:
        message = f"review.second_opinion is from the same vendor as the reviewer {same}, so it would agree with itself"
        raise UsageError("same-vendor", message, help="name an agent of another vendor")
    return second
