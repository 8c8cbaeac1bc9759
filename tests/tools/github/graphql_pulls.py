"""GraphQL: repositories and pull requests with their commits and checks."""

from collections.abc import Sequence

from tests.tools.github.graphql_issues import list_issues
from tests.tools.github.graphql_objects import Arguments, DeniedError, Node, actor, check_node, connection, status_node
from tests.tools.github.graphql_talk import TalkNodes
from tests.tools.github.pulls import find_pull, mergeable_state, was_read
from tests.tools.github.tokens import Person
from tests.tools.github.world import Pull

_BAD = {"failure", "error", "timed_out", "cancelled", "action_required", "startup_failure"}
_STATES = {"clean": "CLEAN", "dirty": "DIRTY", "blocked": "BLOCKED", "draft": "DRAFT", "unknown": "UNKNOWN"}


class PullNodes(TalkNodes):
    """The nodes of one repository, seen by one viewer."""

    def repository_node(self) -> Node:
        about = self.repository
        owner, name = about.slug.split("/")
        return {
            "__typename": "Repository",
            "id": f"R_{about.id}",
            "databaseId": about.id,
            "name": name,
            "nameWithOwner": about.slug,
            "owner": actor(self.world, Person(owner)),
            "url": f"{self.world.url}/{about.slug}",
            "description": "",
            "isPrivate": about.private,
            "isFork": bool(about.parent),
            "isArchived": False,
            "hasIssuesEnabled": True,
            "hasWikiEnabled": False,
            "mergeCommitAllowed": True,
            "rebaseMergeAllowed": True,
            "squashMergeAllowed": True,
            "parent": None,
            "viewerPermission": "WRITE" if self.world.may_push(self.viewer, about) else "READ",
            "defaultBranchRef": _ref("main", about.bare.tip("refs/heads/main")),
            "pullRequest": self._numbered,
            "issueOrPullRequest": self._numbered,
            "pullRequests": self._pulls,
            "issues": lambda arguments: list_issues(self.world, about, arguments),
        }

    def _numbered(self, arguments: Arguments) -> Node:
        pull = find_pull(self.world, self.repository, arguments["number"])
        node = self.pull_node(pull)
        was_read(self.world, self.repository, pull)
        return node

    def _pulls(self, arguments: Arguments) -> Node:
        states, head, base = (arguments.get(name) for name in ("states", "headRefName", "baseRefName"))
        order = (arguments.get("orderBy") or {}).get("direction", "ASC")
        found = [
            pull
            for pull in self.repository.pulls.values()
            if not states or _state(pull) in states
            if head in (None, pull.head_ref) and base in (None, pull.base_ref)
        ]
        nodes = [self.pull_node(find_pull(self.world, self.repository, pull.number)) for pull in found]
        return connection(nodes[::-1] if order == "DESC" else nodes)(arguments)

    def pull_node(self, pull: Pull) -> Node:
        world, repository = self.world, self.repository
        fork = None if pull.fork_gone else world.repositories[pull.head_slug]
        page = f"{world.url}/{repository.slug}/pull/{pull.number}"
        over = None if pull.state == "open" else pull.created_at
        node: Node = {
            "__typename": "PullRequest",
            "id": f"PR_{pull.id}",
            "databaseId": pull.id,
            "fullDatabaseId": str(pull.id),
            "number": pull.number,
            "url": page,
            "permalink": page,
            "title": pull.title,
            "body": pull.body,
            "bodyText": pull.body,
            "state": _state(pull),
            "closed": pull.state != "open",
            "merged": pull.merged,
            "isDraft": pull.draft,
            "locked": False,
            "author": actor(world, pull.author),
            "authorAssociation": pull.association,
            "createdAt": pull.created_at,
            "updatedAt": pull.created_at,
            "closedAt": over,
            "mergedAt": pull.merged_at or None,
            "headRefName": pull.head_ref,
            "headRefOid": repository.head(pull),
            "headRepository": fork and PullNodes(world, fork, self.viewer).repository_node(),
            "headRepositoryOwner": fork and actor(world, Person(pull.head_slug.split("/")[0])),
            "isCrossRepository": pull.head_slug != repository.slug,
            "maintainerCanModify": pull.maintainer_can_modify,
            "baseRefName": pull.base_ref,
            "baseRefOid": pull.base_sha,
            "baseRef": _ref(pull.base_ref, repository.bare.tip(f"refs/heads/{pull.base_ref}")),
            "baseRepository": lambda _: self.repository_node(),
            "repository": lambda _: self.repository_node(),
        }
        return node | self._merging(pull) | self._contents(pull) | self.talk(pull) | _EMPTY

    def _merging(self, pull: Pull) -> Node:
        def state(_: Arguments) -> str:
            if pull.state != "open" or self.world.faults.take("mergeable_unknown"):
                return "unknown"
            return mergeable_state(self.repository, pull)

        words = {"dirty": "CONFLICTING", "unknown": "UNKNOWN"}
        return {
            "mergeable": lambda _: words.get(state({}), "MERGEABLE"),
            "mergeStateStatus": lambda _: _STATES[state({})],
        }

    def _contents(self, pull: Pull) -> Node:
        bare, head = self.repository.bare, self.repository.head(pull)
        base = bare.tip(f"refs/heads/{pull.base_ref}")
        changes = bare.changes(base, head)
        kinds = {"added": "ADDED", "modified": "MODIFIED", "removed": "DELETED", "changed": "CHANGED"}
        files: list[Node] = [
            {
                "path": change.path,
                "additions": change.additions,
                "deletions": change.deletions,
                "changeType": kinds[change.status],
            }
            for change in changes
        ]
        commits = [{"commit": self.commit_node(pull, *row)} for row in bare.commit_rows(f"{base}..{head}")]
        return {
            "additions": sum(change.additions for change in changes),
            "deletions": sum(change.deletions for change in changes),
            "changedFiles": len(changes),
            "files": connection(files),
            "commits": connection(commits),
            "statusCheckRollup": lambda _: self.rollup(pull, head),
        }

    def commit_node(self, pull: Pull, oid: str, message: str, author: str, date: str) -> Node:
        headline, _, body = message.partition("\n")
        person: Node = {"name": author, "email": f"{author}@example.com", "date": date, "user": None}
        return {
            "oid": oid,
            "id": f"C_{oid}",
            "abbreviatedOid": oid[:7],
            "message": message,
            "messageHeadline": headline,
            "messageBody": body.strip(),
            "committedDate": date,
            "authoredDate": date,
            "author": person,
            "authors": connection([person]),
            "url": f"{self.world.url}/{self.repository.slug}/commit/{oid}",
            "statusCheckRollup": lambda _: self.rollup(pull, oid),
        }

    def rollup(self, pull: Pull, sha: str) -> Node | None:
        if self.world.faults.take("checks_lag"):
            return None
        repository = self.repository
        required = {*repository.required.get(pull.base_ref, ()), *repository.ruled.get(pull.base_ref, ())}
        checks, statuses = repository.latest_checks(sha), repository.latest_statuses(sha)
        found = [check_node(self.world, repository, check, required) for check in checks]
        found += [status_node(status, required) for status in statuses]
        if not found:
            return None
        words = [check.conclusion or "pending" for check in checks] + [status.state for status in statuses]

        def contexts(arguments: Arguments) -> Node:
            if self.world.faults.take("contexts_forbidden"):
                raise DeniedError("Resource not accessible by personal access token")
            return connection(found)(arguments)

        return {"id": f"SCR_{sha}", "state": _rolled(words), "contexts": contexts}


_EMPTY: Node = {
    "assignees": connection([]),
    "reviewRequests": connection([]),
    "projectCards": connection([]),
    "milestone": None,
    "autoMergeRequest": None,
    "mergedBy": None,
    "mergeCommit": None,
    "potentialMergeCommit": None,
    "reactionGroups": [],
}
"""What nobody does here."""


def _ref(name: str, oid: str) -> Node | None:
    return {"id": f"REF_{name}", "name": name, "target": {"__typename": "Commit", "oid": oid}} if oid else None


def _state(pull: Pull) -> str:
    return "MERGED" if pull.merged else pull.state.upper()


def _rolled(words: Sequence[str]) -> str:
    if _BAD.intersection(words):
        return "FAILURE"
    return "PENDING" if "pending" in words else "SUCCESS"
