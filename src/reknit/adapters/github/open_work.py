"""Reads open pull requests and issues of a repository, in at most three requests."""

from collections.abc import Iterable, Iterator, Sequence

from reknit.adapters.github.api.graphql_models import (
    Contexts,
    LabelName,
    Nodes,
    OpenIssueNode,
    OpenPage,
    OpenPullNode,
    PullHead,
    RepositoryAnswer,
    RunContext,
    StatusContextNode,
)
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.checks import CONCLUSION_STATES, OWN, STATUS_STATES
from reknit.core.forge.values import UNNAMED_CHECK, ForgeError, ForgeFailure, OpenIssue, OpenPull, OpenWork
from reknit.core.text.format import sanitize_line

_MAX_PAGES = 2
_MAX_NAMED_PULLS = 50
_RED = frozenset({"FAILURE", "ERROR"})

_OPEN = """
query($owner: String!, $name: String!, $pulls: String, $issues: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(states: OPEN, first: 100, after: $pulls, orderBy: {field: CREATED_AT, direction: DESC}) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id number title headRefName isDraft mergeStateStatus additions deletions changedFiles
        labels(first: 100) { nodes { name } }
        commits(last: 1) { nodes { commit { statusCheckRollup { state } } } }
      }
    }
    issues(states: OPEN, first: 100, after: $issues, orderBy: {field: CREATED_AT, direction: DESC}) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { number title labels(first: 100) { nodes { name } } }
    }
  }
}"""
# The checks are a second request, and only for pull requests with a red summary, for three reasons. For all of them,
# GitHub often reaches its limit of 10 s. In one request with `contexts`, `state` also counts runs that newer ones have
# replaced. And a fine-grained token that may read the summary but no check run would get nothing at all.
_CHECKS = """
query($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on PullRequest {
      number
      commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 50) {
        pageInfo { hasNextPage endCursor }
        nodes {
          __typename
          ... on CheckRun {
            databaseId name status conclusion externalId
            checkSuite { app { slug } workflowRun { event workflow { databaseId } } }
          }
          ... on StatusContext { context state }
        }
      } } } } }
    }
  }
}"""


def read_open_work(api: GitHubApi, slug: str) -> OpenWork:
    """Return the open pull requests and issues, with the names of red checks."""
    pages = list(_read_pages(api, slug))
    pulls = {node.number: node for page in pages for node in page.pulls.nodes if node}
    issues = {node.number: node for page in pages for node in page.issues.nodes if node}
    red = _name_red_checks(api, [node for node in pulls.values() if node.rollup and node.rollup.state in _RED])
    total = pages[0].pulls.total + pages[0].issues.total
    return OpenWork(
        tuple(_to_pull(pulls[number], red.get(number, ())) for number in sorted(pulls)),
        tuple(_to_issue(issues[number]) for number in sorted(issues)),
        unlisted_count=max(0, total - len(pulls) - len(issues)),
    )


def _read_pages(api: GitHubApi, slug: str) -> Iterator[OpenPage]:
    """Yield the pages of both lists. The shorter list ends first; its later pages are empty."""
    owner, _, name = slug.partition("/")
    pulls: str | None = None
    issues: str | None = None
    for _number in range(_MAX_PAGES):
        variables = {"owner": owner, "name": name, "pulls": pulls, "issues": issues}
        page = api.graphql(RepositoryAnswer[OpenPage], _OPEN, variables).repository
        if page is None:
            raise ForgeError(ForgeFailure("missing", "graphql: no such repository"))
        yield page
        if not (page.pulls.info.has_next or page.issues.info.has_next):
            return
        pulls, issues = page.pulls.info.end, page.issues.info.end


def _name_red_checks(api: GitHubApi, red: Sequence[OpenPullNode]) -> dict[int, tuple[str, ...]]:
    """Return number -> names of red checks; `UNNAMED_CHECK` if the checks cannot be read."""
    names: dict[int, tuple[str, ...]] = dict.fromkeys((node.number for node in red), (UNNAMED_CHECK,))
    if not red:
        return names
    try:
        ids = [node.id for node in red[:_MAX_NAMED_PULLS]]
        read = api.graphql(Nodes[PullHead[Contexts]], _CHECKS, {"ids": ids}).nodes
    except ForgeError:
        return names
    return names | {node.number: _list_red_names(node.rollup) for node in read if node and node.number in names}


def _list_red_names(rollup: Contexts | None) -> tuple[str, ...]:
    if rollup is None:
        return (UNNAMED_CHECK,)
    contexts = rollup.contexts.nodes
    statuses = [context for context in contexts if isinstance(context, StatusContextNode)]
    names = {status.context for status in statuses if STATUS_STATES.get(status.state.lower(), "fail") == "fail"}
    runs = _select_newest(context for context in contexts if isinstance(context, RunContext))
    names |= {run.name for run in runs if _is_red(run)}
    if not names and rollup.contexts.info.has_next:
        return (UNNAMED_CHECK,)
    return tuple(sorted({sanitize_line(name) for name in names}))


def _select_newest(runs: Iterable[RunContext]) -> Iterable[RunContext]:
    newest: dict[tuple[object, ...], RunContext] = {}
    for run in runs:
        previous = newest.get(_run_identity(run))
        if previous is None or (run.id or 0) > (previous.id or 0):
            newest[_run_identity(run)] = run
    return newest.values()


def _run_identity(run: RunContext) -> tuple[object, ...]:
    """Return a key that a run shares with newer runs that replace it."""
    started = run.suite.run
    workflow = (started.workflow.id, started.event) if started else ()
    return (run.name, run.suite.app and run.suite.app.slug, *workflow)


def _is_red(run: RunContext) -> bool:
    is_own = (run.external_id or "").startswith(OWN)
    return (
        not is_own
        and run.status == "COMPLETED"
        and CONCLUSION_STATES.get((run.conclusion or "").lower(), "fail") == "fail"
    )


def _to_pull(node: OpenPullNode, red: tuple[str, ...]) -> OpenPull:
    return OpenPull(
        node.number,
        sanitize_line(node.title),
        sanitize_line(node.branch),
        node.draft,
        sanitize_line(node.merge_state.lower()),
        red,
        node.files,
        node.additions + node.deletions,
        _list_labels(node.labels),
    )


def _to_issue(node: OpenIssueNode) -> OpenIssue:
    return OpenIssue(node.number, sanitize_line(node.title), _list_labels(node.labels))


def _list_labels(label_nodes: Nodes[LabelName] | None) -> tuple[str, ...]:
    labels: Iterable[LabelName] = filter(None, label_nodes.nodes) if label_nodes else ()
    return tuple(sorted({sanitize_line(label.name) for label in labels}))
