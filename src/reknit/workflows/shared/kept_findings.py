"""Keeps the findings of reviewers as issues, so that the next review and `fix issues` know them."""

from collections.abc import Collection, Mapping, Sequence

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.errors import ReknitError
from reknit.core.issues.formats.agent_report import to_result
from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result, normalize_file
from reknit.core.issues.identity.matching import add_former_paths, follow_renames, match_results
from reknit.core.issues.import_summary import ImportSource
from reknit.core.issues.review_findings import (
    FindingSource,
    KeptFinding,
    get_identity,
    keep_findings,
    map_results_to_issues,
)
from reknit.core.runs.spec import RunSpec
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

WHO = "reknit"


def save_findings(
    services: Services, spec: RunSpec, source: FindingSource, findings: Sequence[ReportedFinding]
) -> tuple[KeptFinding, ...]:
    """Keep findings as issues. Call it inside a step: a second call of the same run changes nothing.

    The result is in the order of the findings. A finding about no file of the commit's tree is not kept, and none is
    if the run does not know its repository's name in the ledger. No issue becomes absent: a review reads a change only.
    """
    repository = services.workspace(spec).repository
    tree = frozenset(repository.paths(source.commit)) if findings and source.repository else frozenset()
    results = [(finding, to_result(source.tool, finding)) for finding in findings]
    placeable = [result for _, result in results if result.path in tree]
    if not placeable:
        return tuple(map(KeptFinding, findings))
    texts = {path: _text(repository, source.commit, path) for path in {result.path for result in placeable}}
    placed = [locate_result(result, result.path, texts[result.path]) for result in placeable]
    with services.issues.importing(source.repository, _import(services, spec, source, tree, texts)) as going:
        renames = _renames(repository, source.commit, tree, going.paths(), texts)
        before = follow_renames(going.find_known(add_former_paths(texts, renames)), renames)
        matched = match_results(before, placed)
        going.add(matched.new)
        going.record_sightings(matched.sightings)
        issues = map_results_to_issues(matched, before, going.find_known(list(texts)))
        in_order = [issues[get_identity(result)].id for result in placeable]
        return keep_findings(results, issues, going.label(in_order, source.prefix))


def keep_if_possible(
    services: Services, spec: RunSpec, source: FindingSource, findings: Sequence[ReportedFinding]
) -> tuple[KeptFinding, ...]:
    """Keep findings as issues; a ledger that cannot be written does not end a run that works without it."""
    try:
        return save_findings(services, spec, source, findings)
    except ReknitError:
        return tuple(map(KeptFinding, findings))


def _text(repository: TrustedRepository, commit: str, path: str) -> NormalizedFile | None:
    return normalize_file(repository.read(commit, path).encode("utf-8", "replace"))


def _import(
    services: Services, spec: RunSpec, source: FindingSource, tree: Collection[str], paths: Collection[str]
) -> ImportSource:
    repository = services.workspace(spec).repository
    # Only commits that may have resolved one of these: asking git about each takes time. A file may have been renamed.
    resolved = {
        commit: files
        for commit, files in services.issues.unmerged_files(source.repository).items()
        if any(file in paths or file not in tree for file in files)
    }
    # Nobody will merge a fix whose branch a person has deleted, so a finding that is seen again counts as not fixed.
    abandoned = repository.list_abandoned(spec.repository, list(resolved))
    in_history = [commit for commit in resolved if repository.is_ancestor(commit, source.commit)]
    landed = tuple(dict.fromkeys([*in_history, *abandoned]))
    elsewhere = [commit for commit in resolved if commit not in landed and repository.resolve(commit)]
    return ImportSource(
        tools=(source.tool,),
        names=(f"{spec.run_id} {source.tool} {source.commit}",),
        commit=source.commit,
        at=services.clock(),
        author=WHO,
        partial=(source.tool,),
        landed=landed,
        carried=frozenset(
            (commit, file)
            for commit in elsewhere
            for file in resolved[commit]
            if file in paths and repository.read(commit, file) == repository.read(source.commit, file)
        ),
        once=True,
    )


def _renames(
    repository: TrustedRepository,
    commit: str,
    tree: Collection[str],
    last_commits: Mapping[str, str],
    paths: Collection[str],
) -> dict[str, str]:
    """Map former path to path, for files that were renamed since their issues were last seen.

    `seen`: path -> the commit at which it was last seen.
    """
    if all(path in last_commits for path in paths):
        return {}
    missing_files = {path: last for path, last in last_commits.items() if path not in tree}
    renames: dict[str, str] = {}
    for last in dict.fromkeys(missing_files.values()):
        since = repository.renames(last, commit)
        renames |= {
            path: since[path] for path in missing_files if missing_files[path] == last and since.get(path) in paths
        }
    return renames
