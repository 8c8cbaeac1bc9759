"""Writes comments, replies, reruns and reknit's own check run to GitHub.

Each write first checks if it was made already, because an answer may get lost. A marker identifies our comments.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote

from reknit.adapters.github.api.graphql_models import NodeAnswer, Thread
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.api.rest_models import CheckRun, CheckRuns, Comment
from reknit.adapters.github.checks import OWN, to_check
from reknit.core.errors import InternalError
from reknit.core.forge.values import Annotation, CheckReport, CiCheck, ForgeError, ForgeFailure, Remark

MAX_BODY_CHARS = 65_000
"""Maximum length of a comment; GitHub accepts 65,536 characters."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/#@-]{0,199}")
_ANY = re.compile(rf"\s*<!-- reknit:{_KEY.pattern} -->")
_CUT = "\n\n… (cut: too long for a comment)"


def make_marker(key: str) -> str:
    """Return the hidden first line of a comment with this key."""
    if not _KEY.fullmatch(key) or "--" in key:
        raise InternalError("comment-key", f"{key!r} cannot be the key of a comment")
    return f"<!-- reknit:{key} -->"


def add_marker(key: str, body: str) -> str:
    """Return the comment. The marker is its first line, where neither a quoted marker nor truncation matters."""
    text = f"{make_marker(key)}\n{body.strip()}"
    return text if len(text) <= MAX_BODY_CHARS else text[: MAX_BODY_CHARS - len(_CUT)] + _CUT


def has_mark(key: str, body: str) -> bool:
    """Return True if the comment has this key."""
    return body.lstrip().startswith(make_marker(key))


def is_marked(body: str) -> bool:
    """Return True if the comment has a marker with any key."""
    return _ANY.match(body) is not None


def is_same_text(one: str, other: str) -> bool:
    """Return True if two texts are the same; GitHub may return different line endings."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()


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
    """Create or edit the one comment with this key, and return its URL."""
    text, path = add_marker(key, body), f"/repos/{slug}/issues/{number}/comments"
    with api.writing():
        own = _find_own_comment(api, path, me, key)
        if own is None:
            return api.write(Comment, "POST", path, {"body": text}).html_url
        if not is_same_text(own.body or "", text):
            api.write(Comment, "PATCH", f"/repos/{slug}/issues/comments/{own.id}", {"body": text})
        return own.html_url


def _find_own_comment(api: GitHubApi, path: str, me: str, key: str) -> Comment | None:
    """Find a comment by marker and author: anyone can write the marker."""
    for _address, comments in api.items(tuple[Comment, ...], path, lambda read: read):
        for comment in comments:
            if comment.user and comment.user.login == me and has_mark(key, comment.body or ""):
                return comment
    return None


def answer_thread(api: GitHubApi, remark: Remark, me: str, key: str, body: str) -> None:
    """Reply once in the thread, and resolve it."""
    variables = {"id": remark.id}
    with api.writing():
        thread = api.graphql(NodeAnswer[Thread], _THREAD, variables).node
        if thread is None:
            raise ForgeError(ForgeFailure("missing", f"graphql: no thread {remark.id!r}"))
        own_comments = [
            comment for comment in thread.comments.nodes if comment.author and comment.author.rest_login == me
        ]
        if not any(has_mark(key, comment.body) for comment in own_comments):
            api.graphql(dict[str, object], _REPLY, {**variables, "body": add_marker(key, body)})
        if not thread.is_resolved:
            api.graphql(dict[str, object], _RESOLVE, variables)


def run_again(api: GitHubApi, slug: str, check: CiCheck) -> None:
    """Rerun a job unless it runs already."""
    if not check.is_job:
        raise ForgeError(ForgeFailure("forbidden", f"{check.name!r} is not a job that can be rerun"))
    with api.writing():
        run = api.get(CheckRun, f"/repos/{slug}/check-runs/{check.id}")
        if run.status == "completed" and not _has_successor(api, slug, run):
            _order_rerun(api, f"/repos/{slug}/actions/jobs/{run.id}/rerun")


def _has_successor(api: GitHubApi, slug: str, run: CheckRun) -> bool:
    """Return True if the job was rerun: that is a new check run with the same name; the old one stays as it was."""
    path = f"/repos/{slug}/commits/{run.head_sha}/check-runs?check_name={quote(run.name, safe='')}&filter=latest"
    pages = api.items(CheckRuns, path, lambda read: read.check_runs)
    return any(other.id > run.id and to_check(other).is_job for _address, others in pages for other in others)


def _order_rerun(api: GitHubApi, path: str) -> None:
    try:
        api.post(path)
    except ForgeError as problem:
        if "already running" not in problem.failure.detail:
            raise
        # GitHub reruns a job only after its whole workflow has ended, so a later retry will succeed.
        raise ForgeError(ForgeFailure("unreachable", problem.failure.detail)) from None


_ANNOTATIONS_PER_REQUEST = 50
"""Maximum annotations that GitHub accepts per request."""
_MAX_TITLE_CHARS = 255
_MAX_TEXT_CHARS = 60_000


def put_check(api: GitHubApi, slug: str, sha: str, report: CheckReport) -> None:
    """Create or update reknit's own check run for this key, and send its annotations once."""
    with api.writing():
        run = _find_own_run(api, slug, sha, report)
        batches = _split_annotations(run, report)
        if run is None:
            identification = {"name": report.name, "head_sha": sha, "external_id": OWN + report.key}
            first = {
                **identification,
                **_make_state(report),
                "output": _make_output(report, batches.pop(0) if batches else ()),
            }
            run = api.write(CheckRun, "POST", f"/repos/{slug}/check-runs", first)
        elif not _is_up_to_date(run, report):
            _update_run(api, slug, run, report, batches.pop(0) if batches else ())
        for batch in batches:
            _update_run(api, slug, run, report, batch)


def _split_annotations(run: CheckRun | None, report: CheckReport) -> list[Sequence[Annotation]]:
    """Return the annotations still to be sent, in batches.

    GitHub never removes one, so only the first report with annotations sends them. If it was interrupted, which leaves
    only full batches behind, it sends the rest.
    """
    sent_count = run.output.annotations_count if run else 0
    if sent_count and (sent_count % _ANNOTATIONS_PER_REQUEST or run is None or not _is_up_to_date(run, report)):
        return []
    return [
        report.annotations[start : start + _ANNOTATIONS_PER_REQUEST]
        for start in range(sent_count, len(report.annotations), _ANNOTATIONS_PER_REQUEST)
    ]


def _find_own_run(api: GitHubApi, slug: str, sha: str, report: CheckReport) -> CheckRun | None:
    path = f"/repos/{slug}/commits/{sha}/check-runs?check_name={quote(report.name, safe='')}&filter=all"
    for _address, runs in api.items(CheckRuns, path, lambda read: read.check_runs):
        for run in runs:
            if run.external_id == OWN + report.key:
                return run
    return None


def _is_up_to_date(run: CheckRun, report: CheckReport) -> bool:
    is_same_state = (run.conclusion or "") == report.conclusion and (run.status == "completed") == bool(
        report.conclusion
    )
    output = _make_output(report, ())
    return is_same_state and (run.output.title, run.output.summary) == (output["title"], output["summary"])


def _update_run(
    api: GitHubApi, slug: str, run: CheckRun, report: CheckReport, annotations: Sequence[Annotation]
) -> None:
    """Update the check run; GitHub appends the annotations to the existing ones."""
    body = {**_make_state(report), "output": _make_output(report, annotations)}
    api.write(CheckRun, "PATCH", f"/repos/{slug}/check-runs/{run.id}", body)


def _make_state(report: CheckReport) -> dict[str, object]:
    if not report.conclusion:
        return {"status": "in_progress"}
    return {"status": "completed", "conclusion": report.conclusion}


def _make_output(report: CheckReport, annotations: Sequence[Annotation]) -> dict[str, object]:
    texts: dict[str, object] = {"title": report.title[:_MAX_TITLE_CHARS], "summary": report.summary[:_MAX_TEXT_CHARS]}
    return (
        {**texts, "annotations": [_make_annotation(annotation) for annotation in annotations]} if annotations else texts
    )


def _make_annotation(annotation: Annotation) -> dict[str, object]:
    line = max(1, annotation.line)
    return {
        "path": annotation.file,
        "start_line": line,
        "end_line": line,
        "annotation_level": "failure",
        "title": annotation.title[:_MAX_TITLE_CHARS],
        "message": annotation.text[:_MAX_TEXT_CHARS],
    }
