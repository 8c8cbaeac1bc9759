"""Turns `review` into a frozen run: which change, which reviewers, what is done with their findings. Spends nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.files.working_tree import refuse_unappendable
from reknit.adapters.git.review_range import range_of_branch
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.makers import forge_maker
from reknit.app.pulls.find import differing_head, find_pull, refuse_closed
from reknit.app.start.agent_settings import agent_settings, fixers, pull_reader
from reknit.app.start.fix_tests import uncommitted
from reknit.app.start.instructions.judges import judges_of
from reknit.app.start.instructions.reviewer_files import refuse_unknown_agents, reviewers
from reknit.app.start.new_spec import new_spec, with_projects
from reknit.app.start.projects import projects_to_test
from reknit.app.start.run_plan import RunPlan, start_notes
from reknit.app.start.signed_in_agents import signed_in
from reknit.app.start.uncommitted_work import commit_staged
from reknit.app.start.vote import NO_TESTS, refuse_stranger_without_sandbox
from reknit.app.start.workspace import new_run_id, refuse_branch_in_the_way
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.review_target import ReviewTarget
from reknit.core.agents.reviewer import Reviewer
from reknit.core.agents.reviewer_choice import choose
from reknit.core.errors import UsageProblem
from reknit.core.repository.uncommitted import kept_names
from reknit.core.review.progress_file.place import USUAL, choose_path
from reknit.core.runs.spec import RunSpec, beside
from reknit.core.text.format import counted, one_line
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.shared.forge_calls import fetch_heads, remote_of


@dataclass(frozen=True)
class ReviewRequest:
    names: tuple[str, ...] = ()
    """Of the reviewers; empty: all."""
    strict: bool = False
    report_only: bool = False
    staged: bool = False
    base: str = ""
    """What the branch is compared with; empty: the branch it will be merged into."""


def plan_review(place: Installation, folder: Path, wanted: ReviewRequest, flags: Mapping[str, Any]) -> RunPlan:
    repository = UserRepository.find(str(folder))
    root = Path(repository.root)
    config = load(root, flags, place.environment)
    progress = choose_path(_present(root), config.review.progress)
    refuse_unappendable(str(root), progress)
    if not wanted.report_only:
        refuse_branch_in_the_way(repository)
    run_id, head = new_run_id(), repository.head()
    if wanted.staged:
        base, since, about = commit_staged(place, repository, run_id), head, "what is staged"
    else:
        found = range_of_branch(repository, wanted.base)
        base, since, about = head, found.since, f"{found.name}...HEAD"
    changed = _changed(place, repository, run_id, since, base)
    with judges_of(place, repository, flags, typed_base=since if wanted.base else "") as judges:
        choice = choose(reviewers(judges.rules, place.environment), wanted.names, changed)
        notes = judges.note(repository.root, config)
    refuse_unknown_agents(choice.asked, judges.config)
    asked = _with_agents(place, judges.config, choice.asked)
    target = ReviewTarget(
        since=since,
        about=f"{about} ({counted(len(changed), 'file')})",
        reviewers=asked,
        skipped=tuple(reviewer.name for reviewer in choice.skipped),
        strict=wanted.strict,
        report_only=wanted.report_only,
        progress=progress,
        second=_second(judges.config, asked),
    )
    tests = None if wanted.report_only else projects_to_test(place, repository, config)
    commands = tests.tests if tests else [NO_TESTS]
    spec, _left_out = new_spec("review", repository, config, base, commands, fixers(config))
    spec = replace(spec, run_id=run_id, review=target, on_top_of=head if wanted.staged else "")
    spec = with_projects(spec, repository, tests) if tests else spec
    notes = (*notes, *(tests.notes if tests else ()))
    return RunPlan(*_with_notes(repository, spec, notes, staged=wanted.staged))


def list_reviewers(
    place: Installation, folder: Path, base: str, flags: Mapping[str, Any]
) -> tuple[tuple[Reviewer, ...], tuple[str, ...]]:
    """Return the reviewers that would be asked, and notes for people."""
    repository = UserRepository.find(str(folder))
    typed_base = range_of_branch(repository, base).since if base else ""
    with judges_of(place, repository, flags, typed_base=typed_base) as judges:
        return reviewers(judges.rules, place.environment), judges.note(repository.root, judges.config)


def plan_resumed_review(
    place: Installation, folder: Path, run_id: str, flags: Mapping[str, Any], *, strict: bool = False
) -> RunPlan:
    """Fixes what the progress file lists now; the reviewers of that run are not asked again."""
    repository = UserRepository.find(str(folder))
    earlier = _spec_of(place, run_id)
    if earlier.repository != repository.root:
        raise UsageProblem("another-repository", f"{run_id} reviewed {earlier.repository}", help="go there first")
    if earlier.review_target.pull:
        what = f"{run_id} reviewed a pull request: {earlier.review_target.pull}"
        raise UsageProblem("not-resumable", what, help="`reknit fix pr` repairs it")
    if earlier.on_top_of:
        what = f"{run_id} reviewed what was staged, which may have changed since"
        raise UsageProblem("not-resumable", what, help="commit it, then `reknit review`")
    config = load(Path(repository.root), flags, place.environment)
    refuse_unappendable(repository.root, earlier.review_target.progress)
    refuse_branch_in_the_way(repository)
    tests = projects_to_test(place, repository, config)
    spec, _left_out = new_spec("review", repository, config, earlier.base, tests.tests, fixers(config))
    before = earlier.review_target
    target = replace(before, strict=strict or before.strict, report_only=False, resumes=before.resumes or run_id)
    spec = with_projects(replace(spec, review=target), repository, tests)
    here, notes = repository.head(), tests.notes
    if here != spec.base:
        notes = (f"HEAD is at {here[:7]} now; {run_id} reviewed {spec.base[:7]}, and fixes are made there", *notes)
    return RunPlan(*_with_notes(repository, spec, notes, staged=False))


def plan_review_of_pull(
    place: Installation,
    folder: Path,
    pull_named: tuple[int | None, str],
    wanted: ReviewRequest,
    flags: Mapping[str, Any],
) -> RunPlan:
    """Reports only: to repair a pull request is what `fix pr` does. `pull_named`: number, and the repository's slug."""
    repository, (number, slug) = UserRepository.find(str(folder)), pull_named
    where, pull = find_pull(place, repository, load(None, flags, place.environment), number, slug, "reknit review --pr")
    refuse_closed(pull)
    with judges_of(place, repository, flags, pull_base=pull.base_sha) as judges:
        config, known = judges.config, reviewers(judges.rules, place.environment)
    refuse_stranger_without_sandbox(place, where, pull, config)
    run_id = new_run_id()
    trusted, forges = TrustedGit.open(str(place.runs / run_id / "trusted.git")), forge_maker(place.environment)
    head, tip = fetch_heads(trusted, lambda url: remote_of(forges, where, url), pull)
    if not head or not tip:
        raise UsageProblem("no-branch", f"the branches of {pull.url} are gone")
    since = trusted.merge_base(tip, head) or tip
    for name, commit in (("head", head), ("since", since)):
        trusted.keep(f"refs/reknit/{run_id}/{name}", commit)
    changed = trusted.change(since, head).paths
    choice = choose(known, wanted.names, changed)
    refuse_unknown_agents(choice.asked, config)
    target = ReviewTarget(
        since=since,
        about=f"#{pull.number} {one_line(pull.title)[:100]} ({counted(len(changed), 'file')})",
        reviewers=tuple((each, pull_reader(agent)) for each, agent in _with_agents(place, config, choice.asked)),
        skipped=tuple(reviewer.name for reviewer in choice.skipped),
        report_only=True,
        progress="",
        pull=pull.url,
    )
    spec, _left_out = new_spec("review", repository, config, head, [NO_TESTS], fixers(config))
    return RunPlan(replace(spec, run_id=run_id, review=target), tuple(differing_head(repository, pull, "reviewed")))


def _changed(place: Installation, repository: UserRepository, run_id: str, since: str, head: str) -> tuple[str, ...]:
    trusted = TrustedGit.open(str(place.runs / run_id / "trusted.git"))
    if not trusted.resolve(head):
        trusted.fetch(repository.root, head)
    paths = trusted.change(since, head).paths
    if not paths:
        raise UsageProblem("nothing-to-review", f"no file differs between {since[:7]} and {head[:7]}")
    return paths


def _spec_of(place: Installation, run_id: str) -> RunSpec:
    database = open_store(place.database)
    saved = SqlRunLedger(database).document(run_id, "spec")
    database.dispose()
    spec = CODEC.deserialize(saved) if saved else None
    if not isinstance(spec, RunSpec) or spec.review is None:
        raise UsageProblem("no-such-review", f"{run_id} is not a review", help="`reknit runs` lists the runs")
    return spec


def _with_notes(
    repository: UserRepository, spec: RunSpec, notes: Sequence[str], *, staged: bool
) -> tuple[RunSpec, tuple[str, ...]]:
    dirty = () if staged else tuple(path for path in uncommitted(repository) if path != spec.review_target.progress)
    spec = replace(spec, uncommitted=kept_names(dirty), uncommitted_count=len(dirty))
    skipped = [f"skipped, for other languages: {', '.join(spec.review_target.skipped)}"]
    unseen = beside(spec)
    return spec, (
        *start_notes(spec), *notes, *(skipped if spec.review_target.skipped else ()), *((unseen,) if unseen else ()),
    )  # fmt: skip


def _present(root: Path) -> tuple[str, ...]:
    return tuple(path for path in USUAL if (root / path).is_file())


def _with_agents(
    place: Installation, config: Config, asked: Sequence[Reviewer]
) -> tuple[tuple[Reviewer, AgentSettings], ...]:
    """Another vendor notices other things than the fixer; if none is signed in, the fixer itself reviews."""
    usual = agent_settings(config, config.review.agent or config.fixer)
    if not config.review.agent and any(not reviewer.agent for reviewer in asked):
        usual = next(signed_in(place, config, but=(usual.vendor,)), usual)
    chosen = ((each, agent_settings(config, each.agent) if each.agent else usual) for each in asked)
    return tuple((each, replace(agent, model=each.model or agent.model)) for each, agent in chosen)


def _second(config: Config, asked: Sequence[tuple[Reviewer, AgentSettings]]) -> AgentSettings | None:
    if not config.review.second_look:
        return None
    second = agent_settings(config, config.review.second_look)
    same = next((each.name for each, agent in asked if each.level == "blocking" and agent.vendor == second.vendor), "")
    if same:
        what = f"review.second_look is from the same vendor as the reviewer {same}, so it would agree with itself"
        raise UsageProblem("same-vendor", what, help="name an agent of another vendor")
    return second
