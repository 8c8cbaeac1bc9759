"""REST: pull requests, their facts computed by git."""

from tests.tools.github.bare import MissingError
from tests.tools.github.description import example
from tests.tools.github.merging import WAYS, merge_pull
from tests.tools.github.pulls import find_pull, mergeable_state, open_pull, pulls_with, was_read
from tests.tools.github.rest_checks import commit_of
from tests.tools.github.rest_identity import user_object
from tests.tools.github.rest_repositories import about_repository, label_objects
from tests.tools.github.routes import Asked, RefusedError, Reply, page, route
from tests.tools.github.tokens import Person
from tests.tools.github.world import Json, Pull, Repository, World

_LIST = "/repos/{owner}/{repo}/pulls"
_ONE = _LIST + "/{pull_number}"
_WITH_COMMIT = "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls"


def pull_object(world: World, repository: Repository, pull: Pull, *, known: bool = True) -> Json:
    """The full form. `known`: GitHub has found out by now whether it can be merged."""
    head, base = repository.head(pull), repository.bare.tip(f"refs/heads/{pull.base_ref}")
    changes = repository.bare.changes(base, head)
    state = mergeable_state(repository, pull) if known and pull.state == "open" else "unknown"
    answer: Json = example(f"GET {_ONE}", repository.slug, world.url)
    answer |= _about(world, repository, pull)
    answer |= {
        "merged": pull.merged,
        "mergeable": None if state == "unknown" else state != "dirty",
        "rebaseable": None if state == "unknown" else state != "dirty",
        "mergeable_state": state,
        "merged_by": None,
        "comments": len(pull.comments),
        "review_comments": sum(len(thread.comments) for thread in pull.threads),
        "maintainer_can_modify": bool(pull.head_slug != repository.slug) and pull.maintainer_can_modify,
        "commits": repository.bare.commits(base, head),
        "changed_files": len(changes),
        "additions": sum(change.additions for change in changes),
        "deletions": sum(change.deletions for change in changes),
    }
    return _with_ends(answer, world, repository, pull)


def _about(world: World, repository: Repository, pull: Pull) -> Json:
    place = f"{world.url}/repos/{repository.slug}"
    page_url = f"{world.url}/{repository.slug}/pull/{pull.number}"
    over = None if pull.state == "open" else pull.merged_at or pull.created_at
    return {
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "number": pull.number,
        "url": f"{place}/pulls/{pull.number}",
        "html_url": page_url,
        "diff_url": page_url + ".diff",
        "patch_url": page_url + ".patch",
        "issue_url": f"{place}/issues/{pull.number}",
        "comments_url": f"{place}/issues/{pull.number}/comments",
        "state": pull.state,
        "locked": False,
        "title": pull.title,
        "body": pull.body or None,
        "user": user_object(world, pull.author),
        "labels": label_objects(world, repository, pull.labels),
        "draft": pull.draft,
        "author_association": pull.association,
        "created_at": pull.created_at,
        "closed_at": over,
        "merged_at": pull.merged_at or None,
        "milestone": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "auto_merge": None,
    }


def _with_ends(answer: Json, world: World, repository: Repository, pull: Pull) -> Json:
    head_owner = pull.head_slug.split("/")[0]
    fork = None if pull.fork_gone else world.repositories[pull.head_slug]
    answer["head"] |= {"ref": pull.head_ref, "sha": repository.head(pull), "label": f"{head_owner}:{pull.head_ref}"}
    answer["head"]["user"] = user_object(world, Person(head_owner))
    answer["head"]["repo"] = fork and answer["head"]["repo"] | about_repository(world, fork)
    owner = repository.slug.split("/")[0]
    answer["base"] |= {"ref": pull.base_ref, "sha": pull.base_sha, "label": f"{owner}:{pull.base_ref}"}
    answer["base"]["user"] = user_object(world, Person(owner))
    answer["base"]["repo"] |= about_repository(world, repository)
    return answer


def _simple(world: World, repository: Repository, pull: Pull) -> Json:
    """The form of lists, which knows nothing of merging."""
    answer: Json = example(f"GET {_LIST}", repository.slug, world.url)[0]
    answer |= _about(world, repository, pull)
    return _with_ends(answer, world, repository, pull)


@route(f"GET {_LIST}")
def list_pulls(asked: Asked) -> Reply:
    repository = asked.repository
    state, head, base = (asked.query.get(name, "") for name in ("state", "head", "base"))
    found = [
        pull
        for pull in reversed(repository.pulls.values())
        if state == "all" or pull.state == (state or "open")
        if not base or pull.base_ref == base
        if ":" not in head or f"{pull.head_slug.split('/')[0]}:{pull.head_ref}" == head
    ]
    shown, headers = page(asked, found)
    return Reply(200, [_simple(asked.world, repository, pull) for pull in shown], headers)


@route(_WITH_COMMIT)
def list_pulls_with(asked: Asked) -> Reply:
    repository = asked.repository
    found = pulls_with(repository, commit_of(asked, "commit_sha"))
    shown, headers = page(asked, [find_pull(asked.world, repository, pull.number) for pull in found])
    return Reply(200, [_simple(asked.world, repository, pull) for pull in shown], headers)


@route(f"GET {_ONE}")
def get_pull(asked: Asked) -> Reply:
    world, repository = asked.world, asked.repository
    pull = find_pull(world, repository, asked.number("pull_number"))
    if "diff" in asked.request.headers.get("accept", ""):
        return Reply(200, repository.bare.diff(pull.base_sha, repository.head(pull)))
    answer = pull_object(world, repository, pull, known=not world.faults.take("mergeable_unknown"))
    was_read(world, repository, pull)
    return Reply(200, answer)


@route(f"GET {_ONE}/files")
def get_files(asked: Asked) -> Reply:
    repository = asked.repository
    pull = repository.pull(asked.number("pull_number"))
    head = repository.head(pull)
    one = example(asked.operation, repository.slug, asked.world.url)[0]
    changes = repository.bare.changes(repository.bare.tip(f"refs/heads/{pull.base_ref}"), head)
    shown, headers = page(asked, list(changes))
    about = [
        {
            "filename": change.path,
            "status": change.status,
            "additions": change.additions,
            "deletions": change.deletions,
            "changes": change.additions + change.deletions,
            "patch": change.patch,
        }
        for change in shown
    ]
    return Reply(200, [one | each for each in about], headers)


@route(f"POST {_LIST}")
def create_pull(asked: Asked) -> Reply:
    world, repository, body = asked.world, asked.repository, asked.body
    owner, _, branch = str(body["head"]).rpartition(":")
    mine = next((slug for slug in world.repositories if owner and slug.startswith(owner + "/")), repository.slug)
    same = [pull for pull in repository.open_pulls() if (pull.head_slug, pull.head_ref) == (mine, branch)]
    if any(pull.base_ref == body["base"] for pull in same):
        problem = {"resource": "PullRequest", "code": "custom", "message": "A pull request already exists"}
        raise RefusedError(422, "Validation Failed", errors=[problem])
    try:
        world.repository(mine).bare.sha(branch)
    except MissingError as missing:
        problem = {"resource": "PullRequest", "code": "invalid", "field": "head"}
        raise RefusedError(422, "Validation Failed", errors=[problem]) from missing
    association = world.association(asked.person, repository)
    pull = open_pull(world, repository, mine, branch, body["base"], body.get("title", ""), asked.person, association)
    pull.body, pull.draft = body.get("body") or "", bool(body.get("draft"))
    return Reply(201, pull_object(world, repository, pull, known=False))


@route(f"PUT {_ONE}/merge")
def merge(asked: Asked) -> Reply:
    repository = asked.repository
    pull = repository.pull(asked.number("pull_number"))
    if asked.body.get("sha") not in (None, repository.head(pull)):
        raise RefusedError(409, "Head branch was modified. Review and try the merge again.")
    if pull.state != "open" or mergeable_state(repository, pull) in ("dirty", "blocked", "draft"):
        raise RefusedError(405, "Pull Request is not mergeable")
    if (how := asked.body.get("merge_method") or "merge") not in WAYS:
        raise RefusedError(422, "Invalid request.")
    sha = merge_pull(asked.world, repository, pull, how)
    return Reply(200, {"sha": sha, "merged": True, "message": "Pull Request successfully merged"})
