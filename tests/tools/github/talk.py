"""What happens when somebody says something: comments, reviews, threads on lines and whether those are outdated."""

import re
from collections.abc import Iterator

from tests.tools.github.pulls import tell
from tests.tools.github.tokens import Person
from tests.tools.github.world import Comment, Pull, Repository, Review, Thread, World

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", re.MULTILINE)


def say(world: World, repository: Repository, pull: Pull, author: Person, body: str, role: str = "") -> Comment:
    comment = _comment(world, repository, author, body, role)
    pull.comments.append(comment)
    tell_of_comment(world, repository, pull, comment, "created")
    return comment


def review(
    world: World, repository: Repository, pull: Pull, author: Person, state: str, body: str, role: str = ""
) -> Review:
    role = role or world.association(author, repository)
    made = Review(world.new_id(), author, role, state, body, repository.head(pull), world.now())
    pull.reviews.append(made)
    about = {"action": "submitted", "review": {"id": made.id, "state": state.lower(), "body": body}}
    tell(world, repository, "pull_request_review", {**about, "pull_request": {"number": pull.number}})
    return made


def start_thread(
    world: World, repository: Repository, pull: Pull, author: Person, file: str, line: int, body: str, role: str = ""
) -> Thread:
    thread = Thread(world.new_id(), file, line, repository.head(pull))
    pull.threads.append(thread)
    reply_in(world, repository, pull, thread, author, body, role)
    return thread


def reply_in(
    world: World, repository: Repository, pull: Pull, thread: Thread, author: Person, body: str, role: str = ""
) -> Comment:
    """As at GitHub, a single comment on a line is a review of its own, which says nothing but COMMENTED."""
    around = review(world, repository, pull, author, "COMMENTED", "", role)
    comment = _comment(world, repository, author, body, role)
    comment.review = around.id
    thread.comments.append(comment)
    return comment


def _comment(world: World, repository: Repository, author: Person, body: str, role: str) -> Comment:
    at = world.now()
    return Comment(world.new_id(), author, role or world.association(author, repository), body, at, at)


def all_comments(repository: Repository) -> Iterator[tuple[Pull, Comment]]:
    for pull in repository.pulls.values():
        for comment in pull.comments:
            yield pull, comment


def place_of(repository: Repository, pull: Pull, thread: Thread) -> int:
    """The line the thread's line has become in the head; 0: it was changed or is gone, so the thread is outdated."""
    head = repository.head(pull)
    if head == thread.commit:
        return thread.line
    diff = repository.bare.ask("diff", "--no-renames", "-U0", thread.commit, head, "--", thread.file)
    shift = 0
    for old, old_count, new_count in _HUNK.findall(diff):
        removed, added = int(old_count or 1), int(new_count or 1)
        if removed and int(old) <= thread.line < int(old) + removed:
            return 0
        if thread.line < int(old) + (not removed):
            break
        shift += added - removed
    if "\ndeleted file mode" in diff:
        return 0
    return thread.line + shift


def tell_of_comment(world: World, repository: Repository, pull: Pull, comment: Comment, action: str) -> None:
    said = {"id": comment.id, "body": comment.body, "user": {"login": comment.author.rest_login}}
    issue = {"number": pull.number, "title": pull.title, "pull_request": {"url": f"{world.url}/{pull.number}"}}
    tell(world, repository, "issue_comment", {"action": action, "comment": said, "issue": issue})
