"""The stand-in's GraphQL side: threads and whether they are outdated, reviews, pages, and the few mutations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from githubkit import GitHub as Client
from githubkit.exception import GraphQLFailed

from tests.tools.github import GitHub

APP = "dev/app"
THREADS = """
query($after: String) { repository(owner: "dev", name: "app") { pullRequest(number: 1) {
  reviewThreads(first: 2, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { id isResolved isOutdated path line originalLine resolvedBy { login }
      comments(first: 10) { nodes { author { login __typename } authorAssociation body url databaseId } } }
  } } } }
"""
LINES = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": LINES})
        hub.commit(APP, "feat", {"b.py": LINES})
        hub.open_pull(APP, head="feat")
        yield hub
        assert hub.violations == []


@pytest.fixture
def gh(hub: GitHub) -> Iterator[Any]:
    with Client(hub.token, base_url=hub.url, auto_retry=False, http_cache=False, ssl_verify=False) as client:
        yield client


def threads(gh: Any, after: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = gh.graphql(THREADS, {"after": after})["repository"]["pullRequest"]["reviewThreads"]
    return found


def test_a_thread_tells_who_where_and_what(hub: GitHub, gh: Any) -> None:
    hub.thread(APP, 1, author="rabbit[bot]", file="b.py", line=4, text="hm", association="NONE")
    thread = threads(gh)["nodes"][0]
    assert (thread["path"], thread["line"], thread["isResolved"], thread["isOutdated"]) == ("b.py", 4, False, False)
    comment = thread["comments"]["nodes"][0]
    assert comment["author"] == {"login": "rabbit", "__typename": "Bot"}, "no [bot] here, unlike in REST"
    assert (comment["authorAssociation"], comment["body"]) == ("NONE", "hm")
    assert comment["url"].endswith(f"/pull/1#discussion_r{comment['databaseId']}")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(LINES, 4, id="the file stays"),
        pytest.param("new\n" + LINES, 5, id="lines before it move it down"),
        pytest.param(LINES.replace("line 2\n", ""), 3, id="lines that go move it up"),
        pytest.param(LINES.replace("line 4\n", "line four\n"), None, id="its line changes"),
        pytest.param(LINES.replace("line 4\n", ""), None, id="its line goes"),
        pytest.param(LINES.replace("line 4\n", "line 4\nnew\n"), 4, id="a line comes after it"),
        pytest.param(LINES.replace("line 4\n", "new\nline 4\n"), 5, id="a line comes just before it"),
        pytest.param(LINES.replace("line 5\n", "line five\n"), 4, id="its neighbour changes"),
        pytest.param(None, None, id="the file goes"),
    ],
)
def test_git_says_whether_a_thread_is_outdated(hub: GitHub, gh: Any, text: str | None, line: int | None) -> None:
    hub.thread(APP, 1, author="ann", file="b.py", line=4, text="hm")
    hub.commit(APP, "feat", {"b.py": text, "c.py": "1\n"})
    thread = threads(gh)["nodes"][0]
    assert (thread["line"], thread["isOutdated"], thread["originalLine"]) == (line, line is None, 4)
    assert [one["outdated"] for one in hub.threads(APP, 1)] == [line is None]


def test_replying_and_resolving(hub: GitHub, gh: Any) -> None:
    hub.thread(APP, 1, author="ann", file="b.py", line=4, text="hm")
    thread = threads(gh)["nodes"][0]["id"]
    mutation = """mutation($t: ID!) {
      addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $t, body: "done"}) { comment { databaseId } }
      resolveReviewThread(input: {threadId: $t}) { thread { isResolved } } }"""
    answer = gh.graphql(mutation, {"t": thread})
    assert answer["resolveReviewThread"]["thread"]["isResolved"]
    assert threads(gh)["nodes"][0]["resolvedBy"] == {"login": "dev"}
    assert hub.threads(APP, 1)[0]["said"] == [("ann", "hm"), ("dev", "done")]
    gh.graphql("mutation($t: ID!) { unresolveReviewThread(input: {threadId: $t}) { clientMutationId } }", {"t": thread})
    assert not hub.threads(APP, 1)[0]["resolved"]


def test_a_stranger_may_not_resolve(hub: GitHub) -> None:
    hub.thread(APP, 1, author="ann", file="b.py", line=4, text="hm")
    with Client(hub.give_token("eve"), base_url=hub.url, auto_retry=False, http_cache=False, ssl_verify=False) as eve:
        thread = threads(eve)["nodes"][0]["id"]
        with pytest.raises(GraphQLFailed, match="permissions"):
            eve.graphql(f'mutation {{ resolveReviewThread(input: {{threadId: "{thread}"}}) {{ clientMutationId }} }}')
    assert not hub.threads(APP, 1)[0]["resolved"]


def test_pages(hub: GitHub, gh: Any) -> None:
    for line in range(1, 6):
        hub.thread(APP, 1, author="ann", file="b.py", line=line, text=str(line))
    seen, after = [], None
    while True:
        page = threads(gh, after)
        seen += [thread["line"] for thread in page["nodes"]]
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
    assert seen == [1, 2, 3, 4, 5]


def test_the_last_ones_and_how_many(hub: GitHub, gh: Any) -> None:
    for word in ("one", "two", "three"):
        hub.say(APP, 1, author="ann", text=word)
    query = """{ repository(owner: "dev", name: "app") { pullRequest(number: 1) {
      all: comments { totalCount } comments(last: 2) { nodes { body } pageInfo { hasPreviousPage } } } } }"""
    pull = gh.graphql(query)["repository"]["pullRequest"]
    assert pull["all"]["totalCount"] == 3
    assert [node["body"] for node in pull["comments"]["nodes"]] == ["two", "three"]
    assert pull["comments"]["pageInfo"]["hasPreviousPage"]


@pytest.mark.parametrize("bounds", ["", "(first: 101)"])
def test_a_list_without_a_sensible_size_is_refused(hub: GitHub, gh: Any, bounds: str) -> None:
    asked = f'{{ repository(owner: "dev", name: "app") {{ pullRequests{bounds} {{ nodes {{ number }} }} }} }}'
    with pytest.raises(GraphQLFailed, match=r"limit of 100|must provide"):
        gh.graphql(asked)


def test_the_decision_is_each_persons_last_opinion(hub: GitHub, gh: Any) -> None:
    query = """{ repository(owner: "dev", name: "app") { pullRequest(number: 1) {
      reviewDecision latestOpinionatedReviews(first: 9) { nodes { state author { login } } } } } }"""

    def decision() -> Any:
        return gh.graphql(query)["repository"]["pullRequest"]["reviewDecision"]

    assert decision() is None
    hub.review(APP, 1, author="ann", state="CHANGES_REQUESTED")
    hub.review(APP, 1, author="bob", state="APPROVED")
    hub.review(APP, 1, author="ann", state="COMMENTED")
    assert decision() == "CHANGES_REQUESTED"
    hub.review(APP, 1, author="ann", state="APPROVED")
    assert decision() == "APPROVED"


def test_the_rollup_has_checks_and_statuses(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    hub.require(APP, "main", ["ci"])
    hub.check(APP, sha, "ci", "success")
    hub.status(APP, sha, "legacy", "pending")
    query = """{ repository(owner: "dev", name: "app") { pullRequest(number: 1) { commits(last: 1) { nodes { commit {
      oid statusCheckRollup { state contexts(first: 9) { nodes { __typename
        ... on CheckRun { name conclusion isRequired(pullRequestNumber: 1) checkSuite { app { slug } } }
        ... on StatusContext { context state } } } } } } } } } }"""
    commit = gh.graphql(query)["repository"]["pullRequest"]["commits"]["nodes"][0]["commit"]
    assert (commit["oid"], commit["statusCheckRollup"]["state"]) == (sha, "PENDING")
    assert commit["statusCheckRollup"]["contexts"]["nodes"] == [
        {
            "__typename": "CheckRun",
            "name": "ci",
            "conclusion": "SUCCESS",
            "isRequired": True,
            "checkSuite": {"app": {"slug": "github-actions"}},
        },
        {"__typename": "StatusContext", "context": "legacy", "state": "PENDING"},
    ]


def test_issues_have_numbers_of_their_own_and_pull_requests_are_not_among_them(hub: GitHub, gh: Any) -> None:
    first, second = hub.open_issue(APP, "one", labels=["bug"]), hub.open_issue(APP, "two")
    hub.close_issue(APP, first)
    query = """query($s: [IssueState!]) { repository(owner: "dev", name: "app") {
      issues(first: 9, states: $s, orderBy: {field: CREATED_AT, direction: DESC}) {
        totalCount nodes { number title state labels(first: 9) { nodes { name } } } } } }"""

    def listed(*states: str) -> list[tuple[int, str, list[str]]]:
        found = gh.graphql(query, {"s": list(states) or None})["repository"]["issues"]
        assert found["totalCount"] == len(found["nodes"])
        return [
            (one["number"], one["state"], [each["name"] for each in one["labels"]["nodes"]]) for one in found["nodes"]
        ]

    assert (first, second) == (2, 3)
    assert listed() == [(3, "OPEN", []), (2, "CLOSED", ["bug"])]
    assert listed("OPEN") == [(3, "OPEN", [])]
    assert hub.open_pull(APP, head="feat") == 4


def test_nodes_by_their_ids(gh: Any) -> None:
    pull = gh.graphql('{ repository(owner: "dev", name: "app") { pullRequest(number: 1) { id } } }')
    identity = pull["repository"]["pullRequest"]["id"]
    query = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { number } } }"
    assert gh.graphql(query, {"ids": [identity]}) == {"nodes": [{"number": 1}]}


def test_a_private_repository_shows_itself_to_nobody_else(hub: GitHub) -> None:
    hub.make_repository("dev/secret", {"a.py": ""}, private=True)
    eve = Client(hub.give_token("eve"), base_url=hub.url, auto_retry=False, http_cache=False, ssl_verify=False)
    with eve, pytest.raises(GraphQLFailed) as refused:
        eve.graphql('{ repository(owner: "dev", name: "secret") { id } }')
    assert [problem.type for problem in refused.value.response.errors or ()] == ["NOT_FOUND"]


def test_what_is_not_there_is_an_error_with_a_type(hub: GitHub, gh: Any) -> None:
    with pytest.raises(GraphQLFailed) as refused:
        gh.graphql('{ repository(owner: "dev", name: "app") { pullRequest(number: 9) { id } } }')
    assert [problem.type for problem in refused.value.response.errors or ()] == ["NOT_FOUND"]


@pytest.mark.parametrize("field", ["noSuchField", "activeLockReason"], ids=["not GitHub's", "not modelled here"])
def test_a_field_nobody_knows_is_a_violation(hub: GitHub, gh: Any, field: str) -> None:
    with pytest.raises(GraphQLFailed):
        gh.graphql(f'{{ repository(owner: "dev", name: "app") {{ pullRequest(number: 1) {{ {field} }} }} }}')
    assert len(hub.violations) == 1
    assert field in hub.violations[0]
    hub.violations.clear()


def test_comments_are_written_and_edited(hub: GitHub, gh: Any) -> None:
    pull = gh.graphql('{ repository(owner: "dev", name: "app") { pullRequest(number: 1) { id } } }')
    subject = pull["repository"]["pullRequest"]["id"]
    made = gh.graphql(
        'mutation($s: ID!) { addComment(input: {subjectId: $s, body: "one"}) { commentEdge { node { id } } } }',
        {"s": subject},
    )
    comment = made["addComment"]["commentEdge"]["node"]["id"]
    gh.graphql(
        'mutation($c: ID!) { updateIssueComment(input: {id: $c, body: "two"}) { issueComment { body } } }',
        {"c": comment},
    )
    assert [one["body"] for one in hub.comments(APP, 1)] == ["two"]
