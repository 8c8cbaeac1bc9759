"""What is read of GitHub's GraphQL answers."""

import pytest

from reknit.adapters.github.api.graphql_models import Author, Data, PullAnswer, PullThreads, RepositoryAnswer
from reknit.adapters.github.api.rest_models import parse_answer
from reknit.core.forge.values import ForgeError


@pytest.mark.parametrize(
    ("kind", "login", "rest_login"),
    [
        pytest.param("Bot", "dependabot", "dependabot[bot]", id="an App, whose ending GraphQL leaves out"),
        pytest.param("Bot", "dependabot[bot]", "dependabot[bot]", id="one that has it"),
        pytest.param("User", "octocat", "octocat", id="a person"),
        pytest.param("User", "sly[bot]", "sly[bot]", id="a name is no proof"),
    ],
)
def test_an_author_is_spelled_as_rest_does(kind: str, login: str, rest_login: str) -> None:
    author = Author(__typename=kind, login=login)
    assert (author.rest_login, author.is_bot) == (rest_login, kind == "Bot")


def test_a_pull_request_that_is_not_shown_is_none() -> None:
    answer = parse_answer(Data[RepositoryAnswer[PullAnswer[PullThreads]]], b'{"data": {"repository": null}}', "threads")
    assert answer.data.repository is None


def test_a_thread_needs_little_and_a_page_its_end() -> None:
    comments = '{"pageInfo": {"hasNextPage": false, "endCursor": null}, "nodes": [{"author": null, "body": "x"}]}'
    thread = f'{{"id": "t", "isResolved": true, "comments": {comments}}}'
    page = f'{{"reviewThreads": {{"pageInfo": {{"hasNextPage": true, "endCursor": "c"}}, "nodes": [{thread}]}}}}'
    threads = parse_answer(PullThreads, page.encode(), "threads").threads
    assert (threads.info.has_next, threads.info.end, threads.nodes[0].line) == (True, "c", None)
    assert threads.nodes[0].comments.nodes[0].association == "NONE"
    with pytest.raises(ForgeError, match="unreadable answer"):
        parse_answer(PullThreads, b'{"reviewThreads": {"nodes": []}}', "threads")
