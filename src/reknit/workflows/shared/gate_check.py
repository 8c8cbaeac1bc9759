"""Runs the gate on a change, outside this process: it reads what an agent wrote."""

import asyncio
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from reknit.core.gate.judge import judge, refuse_unread
from reknit.core.gate.mention_words import collect_words
from reknit.core.gate.scope import BaseFacts, Scope, gather_facts
from reknit.core.gate.verdict import GateVerdict, refuse_advised, render_advice
from reknit.core.projects.dependencies import choose_manifests, find_dependencies
from reknit.core.projects.detect import find_project_root
from reknit.core.projects.find import find_project
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_below
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.entry_files import add_link_targets, find_executed_files
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

MAX_LOOKED_UP_FILES = 50
"""Changed files whose projects are looked up; a change that large is refused anyway."""


@dataclass(frozen=True)
class ProposedChange:
    """An agent's change, on top of the commit that it is compared with."""

    base: str
    after: str
    unsafe: tuple[tuple[str, str], ...] = ()
    test_files: tuple[str, ...] = ()
    """Files in which a test was seen before the change."""
    failing_file: str = ""
    """Limits the change to that file's project; empty: the whole repository."""
    batches: int = 1
    """Number of normal changes that this one may be as large as."""
    failure: str = ""
    """Message of the failing test before the change."""


async def ask_gate(services: Services, spec: RunSpec, proposed: ProposedChange) -> GateVerdict:
    """Judge a change. Advice refuses too, because nothing else checks its behaviour; so does an unfinished gate."""
    return refuse_advised((await _ask(services, spec, proposed))[0])


async def ask_gate_of_run(
    services: Services, spec: RunSpec, proposed: ProposedChange, whole: ProposedChange, *, keeps_advice: bool = False
) -> GateVerdict:
    """Judge the change, then `whole`, which includes earlier fixes: parts that pass must not add up to a cheat.

    `keeps_advice`: the caller checks how the change behaves, and decides whether advice refuses it.
    """
    verdict, paths = await _ask(services, spec, proposed)
    if verdict.is_accepted and whole.base != proposed.base:
        of_whole, _ = await _ask(services, spec, whole)
        # What landed before was advised about when it was judged.
        advice = (*verdict.advice, *(refusal for refusal in of_whole.advice if refusal.path in paths))
        verdict = replace(verdict, refusals=of_whole.refusals, advice=tuple(dict.fromkeys(advice)))
    return verdict if keeps_advice else refuse_advised(verdict)


async def collect_advice(services: Services, spec: RunSpec, proposed: ProposedChange) -> tuple[str, ...]:
    """Return the suspicions of the gate about a change, for an agent that judges it."""
    return render_advice((await _ask(services, spec, proposed))[0].advice)


async def _ask(services: Services, spec: RunSpec, proposed: ProposedChange) -> tuple[GateVerdict, frozenset[str]]:
    """Return the verdict, and the paths of the change."""
    repository, base = services.workspace(spec).repository, proposed.base
    tests = find_project(proposed.failing_file, spec.projects) or spec.tests
    change = await asyncio.to_thread(repository.change, base, proposed.after)
    tracked = await asyncio.to_thread(repository.paths, base)
    links = await asyncio.to_thread(repository.links, base)
    failing_file = proposed.failing_file
    root = find_project_root(failing_file, tracked) if failing_file else ""
    failing_text = await asyncio.to_thread(repository.read, base, failing_file) if failing_file else ""
    scope = Scope(
        findings_files=add_link_targets(proposed.test_files, links),
        project_root=root,
        changed_files=spec.limits.changed_files * proposed.batches,
        changed_lines=spec.limits.changed_lines * proposed.batches,
        runner=tests.runner,
        started_files=await asyncio.to_thread(
            find_executed_files, partial(repository.read, base), spec.projects, tracked
        ),
        also_in_reach=await asyncio.to_thread(_dependencies, repository, base, root, change.paths) if root else (),
        waivers=spec.waivers,
        facts=await collect_base_facts(services, repository, base, change),
        failure=proposed.failure,
        failing_text=failing_text,
    )
    change = replace(change, unsafe=proposed.unsafe)
    verdict = await services.calls.run(GATE_LIMITS, judge, change, scope)
    if isinstance(verdict, UnfinishedWork):
        verdict = refuse_unread(change, scope, verdict)
    return verdict, frozenset(change.paths)


async def collect_base_facts(
    services: Services, repository: TrustedRepository, base: str, change: Change
) -> BaseFacts | None:
    """Return None if they could not be collected: names of files and folders decide then."""
    tracked = await asyncio.to_thread(repository.paths, base)
    facts = await asyncio.to_thread(gather_facts, change.paths, tracked, partial(repository.read, base))
    words = await services.calls.run(GATE_LIMITS, collect_words, change, facts)
    if isinstance(words, UnfinishedWork):
        return None
    mentions = await asyncio.to_thread(repository.mentions, base, words)
    return None if mentions is None else replace(facts, mentions=mentions)


def _dependencies(repository: TrustedRepository, base: str, root: str, changed: Sequence[str]) -> tuple[str, ...]:
    """Return the folders of the projects that the one at `root` depends on, if a file outside of it was changed.

    The project at the top folder has every other one below it: of it, only the changed files themselves are in reach.
    """
    tracked = repository.paths(base)
    outside = {
        path: find_project_root(path, tracked) for path in changed[:MAX_LOOKED_UP_FILES] if not is_below(path, root)
    }
    if not outside:
        return ()
    manifests = choose_manifests(root, outside.values(), tracked)
    projects = {
        folder: {name: repository.read(base, posixpath.join(folder, name)) for name in names}
        for folder, names in manifests.items()
    }
    reached = find_dependencies(root, projects)
    at_the_top = [path for path, project in outside.items() if not project and "" in reached]
    return tuple(sorted({*reached - {""}, *at_the_top}))
