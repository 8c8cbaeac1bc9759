"""REST: a repository, its branches and what they demand, its labels."""

from tests.tools.github.bare import MissingError
from tests.tools.github.description import example
from tests.tools.github.rest_identity import user_object
from tests.tools.github.routes import Asked, Reply, page, route
from tests.tools.github.tokens import Person
from tests.tools.github.world import Json, Pull, Repository, World

_REPOSITORY = "GET /repos/{owner}/{repo}"
_BRANCH = "GET /repos/{owner}/{repo}/branches/{branch}"
_RULES = "GET /repos/{owner}/{repo}/rules/branches/{branch}"
_LABELS = "/repos/{owner}/{repo}/issues/{issue_number}/labels"


def about_repository(world: World, repository: Repository) -> Json:
    """What every form of a repository's object says of it."""
    owner, name = repository.slug.split("/")
    return {
        "id": repository.id,
        "node_id": f"R_{repository.id}",
        "name": name,
        "full_name": repository.slug,
        "owner": user_object(world, Person(owner)),
        "private": repository.private,
        "visibility": "private" if repository.private else "public",
        "fork": bool(repository.parent),
        "default_branch": "main",
        "clone_url": f"{world.url}/{repository.slug}.git",
        "html_url": f"{world.url}/{repository.slug}",
        "archived": False,
        "disabled": False,
    }


@route(_REPOSITORY)
def get_repository(asked: Asked) -> Reply:
    repository, world = asked.repository, asked.world
    answer: Json = example(asked.operation, repository.slug, world.url) | about_repository(world, repository)
    answer["language"] = None  # the description demands it, its example lacks it
    above = {"parent": world.repositories.get(repository.parent), "source": _source(world, repository)}
    for name, fork_of in above.items():
        example_of = answer.pop(name)
        answer |= {name: {**example_of, "language": None, **about_repository(world, fork_of)}} if fork_of else {}
    for inherited in ("template_repository", "organization"):
        answer.pop(inherited, None)
    if asked.person.login:
        push = world.may_push(asked.person, repository)
        owns = asked.person.login == repository.slug.split("/")[0]
        answer["permissions"] = {"admin": owns, "maintain": owns, "push": push, "triage": push, "pull": True}
    else:
        answer.pop("permissions", None)
    return Reply(200, answer)


def _source(world: World, repository: Repository) -> Repository | None:
    """Where the forks of forks began; None: it is no fork."""
    above = world.repositories.get(repository.parent)
    return above and (_source(world, above) or above)


@route(_BRANCH)
def get_branch(asked: Asked) -> Reply:
    repository, branch = asked.repository, asked.place["branch"]
    tip = repository.bare.tip(f"refs/heads/{branch}")
    if not tip:
        raise MissingError(branch)
    contexts = repository.required.get(branch, ())
    protected = bool(contexts) or branch in repository.protected
    demanded = {
        "enforcement_level": "non_admins" if contexts else "off",
        "contexts": list(contexts),
        "checks": [{"context": name, "app_id": None} for name in contexts],
    }
    answer: Json = example(asked.operation, repository.slug, asked.world.url)
    answer |= {"name": branch, "protected": protected}
    answer["commit"]["sha"] = tip
    answer["protection"] = {"enabled": protected, "required_status_checks": demanded}
    return Reply(200, answer)


@route(_RULES)
def get_rules(asked: Asked) -> Reply:
    repository = asked.repository
    names = repository.ruled.get(asked.place["branch"], ())
    if not names:
        return Reply(200, [])
    checks = [{"context": name} for name in names]
    parameters = {"required_status_checks": checks, "strict_required_status_checks_policy": False}
    source = {"ruleset_source_type": "Repository", "ruleset_source": repository.slug, "ruleset_id": 1}
    return Reply(200, [{"type": "required_status_checks", **source, "parameters": parameters}])


def label_objects(world: World, repository: Repository, names: list[str]) -> list[Json]:
    one = example(f"GET {_LABELS}", repository.slug, world.url)[0]
    return [one | {"name": name, "url": f"{world.url}/repos/{repository.slug}/labels/{name}"} for name in names]


def _labelled(asked: Asked) -> Pull:
    return asked.repository.pull(asked.number("issue_number"))


@route(f"GET {_LABELS}")
def get_labels(asked: Asked) -> Reply:
    found, headers = page(asked, label_objects(asked.world, asked.repository, _labelled(asked).labels))
    return Reply(200, found, headers)


@route(f"POST {_LABELS}")
def add_labels(asked: Asked) -> Reply:
    labels = _labelled(asked).labels
    labels += [name for name in asked.body.get("labels", []) if name not in labels]
    return Reply(200, label_objects(asked.world, asked.repository, labels))


@route(f"DELETE {_LABELS}/{{name}}")
def remove_label(asked: Asked) -> Reply:
    labels = _labelled(asked).labels
    if asked.place["name"] not in labels:
        raise MissingError("label")
    labels.remove(asked.place["name"])
    return Reply(200, label_objects(asked.world, asked.repository, labels))
