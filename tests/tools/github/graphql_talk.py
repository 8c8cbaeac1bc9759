"""GraphQL: what was said about a pull request: comments, reviews and threads."""

from tests.tools.github.graphql_objects import Arguments, Node, actor, comment_node, connection, label_node
from tests.tools.github.talk import place_of
from tests.tools.github.tokens import Person
from tests.tools.github.world import Comment, Pull, Repository, Review, Thread, World


class TalkNodes:
    def __init__(self, world: World, repository: Repository, viewer: Person) -> None:
        self.world, self.repository, self.viewer = world, repository, viewer

    def pull_node(self, pull: Pull) -> Node:
        raise NotImplementedError

    def repository_node(self) -> Node:
        raise NotImplementedError

    def talk(self, pull: Pull) -> Node:
        opinions = [review for review in pull.reviews if review.state in ("APPROVED", "CHANGES_REQUESTED")]
        latest = {review.author: review for review in opinions}
        words = {review.state for review in latest.values()}
        verdict = next((word for word in ("CHANGES_REQUESTED", "APPROVED") if word in words), None)
        return {
            "comments": connection([self.comment(pull, comment) for comment in pull.comments]),
            "reviews": lambda arguments: self._reviews(pull, arguments),
            "latestOpinionatedReviews": connection([self.review_node(pull, each) for each in latest.values()]),
            "latestReviews": connection(
                [self.review_node(pull, each) for each in {each.author: each for each in pull.reviews}.values()]
            ),
            "reviewDecision": verdict,
            "reviewThreads": connection([self.thread_node(pull, thread) for thread in pull.threads]),
            "labels": connection([label_node(name) for name in pull.labels]),
        }

    def comment(self, pull: Pull, comment: Comment) -> Node:
        node = comment_node(self.world, self.repository, pull, comment, self.viewer)
        return node | {"issue": None, "pullRequest": lambda _: self.pull_node(pull)}

    def _reviews(self, pull: Pull, arguments: Arguments) -> Node:
        states = arguments.get("states")
        found = [review for review in pull.reviews if not states or review.state in states]
        return connection([self.review_node(pull, review) for review in found])(arguments)

    def review_node(self, pull: Pull, review: Review) -> Node:
        page = f"{self.world.url}/{self.repository.slug}/pull/{pull.number}#pullrequestreview-{review.id}"
        said = [(thread, each) for thread in pull.threads for each in thread.comments if each.review == review.id]
        return {
            "__typename": "PullRequestReview",
            "id": f"PRR_{review.id}",
            "databaseId": review.id,
            "fullDatabaseId": str(review.id),
            "author": actor(self.world, review.author),
            "authorAssociation": review.association,
            "authorCanPushToRepository": review.author.login in self.repository.writers,
            "state": review.state,
            "body": review.body,
            "bodyText": review.body,
            "submittedAt": review.at,
            "createdAt": review.at,
            "publishedAt": review.at,
            "updatedAt": review.at,
            "includesCreatedEdit": False,
            "isMinimized": False,
            "minimizedReason": None,
            "reactionGroups": [],
            "url": page,
            "commit": {"oid": review.commit},
            "comments": lambda arguments: connection([self.line_comment(pull, thread, each) for thread, each in said])(
                arguments
            ),
        }

    def thread_node(self, pull: Pull, thread: Thread) -> Node:
        line = place_of(self.repository, pull, thread)
        resolved = thread.resolved_by
        return {
            "__typename": "PullRequestReviewThread",
            "id": f"PRRT_{thread.id}",
            "isResolved": resolved is not None,
            "resolvedBy": resolved and actor(self.world, resolved),
            "isOutdated": not line,
            "isCollapsed": resolved is not None or not line,
            "path": thread.file,
            "line": line or None,
            "originalLine": thread.line,
            "startLine": None,
            "originalStartLine": None,
            "diffSide": "RIGHT",
            "startDiffSide": None,
            "subjectType": "LINE",
            "comments": connection([self.line_comment(pull, thread, each) for each in thread.comments]),
            "viewerCanReply": True,
            "viewerCanResolve": resolved is None and self.world.may_push(self.viewer, self.repository),
            "viewerCanUnresolve": resolved is not None and self.world.may_push(self.viewer, self.repository),
            "pullRequest": lambda _: self.pull_node(pull),
            "repository": lambda _: self.repository_node(),
        }

    def line_comment(self, pull: Pull, thread: Thread, comment: Comment) -> Node:
        line = place_of(self.repository, pull, thread)
        first = thread.comments[0]
        around = next(review for review in pull.reviews if review.id == comment.review)
        return self.comment(pull, comment) | {
            "path": thread.file,
            "line": line or None,
            "originalLine": thread.line,
            "startLine": None,
            "originalStartLine": None,
            "outdated": not line,
            "state": "SUBMITTED",
            "subjectType": "LINE",
            "diffHunk": "",
            "commit": {"oid": self.repository.head(pull)},
            "originalCommit": {"oid": thread.commit},
            "replyTo": None if comment is first else lambda _: self.line_comment(pull, thread, first),
            "pullRequestReview": lambda _: self.review_node(pull, around),
        }
