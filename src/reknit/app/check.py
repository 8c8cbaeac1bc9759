"""Judges what is staged before it is committed: configuration, reviewer files, and the gate. Only reads the repository.

What is judged is the index, which is what the commit will have; the working tree may differ from it.
"""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.bounded.in_process import call_here
from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.staged_files import StagedRepository
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.config.waivers import RULES, waivers_of
from reknit.app.installation import Installation
from reknit.app.start.instructions.agent_files import FOLDER as AGENT_FILES
from reknit.app.start.instructions.agent_files import agent_files
from reknit.app.start.instructions.reviewer_files import FOLDER as REVIEWER_FILES
from reknit.app.start.instructions.reviewer_files import refuse_unknown_agents, reviewers
from reknit.app.start.projects import check_projects, own_files
from reknit.core.errors import UsageProblem
from reknit.core.gate.base_facts import facts_of
from reknit.core.gate.commit_check import for_commit
from reknit.core.gate.judge import judge, refuse_unread
from reknit.core.gate.mention_words import words_to_ask
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict, refuse_advised
from reknit.core.gate.waiver import Waivers
from reknit.core.repository.change import Change
from reknit.core.testing.command import TestCommand
from reknit.core.testing.projects.executed_files import executed_files
from reknit.core.text.work_limits import GATE_LIMITS, Unfinished


@dataclass(frozen=True)
class CommitCheck:
    verdict: GateVerdict
    waivers: Waivers


FIRST_COMMIT = CommitCheck(GateVerdict((), rules=(), files=0, added=0, removed=0), Waivers())
"""No rule ran: each compares with the commit before."""


def check_commit(place: Installation, folder: Path, flags: Mapping[str, Any]) -> CommitCheck:
    """Raises `UsageProblem` with file and line if a staged file of configuration or of a reviewer is wrong."""
    try:
        repository = replace(StagedRepository.find(str(folder)), index=_index(folder, place.environment))
    except UsageProblem as problem:
        if problem.name == "no-commit":
            return FIRST_COMMIT
        raise
    with temporary_folder("reknit-check-") as rules:
        written = _rule_files(repository)
        repository.write(written, rules)
        repository.write(_link_targets(Path(rules), written), rules)
        config = load(Path(rules), flags, place.environment)
        projects = check_projects(place, repository, config, Path(rules))
        refuse_unknown_agents(reviewers(Path(rules), place.environment), config)
        agent_files(Path(rules))
    change = repository.change()
    waivers = _waivers(place, repository.root, config, change)
    return CommitCheck(for_commit(_verdict(change, _scope(repository, change, config, projects, waivers))), waivers)


def _index(folder: Path, environment: Mapping[str, str]) -> str:
    """As git names it to its hooks, from where it starts them."""
    named = environment.get("GIT_INDEX_FILE", "")
    return str(folder / named) if named else ""


def _rule_files(repository: StagedRepository) -> list[str]:
    texts = (path for path in repository.tracked() if posixpath.dirname(path) in (AGENT_FILES, REVIEWER_FILES))
    return [*RULES, *own_files(repository), *texts]


def _link_targets(rules: Path, written: Sequence[str]) -> list[str]:
    """Files that have the rules, where a link stands in their place."""
    links = [path for path in written if (rules / path).is_symlink()]
    targets = (posixpath.join(posixpath.dirname(path), str((rules / path).readlink())) for path in links)
    return [target for target in map(posixpath.normpath, targets) if target not in written]


def _scope(
    repository: StagedRepository, change: Change, config: Config, projects: Sequence[TestCommand], waivers: Waivers
) -> Scope:
    """Return what a run would know, except where tests ran: none is run before a commit."""
    before = UserRepository(repository.root)
    tracked = before.tracked()
    facts = facts_of(change.paths, tracked, before.text)
    words = call_here(GATE_LIMITS, words_to_ask, change, facts)
    mentions = None if isinstance(words, Unfinished) else before.mentions(words)
    return Scope(
        findings_files=(),
        project_root="",
        changed_files=config.loop.changed_files,
        changed_lines=config.loop.changed_lines,
        runner=projects[0].runner if projects else "",
        started_files=executed_files(before.text, projects, tracked),
        waivers=waivers,
        facts=None if mentions is None else replace(facts, mentions=mentions),
    )


def _verdict(change: Change, scope: Scope) -> GateVerdict:
    """Advice refuses too: no test is run before a commit."""
    verdict = call_here(GATE_LIMITS, judge, change, scope)
    return refuse_unread(change, scope, verdict) if isinstance(verdict, Unfinished) else refuse_advised(verdict)


def _waivers(place: Installation, root: str, config: Config, change: Change) -> Waivers:
    """What the last commit forbids stays forbidden while its configuration is changed."""
    waivers = waivers_of(root, config)
    if not {*RULES} & {*change.paths}:
        return waivers
    return replace(waivers, forbidden=tuple(dict.fromkeys((*waivers.forbidden, *_forbidden_before(place, root)))))


def _forbidden_before(place: Installation, root: str) -> tuple[str, ...]:
    with temporary_folder("reknit-check-") as rules:
        for name, text in UserRepository(root).texts(RULES).items():
            Path(rules, name).write_text(text, "utf-8")
        try:
            return load(Path(rules), {}, place.environment).gate.forbid
        except UsageProblem:  # it was wrong before, and this commit may be what mends it
            return ()
