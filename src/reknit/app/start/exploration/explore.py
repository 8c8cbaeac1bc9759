"""Explores a repository without a model: nothing of it is run, and the same commit and date give the same value."""

from datetime import date
from pathlib import Path

from reknit.adapters.files.first_bytes import first_bytes
from reknit.adapters.git.exploration.history import branch_changes, default_branch, last_commits
from reknit.adapters.git.user_repository import MAX_DIRTY, UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.pulls.open_work import open_work_of
from reknit.app.start.exploration.inventory import take_inventory
from reknit.app.start.exploration.parts import Parts
from reknit.app.start.exploration.tracked import TrackedFiles, look_at_tracked
from reknit.core.errors import ReknitError, problem_of
from reknit.core.forge.open_work import OpenWork
from reknit.core.planning.context import Doc, RepoContext
from reknit.core.planning.exploration.doc_age import stale, state_age_days
from reknit.core.planning.exploration.docs import doc_of
from reknit.core.planning.exploration.history import commits_of, size_of
from reknit.core.planning.exploration.plan_index import references
from reknit.core.planning.plan_file.plan import INDEX
from reknit.core.text.format import words

STAGE = "exploration"
OWN = ".reknit/"
NO_SETTINGS = "it was not asked, because the settings cannot be read"
_INDEX_BYTES = 64 * 1024


def explore(place: Installation, folder: Path, as_of: date) -> RepoContext:
    """Raises only if there is no git, no repository or no commit; any other part that fails is empty, and says why."""
    repository = _repository(folder)
    root, parts = repository.root, Parts(place, repository.root)
    unknown: Config | None = None
    config = parts.look("settings", lambda: load(Path(root), {}, place.environment), unknown)
    tracked = parts.look("files", lambda: look_at_tracked(root), TrackedFiles())
    default, why = parts.look("default branch", lambda: default_branch(root), ("", ""))
    files, lines = parts.look("branch", lambda: size_of(branch_changes(root, default)), (0, 0))
    nothing: tuple[str, ...] | None = None
    changed = parts.look("status", lambda: _changed(repository), nothing)
    no_plans: tuple[Doc | None, tuple[str, ...]] = (None, ())
    index, plans = parts.look("plans", lambda: _plans(root), no_plans)
    inventory = take_inventory(place, repository, config or Config(), tracked.near, parts)
    # Settings that cannot be read may name another forge: a token is sent to none then.
    work, has_login, silence = open_work_of(place, repository, config) if config else (OpenWork(), False, NO_SETTINGS)
    return RepoContext(
        as_of=as_of.isoformat(),
        branch=words(repository.branch()),
        default_branch=words(default),
        default_branch_problem=why,
        commits=parts.look("commits", lambda: commits_of(last_commits(root)), ()),
        changed=changed or (),
        status_known=changed is not None,
        branch_files=files,
        branch_lines=lines,
        docs=tracked.docs,
        docs_not_listed=tracked.docs_not_listed,
        docs_stale=stale(tracked.docs, as_of),
        docs_missing=tracked.docs_missing,
        state_age_days=state_age_days(tracked.docs, as_of),
        plans_index=index is not None,
        plans_index_frontmatter=index.frontmatter if index else (),
        plans=plans,
        forge_login=has_login,
        forge_problem=parts.shown(silence),
        pulls=work.pulls,
        issues=work.issues,
        not_listed=work.not_listed,
        inventory=inventory,
        languages=tracked.languages,
        governance_missing=tracked.governance_missing,
        configured="reknit.toml" in tracked.near,
        problems=(*parts.problems, *((f"{INDEX}: {index.problem}",) if index and index.problem else ())),
    )


def _repository(folder: Path) -> UserRepository:
    try:
        return UserRepository.find(str(folder))
    except ReknitError as problem:
        what = f"{STAGE}: {problem.what}"
        raise problem_of(problem.exit_code, problem.name, what, problem.help, problem.where) from None


def _changed(repository: UserRepository) -> tuple[str, ...]:
    """git names a new folder, not what is in it; of reknit's own, rules have to know the files."""
    changed = {*repository.dirty()}
    own = repository.untracked_in(OWN)[:MAX_DIRTY] if OWN in changed else ()
    return tuple(sorted(map(words, (changed - {OWN}).union(own))))


def _plans(root: str) -> tuple[Doc | None, tuple[str, ...]]:
    """The index, and the files there that it refers to; a plan need not be tracked."""
    begun = first_bytes(root, [INDEX], _INDEX_BYTES).get(INDEX)
    if begun is None:
        return None, ()
    text = begun.decode("utf-8", "replace") if isinstance(begun, bytes) else ""
    there = first_bytes(root, references(text), 1)
    return doc_of(INDEX, begun), tuple(path for path, raw in there.items() if isinstance(raw, bytes))
