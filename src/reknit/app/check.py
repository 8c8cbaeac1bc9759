"""Judges staged changes before they are committed: configuration, reviewer files, and the gate.

It only reads the repository. It judges the index, which becomes the commit; the working tree may differ from it.
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
from reknit.app.config.load import RULES, Config, collect_waivers, load
from reknit.app.installation import Installation
from reknit.app.start.instructions.agent_files import AGENT_FOLDER as AGENT_FILES
from reknit.app.start.instructions.agent_files import read_agent_files
from reknit.app.start.instructions.judges import REVIEWER_FOLDER as REVIEWER_FILES
from reknit.app.start.instructions.judges import read_reviewers, refuse_unknown_agents
from reknit.app.start.projects import check_projects, list_own_files
from reknit.core.errors import UsageError
from reknit.core.gate.commit_check import keep_commit_rules
from reknit.core.gate.judge import judge, refuse_unread
from reknit.core.gate.mention_words import collect_words
from reknit.core.gate.scope import Scope, gather_facts
from reknit.core.gate.verdict import GateVerdict, refuse_advised
from reknit.core.gate.waiver import Waivers
from reknit.core.repository.change import Change
from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import find_executed_files
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork


@dataclass(frozen=True)
class CommitCheck:
    """The gate's verdict on the staged changes, and the waivers that applied."""

    verdict: GateVerdict
    waivers: Waivers


FIRST_COMMIT = CommitCheck(GateVerdict((), rules=(), files=0, added=0, removed=0), Waivers())
"""Result for a first commit: it has no parent, so no gate rule applies."""


def check_commit(installation: Installation, folder: Path, flags: Mapping[str, Any]) -> CommitCheck:
    """Judge the staged changes.

    Raise `UsageError` with file and line if a staged file of configuration or of a reviewer is wrong.
    """
    try:
        repository = replace(StagedRepository.find(str(folder)), index=_locate_index(folder, installation.environment))
    except UsageError as problem:
        if problem.name == "no-commit":
            return FIRST_COMMIT
        raise
    with temporary_folder("reknit-check-") as rules:
        rule_paths = _list_rule_files(repository)
        repository.write(rule_paths, rules)
        repository.write(_list_link_targets(Path(rules), rule_paths), rules)
        config = load(Path(rules), flags, installation.environment)
        projects = check_projects(installation, repository, config, Path(rules))
        refuse_unknown_agents(read_reviewers(Path(rules), installation.environment), config)
        read_agent_files(Path(rules))
    change = repository.change()
    waivers = _collect_waivers(installation, repository.root, config, change)
    return CommitCheck(
        keep_commit_rules(_judge_change(change, _make_scope(repository, change, config, projects, waivers))), waivers
    )


def _locate_index(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the path of the index that git names to its hooks, relative to their working folder."""
    index_path = environment.get("GIT_INDEX_FILE", "")
    return str(folder / index_path) if index_path else ""


def _list_rule_files(repository: StagedRepository) -> list[str]:
    texts = (path for path in repository.tracked() if posixpath.dirname(path) in (AGENT_FILES, REVIEWER_FILES))
    return [*RULES, *list_own_files(repository), *texts]


def _list_link_targets(rules: Path, rule_paths: Sequence[str]) -> list[str]:
    """List the targets of symlinked rule files."""
    links = [path for path in rule_paths if (rules / path).is_symlink()]
    targets = (posixpath.join(posixpath.dirname(path), str((rules / path).readlink())) for path in links)
    return [target for target in map(posixpath.normpath, targets) if target not in rule_paths]


def _make_scope(
    repository: StagedRepository, change: Change, config: Config, projects: Sequence[TestCommand], waivers: Waivers
) -> Scope:
    """Return the facts that a run would know, except where tests ran: none is run before a commit."""
    before = UserRepository(repository.root)
    tracked = before.tracked()
    facts = gather_facts(change.paths, tracked, before.text)
    words = call_here(GATE_LIMITS, collect_words, change, facts)
    mentions = None if isinstance(words, UnfinishedWork) else before.mentions(words)
    return Scope(
        findings_files=(),
        project_root="",
        changed_files=config.loop.changed_files,
        changed_lines=config.loop.changed_lines,
        runner=projects[0].runner if projects else "",
        started_files=find_executed_files(before.text, projects, tracked),
        waivers=waivers,
        facts=None if mentions is None else replace(facts, mentions=mentions),
    )


def _judge_change(change: Change, scope: Scope) -> GateVerdict:
    """Judge the change. Advice refuses too: no test is run before a commit."""
    verdict = call_here(GATE_LIMITS, judge, change, scope)
    return refuse_unread(change, scope, verdict) if isinstance(verdict, UnfinishedWork) else refuse_advised(verdict)


def _collect_waivers(installation: Installation, root: str, config: Config, change: Change) -> Waivers:
    """Return the waivers. Paths that the last commit forbids stay forbidden while its configuration changes."""
    waivers = collect_waivers(root, config)
    if not {*RULES} & {*change.paths}:
        return waivers
    return replace(
        waivers, forbidden=tuple(dict.fromkeys((*waivers.forbidden, *_read_forbidden_before(installation, root))))
    )


def _read_forbidden_before(installation: Installation, root: str) -> tuple[str, ...]:
    with temporary_folder("reknit-check-") as rules:
        for name, text in UserRepository(root).texts(RULES).items():
            Path(rules, name).write_text(text, "utf-8")
        try:
            return load(Path(rules), {}, installation.environment).gate.forbid
        except UsageError:  # it was wrong before, and this commit may be what mends it
            return ()
