"""Reads unresolved feedback on a pull request: open threads, and reviews that request changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from reknit.adapters.github.api.graphql_models import (
    Author,
    Page,
    PullAnswer,
    PullReviews,
    PullThreads,
    RepositoryAnswer,
    ReviewNode,
    Thread,
)
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.comments import is_marked
from reknit.core.forge.values import ForgeError, ForgeFailure, Remark
from reknit.core.text.redact import strip_hidden

T = TypeVar("T")

_MAX_TEXT_CHARS = 20_000
_MAX_PAGES = 10
_OPINIONS = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
"""Review states that replace an earlier opinion. A review that only comments withdraws nothing."""

_PULL = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { %s } }
}"""
_THREADS = (
    _PULL
    % """
  reviewThreads(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id isResolved isOutdated path line
      comments(first: 50) {
        pageInfo { hasNextPage endCursor }
        nodes { author { __typename login } authorAssociation body url }
      }
    }
  }"""
)
_REVIEWS = (
    _PULL
    % """
  reviews(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { id state author { __typename login } authorAssociation body url }
  }"""
)


def read_remarks(api: GitHubApi, slug: str, number: int) -> tuple[Remark, ...]:
    """Return the feedback, except comments with reknit's marker: their author may be the user, whose login we use."""
    threads = (_thread_to_remark(thread) for thread in _read_threads(api, slug, number))
    reviews = (_review_to_remark(review) for review in _last_opinions(_read_reviews(api, slug, number)))
    return tuple(remark for remark in (*threads, *reviews) if remark is not None)


def _thread_to_remark(thread: Thread) -> Remark | None:
    """Convert a thread; None if it is closed. A reply of reknit does not close a thread, but resolving it does."""
    if thread.is_resolved or thread.is_outdated or not thread.comments.nodes:
        return None
    first = thread.comments.nodes[0]
    if is_marked(first.body):
        return None
    # Leave out other people's comments: their text must not appear under a trusted name.
    own = [
        comment for comment in thread.comments.nodes if comment.author == first.author and not is_marked(comment.body)
    ]
    texts = [strip_hidden(comment.body) for comment in own]
    return Remark(
        id=thread.id,
        kind="thread",
        author=_display_name(first.author),
        is_bot=first.author is not None and first.author.is_bot,
        association=first.association,
        text="\n\n".join(text for text in texts if text)[:_MAX_TEXT_CHARS],
        file=thread.path,
        line=thread.line or 0,
        url=first.url,
    )


def _review_to_remark(review: ReviewNode) -> Remark | None:
    text = strip_hidden(review.body)[:_MAX_TEXT_CHARS]
    if review.state != "CHANGES_REQUESTED":
        return None
    return Remark(
        id=review.id,
        kind="review",
        author=_display_name(review.author),
        is_bot=review.author is not None and review.author.is_bot,
        association=review.association,
        text=text,
        url=review.url,
    )


def _last_opinions(reviews: Iterable[ReviewNode]) -> Iterable[ReviewNode]:
    """Return the last opinion of each author; GitHub lists reviews oldest first."""
    last: dict[str, ReviewNode] = {}
    for review in reviews:
        if review.state in _OPINIONS and not is_marked(review.body):
            last[_login_of(review.author)] = review
    return last.values()


def _read_threads(api: GitHubApi, slug: str, number: int) -> Iterator[Thread]:
    def ask(after: str | None) -> Page[Thread]:
        return _require_pull(
            api.graphql(RepositoryAnswer[PullAnswer[PullThreads]], _THREADS, _make_variables(slug, number, after))
        ).threads

    return _read_all(ask)


def _read_reviews(api: GitHubApi, slug: str, number: int) -> Iterator[ReviewNode]:
    def ask(after: str | None) -> Page[ReviewNode]:
        return _require_pull(
            api.graphql(RepositoryAnswer[PullAnswer[PullReviews]], _REVIEWS, _make_variables(slug, number, after))
        ).reviews

    return _read_all(ask)


def _read_all(ask: Callable[[str | None], Page[T]]) -> Iterator[T]:
    after: str | None = None
    for _number in range(_MAX_PAGES):
        page = ask(after)
        yield from page.nodes
        if not page.info.has_next:
            return
        after = page.info.end
    raise ForgeError(ForgeFailure("forbidden", "more threads or reviews than can be read"))


def _require_pull(read: RepositoryAnswer[PullAnswer[T]]) -> T:
    if read.repository is None or read.repository.pull is None:
        raise ForgeError(ForgeFailure("missing", "graphql: no such pull request"))
    return read.repository.pull


def _make_variables(slug: str, number: int, after: str | None) -> dict[str, object]:
    owner, _, name = slug.partition("/")
    return {"owner": owner, "name": name, "number": number, "after": after}


def _login_of(author: Author | None) -> str:
    return author.rest_login if author else ""


def _display_name(author: Author | None) -> str:
    return author.login if author else "ghost"
