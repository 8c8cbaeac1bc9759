"""REST: what people say about a pull request: comments, reviews, and comments on lines."""

from tests.tools.github.bare import MissingError
from tests.tools.github.description import example
from tests.tools.github.rest_identity import user_object
from tests.tools.github.routes import Asked, RefusedError, Reply, page, route
from tests.tools.github.talk import all_comments, place_of, reply_in, say, tell_of_comment
from tests.tools.github.world import Comment, Json, Pull, Repository, Review, Thread, World

_COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
_REVIEWS = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
_LINES = "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments"
_REPLIES = "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies"


def comment_object(world: World, repository: Repository, pull: Pull, comment: Comment) -> Json:
    answer: Json = example(f"GET {_COMMENT}", repository.slug, world.url)
    place = f"{world.url}/repos/{repository.slug}/issues"
    return answer | {
        "id": comment.id,
        "node_id": f"IC_{comment.id}",
        "url": f"{place}/comments/{comment.id}",
        "html_url": comment_url(world, repository, pull, comment),
        "issue_url": f"{place}/{pull.number}",
        "body": comment.body,
        "user": user_object(world, comment.author),
        "author_association": comment.association,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
    }


def comment_url(world: World, repository: Repository, pull: Pull, comment: Comment) -> str:
    word = "discussion_r" if comment.review else "issuecomment-"
    return f"{world.url}/{repository.slug}/pull/{pull.number}#{word}{comment.id}"


@route(f"GET {_COMMENTS}")
def list_comments(asked: Asked) -> Reply:
    pull = asked.repository.pull(asked.number("issue_number"))
    shown, headers = page(asked, pull.comments)
    objects = [comment_object(asked.world, asked.repository, pull, comment) for comment in shown]
    return Reply(200, objects, headers)


@route(f"POST {_COMMENTS}")
def create_comment(asked: Asked) -> Reply:
    repository, body = asked.repository, asked.body["body"]
    pull = repository.pull(asked.number("issue_number"))
    if not body:
        problem = {"resource": "IssueComment", "code": "missing_field", "field": "body"}
        raise RefusedError(422, "Validation Failed", errors=[problem])
    comment = say(asked.world, repository, pull, asked.person, body)
    return Reply(201, comment_object(asked.world, repository, pull, comment))


def _comment(asked: Asked) -> tuple[Pull, Comment]:
    for pull, comment in all_comments(asked.repository):
        if comment.id == asked.number("comment_id"):
            return pull, comment
    raise MissingError("comment")


@route(f"GET {_COMMENT}")
def get_comment(asked: Asked) -> Reply:
    return Reply(200, comment_object(asked.world, asked.repository, *_comment(asked)))


@route(f"PATCH {_COMMENT}")
def update_comment(asked: Asked) -> Reply:
    pull, comment = _comment(asked)
    world, repository = asked.world, asked.repository
    if comment.author != asked.person and not world.may_push(asked.person, repository):
        raise RefusedError(403, "Must have admin rights to Repository.")
    comment.body, comment.updated_at = asked.body["body"], world.now()
    tell_of_comment(world, repository, pull, comment, "edited")
    return Reply(200, comment_object(world, repository, pull, comment))


@route(f"DELETE {_COMMENT}")
def delete_comment(asked: Asked) -> Reply:
    pull, comment = _comment(asked)
    pull.comments.remove(comment)
    return Reply(204)


def _review_object(world: World, repository: Repository, pull: Pull, review: Review) -> Json:
    answer: Json = example(_REVIEWS, repository.slug, world.url)[0]
    return answer | {
        "id": review.id,
        "node_id": f"PRR_{review.id}",
        "user": user_object(world, review.author),
        "body": review.body,
        "state": review.state,
        "html_url": f"{world.url}/{repository.slug}/pull/{pull.number}#pullrequestreview-{review.id}",
        "pull_request_url": f"{world.url}/repos/{repository.slug}/pulls/{pull.number}",
        "submitted_at": review.at,
        "commit_id": review.commit,
        "author_association": review.association,
    }


@route(_REVIEWS)
def list_reviews(asked: Asked) -> Reply:
    repository = asked.repository
    pull = repository.pull(asked.number("pull_number"))
    shown, headers = page(asked, pull.reviews)
    return Reply(200, [_review_object(asked.world, repository, pull, review) for review in shown], headers)


def _line_object(world: World, repository: Repository, pull: Pull, thread: Thread, comment: Comment) -> Json:
    answer: Json = example(_LINES, repository.slug, world.url)[0]
    first = thread.comments[0]
    line = place_of(repository, pull, thread)
    answer |= {
        "id": comment.id,
        "node_id": f"PRRC_{comment.id}",
        "pull_request_review_id": comment.review,
        "user": user_object(world, comment.author),
        "body": comment.body,
        "path": thread.file,
        "line": line or None,
        "original_line": thread.line,
        "position": line or None,
        "original_position": thread.line,
        "start_line": None,
        "original_start_line": None,
        "start_side": None,
        "side": "RIGHT",
        "commit_id": repository.head(pull),
        "original_commit_id": thread.commit,
        "html_url": comment_url(world, repository, pull, comment),
        "author_association": comment.association,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
    }
    answer.pop("in_reply_to_id", None)
    return answer if comment is first else answer | {"in_reply_to_id": first.id}


@route(_LINES)
def list_line_comments(asked: Asked) -> Reply:
    world, repository = asked.world, asked.repository
    pull = repository.pull(asked.number("pull_number"))
    every = [(thread, comment) for thread in pull.threads for comment in thread.comments]
    shown, headers = page(asked, sorted(every, key=lambda pair: pair[1].id))
    return Reply(200, [_line_object(world, repository, pull, *pair) for pair in shown], headers)


@route(_REPLIES)
def create_reply(asked: Asked) -> Reply:
    world, repository = asked.world, asked.repository
    pull = repository.pull(asked.number("pull_number"))
    for thread in pull.threads:
        if thread.comments[0].id == asked.number("comment_id"):
            comment = reply_in(world, repository, pull, thread, asked.person, asked.body["body"])
            return Reply(201, _line_object(world, repository, pull, thread, comment))
    raise MissingError("thread")
