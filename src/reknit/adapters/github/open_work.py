"""Open pull requests and issues of a repository, in at most three requests."""

from collections.abc import Iterable, Iterator, Sequence

from reknit.adapters.github.api.graphql_models import (
    Contexts,
    LabelName,
    Nodes,
    OfRepository,
    OpenIssueNode,
    OpenPage,
    OpenPullNode,
    RunContext,
    StatusContextNode,
    WithHead,
)
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.checks import ENDED, OWN, STATUS
from reknit.core.forge.open_work import UNNAMED_CHECK, OpenIssue, OpenPull, OpenWork
from reknit.core.forge.values import ForgeError, ForgeFailure
from reknit.core.text.format import words

_MOST_PAGES = 2
_MOST_NAMED = 50
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
# The checks themselves are asked for only where the summary is red, in a request of their own: for every pull request
# GitHub often runs into its limit of 10 s; beside `contexts`, `state` also counts runs that were replaced by newer
# ones; and a fine-grained token may read the summary but no check run, and would get nothing at all.
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
    pages = list(_pages(api, slug))
    pulls = {node.number: node for page in pages for node in page.pulls.nodes if node}
    issues = {node.number: node for page in pages for node in page.issues.nodes if node}
    red = _red_checks(api, [node for node in pulls.values() if node.rollup and node.rollup.state in _RED])
    total = pages[0].pulls.total + pages[0].issues.total
    return OpenWork(
        tuple(_pull(pulls[number], red.get(number, ())) for number in sorted(pulls)),
        tuple(_issue(issues[number]) for number in sorted(issues)),
        not_listed=max(0, total - len(pulls) - len(issues)),
    )


def _pages(api: GitHubApi, slug: str) -> Iterator[OpenPage]:
    """A list that ended before the other is asked for what follows its end: nothing."""
    owner, _, name = slug.partition("/")
    pulls: str | None = None
    issues: str | None = None
    for _number in range(_MOST_PAGES):
        asked = {"owner": owner, "name": name, "pulls": pulls, "issues": issues}
        page = api.graphql(OfRepository[OpenPage], _OPEN, asked).repository
        if page is None:
            raise ForgeError(ForgeFailure("missing", "graphql: no such repository"))
        yield page
        if not (page.pulls.info.has_next or page.issues.info.has_next):
            return
        pulls, issues = page.pulls.info.end, page.issues.info.end


def _red_checks(api: GitHubApi, red: Sequence[OpenPullNode]) -> dict[int, tuple[str, ...]]:
    """By number. What is red stays so even if its checks cannot be read; of many, the newest have names."""
    found: dict[int, tuple[str, ...]] = dict.fromkeys((node.number for node in red), (UNNAMED_CHECK,))
    if not red:
        return found
    try:
        ids = [node.id for node in red[:_MOST_NAMED]]
        read = api.graphql(Nodes[WithHead[Contexts]], _CHECKS, {"ids": ids}).nodes
    except ForgeError:
        return found
    return found | {node.number: _red_names(node.rollup) for node in read if node and node.number in found}


def _red_names(rollup: Contexts | None) -> tuple[str, ...]:
    if rollup is None:
        return (UNNAMED_CHECK,)
    found = rollup.contexts.nodes
    statuses = [context for context in found if isinstance(context, StatusContextNode)]
    names = {status.context for status in statuses if STATUS.get(status.state.lower(), "fail") == "fail"}
    runs = _newest(context for context in found if isinstance(context, RunContext))
    names |= {run.name for run in runs if _is_red(run)}
    if not names and rollup.contexts.info.has_next:
        return (UNNAMED_CHECK,)
    return tuple(sorted({words(name) for name in names}))


def _newest(runs: Iterable[RunContext]) -> Iterable[RunContext]:
    newest: dict[tuple[object, ...], RunContext] = {}
    for run in runs:
        known = newest.get(_source(run))
        if known is None or (run.id or 0) > (known.id or 0):
            newest[_source(run)] = run
    return newest.values()


def _source(run: RunContext) -> tuple[object, ...]:
    """What a newer run must share with one that it replaces."""
    started = run.suite.run
    workflow = (started.workflow.id, started.event) if started else ()
    return (run.name, run.suite.app and run.suite.app.slug, *workflow)


def _is_red(run: RunContext) -> bool:
    is_own = (run.external_id or "").startswith(OWN)
    return not is_own and run.status == "COMPLETED" and ENDED.get((run.conclusion or "").lower(), "fail") == "fail"


def _pull(node: OpenPullNode, red: tuple[str, ...]) -> OpenPull:
    return OpenPull(
        node.number,
        words(node.title),
        words(node.branch),
        node.draft,
        words(node.merge_state.lower()),
        red,
        node.files,
        node.additions + node.deletions,
        _labels(node.labels),
    )


def _issue(node: OpenIssueNode) -> OpenIssue:
    return OpenIssue(node.number, words(node.title), _labels(node.labels))


def _labels(found: Nodes[LabelName] | None) -> tuple[str, ...]:
    named: Iterable[LabelName] = filter(None, found.nodes) if found else ()
    return tuple(sorted({words(label.name) for label in named}))
