"""GraphQL: the issues of a repository. Pull requests are not among them, unlike in REST."""

from tests.tools.github.graphql_objects import Arguments, DeniedError, Node, actor, connection, label_node
from tests.tools.github.issues import Issue
from tests.tools.github.world import Repository, World


def list_issues(world: World, repository: Repository, arguments: Arguments) -> Node:
    if world.faults.take("issues_forbidden"):
        raise DeniedError("Resource not accessible by integration")
    states, order = arguments.get("states"), (arguments.get("orderBy") or {}).get("direction", "ASC")
    nodes = [
        _issue_node(world, repository, issue)
        for issue in repository.issues.values()
        if not states or issue.state.upper() in states
    ]
    return connection(nodes[::-1] if order == "DESC" else nodes)(arguments)


def _issue_node(world: World, repository: Repository, issue: Issue) -> Node:
    return {
        "__typename": "Issue",
        "id": f"I_{issue.id}",
        "databaseId": issue.id,
        "number": issue.number,
        "title": issue.title,
        "state": issue.state.upper(),
        "closed": issue.state != "open",
        "author": actor(world, issue.author),
        "createdAt": issue.created_at,
        "url": f"{world.url}/{repository.slug}/issues/{issue.number}",
        "labels": connection([label_node(name) for name in issue.labels]),
    }
