"""Comments, replies and reruns on GitHub. Each write checks first, so it happens once even if its answer got lost."""

from urllib.parse import quote

from reknit.adapters.github.api.graphql_models import OfNode, Thread
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.api.rest_models import CheckRun, CheckRuns, Comment
from reknit.adapters.github.checks import of_run
from reknit.adapters.github.comment_marker import has_mark, is_same, marked
from reknit.core.forge.values import CiCheck, ForgeError, ForgeFailure, Remark

_THREAD = """
query($id: ID!) {
  node(id: $id) { ... on PullRequestReviewThread {
    id isResolved
    comments(last: 100) {
      pageInfo { hasNextPage endCursor }
      nodes { author { __typename login } body }
    }
  } }
}"""
_REPLY = """
mutation($id: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: $body}) { comment { id } }
}"""
_RESOLVE = """
mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id } } }"""


def put_comment(api: GitHubApi, slug: str, number: int, me: str, key: str, body: str) -> str:
    text, path = marked(key, body), f"/repos/{slug}/issues/{number}/comments"
    with api.writing():
        own = _own_comment(api, path, me, key)
        if own is None:
            return api.write(Comment, "POST", path, {"body": text}).html_url
        if not is_same(own.body or "", text):
            api.write(Comment, "PATCH", f"/repos/{slug}/issues/comments/{own.id}", {"body": text})
        return own.html_url


def _own_comment(api: GitHubApi, path: str, me: str, key: str) -> Comment | None:
    """By marker and author: anyone can write the marker."""
    for _address, comments in api.items(tuple[Comment, ...], path, lambda read: read):
        for comment in comments:
            if comment.user and comment.user.login == me and has_mark(key, comment.body or ""):
                return comment
    return None


def answer_thread(api: GitHubApi, remark: Remark, me: str, key: str, body: str) -> None:
    asked = {"id": remark.id}
    with api.writing():
        thread = api.graphql(OfNode[Thread], _THREAD, asked).node
        if thread is None:
            raise ForgeError(ForgeFailure("missing", f"graphql: no thread {remark.id!r}"))
        said = [comment for comment in thread.comments.nodes if comment.author and comment.author.rest_login == me]
        if not any(has_mark(key, comment.body) for comment in said):
            api.graphql(dict[str, object], _REPLY, {**asked, "body": marked(key, body)})
        if not thread.is_resolved:
            api.graphql(dict[str, object], _RESOLVE, asked)


def run_again(api: GitHubApi, slug: str, check: CiCheck) -> None:
    if not check.is_job:
        raise ForgeError(ForgeFailure("forbidden", f"{check.name!r} is not a job that can be rerun"))
    with api.writing():
        run = api.get(CheckRun, f"/repos/{slug}/check-runs/{check.id}")
        if run.status == "completed" and not _has_successor(api, slug, run):
            _order(api, f"/repos/{slug}/actions/jobs/{run.id}/rerun")


def _has_successor(api: GitHubApi, slug: str, run: CheckRun) -> bool:
    """A rerun job is a new check run with the same name; the old one stays as it was."""
    path = f"/repos/{slug}/commits/{run.head_sha}/check-runs?check_name={quote(run.name, safe='')}&filter=latest"
    pages = api.items(CheckRuns, path, lambda read: read.check_runs)
    return any(other.id > run.id and of_run(other).is_job for _address, others in pages for other in others)


def _order(api: GitHubApi, path: str) -> None:
    try:
        api.order(path)
    except ForgeError as problem:
        if "already running" not in problem.failure.detail:
            raise
        # GitHub reruns a job only after its whole workflow has ended, so a later retry will succeed.
        raise ForgeError(ForgeFailure("unreachable", problem.failure.detail)) from None
