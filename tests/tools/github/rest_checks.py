"""REST: check runs, which only an App may write, and commit statuses."""

from typing import Any

from tests.tools.github.bare import MissingError
from tests.tools.github.checks import tell_of_check, tell_of_status
from tests.tools.github.description import example
from tests.tools.github.rest_identity import app_object
from tests.tools.github.routes import Asked, RefusedError, Reply, page, route
from tests.tools.github.world import Check, Json, Repository, Status, World, suite_id

_ALL = "/repos/{owner}/{repo}/check-runs"
_ONE = _ALL + "/{check_run_id}"
_OF_COMMIT = "GET /repos/{owner}/{repo}/commits/{ref}/check-runs"
_COMBINED = "GET /repos/{owner}/{repo}/commits/{ref}/status"


def check_object(world: World, repository: Repository, check: Check) -> Json:
    answer: Json = example(f"GET {_ONE}", repository.slug, world.url)
    place = f"{world.url}/repos/{repository.slug}/check-runs/{check.id}"
    answer |= {
        "id": check.id,
        "node_id": f"CR_{check.id}",
        "name": check.name,
        "head_sha": check.sha,
        "external_id": check.external_id,
        "url": place,
        "html_url": f"{world.url}/{repository.slug}/runs/{check.id}",
        "details_url": check.details_url,
        "status": check.status,
        "conclusion": check.conclusion,
        "started_at": check.started_at,
        "completed_at": check.completed_at,
        "app": app_object(world, check.app),
        "check_suite": {"id": suite_id(check.app, check.sha)},
        "pull_requests": [],
    }
    answer["output"] = {
        "title": check.title,
        "summary": check.summary,
        "text": check.text,
        "annotations_count": len(check.annotations),
        "annotations_url": place + "/annotations",
    }
    return answer


def commit_of(asked: Asked, name: str = "ref") -> str:
    try:
        return asked.repository.bare.sha(asked.place[name])
    except MissingError as missing:
        raise RefusedError(422, f"No commit found for SHA: {asked.place[name]}") from missing


@route(_OF_COMMIT)
def list_checks(asked: Asked) -> Reply:
    repository = asked.repository
    sha = commit_of(asked)
    every = [check for check in repository.checks if check.sha == sha]
    found = every if asked.query.get("filter") == "all" else repository.latest_checks(sha)
    if asked.world.faults.take("checks_lag"):
        found = []
    name, status = asked.query.get("check_name"), asked.query.get("status")
    found = [check for check in found if name in (None, check.name) and status in (None, check.status)]
    shown, headers = page(asked, found)
    objects = [check_object(asked.world, repository, check) for check in shown]
    return Reply(200, {"total_count": len(found), "check_runs": objects}, headers)


@route(f"GET {_ONE}")
def get_check(asked: Asked) -> Reply:
    check = asked.repository.check(asked.number("check_run_id"))
    return Reply(200, check_object(asked.world, asked.repository, check))


@route(f"GET {_ONE}/annotations")
def get_annotations(asked: Asked) -> Reply:
    one = example(asked.operation, asked.repository.slug, asked.world.url)[0]
    missing = dict.fromkeys(("start_column", "end_column", "title", "raw_details"))
    annotations = asked.repository.check(asked.number("check_run_id")).annotations
    shown, headers = page(asked, [one | missing | annotation for annotation in annotations])
    return Reply(200, shown, headers)


@route(f"POST {_ALL}")
def create_check(asked: Asked) -> Reply:
    _only_an_app(asked)
    repository, world = asked.repository, asked.world
    sha = repository.bare.sha(asked.body["head_sha"])
    app = world.tokens.app.slug
    check = Check(world.new_id(), asked.body["name"], sha, "queued", None, world.now(), app)
    check.details_url = f"{world.url}/{repository.slug}/runs/{check.id}"
    _write(world, check, asked.body)
    repository.checks.append(check)
    tell_of_check(world, repository, check, "completed" if check.conclusion else "created")
    return Reply(201, check_object(world, repository, check))


@route(f"PATCH {_ONE}")
def update_check(asked: Asked) -> Reply:
    _only_an_app(asked)
    check = asked.repository.check(asked.number("check_run_id"))
    if check.app != asked.world.tokens.app.slug:
        raise RefusedError(
            403, "Invalid app_id `1` - check run can only be modified by the GitHub App that created it."
        )
    _write(asked.world, check, asked.body)
    tell_of_check(asked.world, asked.repository, check, "completed" if check.conclusion else "created")
    return Reply(200, check_object(asked.world, asked.repository, check))


def _only_an_app(asked: Asked) -> None:
    if not asked.person.is_bot:
        raise RefusedError(403, "You must authenticate via a GitHub App.")


def _write(world: World, check: Check, body: Json) -> None:
    if body.get("status") == "completed" and not (body.get("conclusion") or check.conclusion):
        raise RefusedError(422, "Invalid request.\n\nMissing required parameter: conclusion")
    for name in ("name", "external_id", "details_url", "status"):
        if name in body:
            setattr(check, name, body[name])
    if body.get("conclusion"):
        check.status, check.conclusion = "completed", body["conclusion"]
        check.completed_at = body.get("completed_at") or world.now()
    elif "status" in body and body["status"] != "completed":
        check.conclusion = check.completed_at = None
    output: dict[str, Any] = body.get("output") or {}
    for name in ("title", "summary", "text"):
        if name in output:
            setattr(check, name, output[name])
    check.annotations += output.get("annotations", [])


@route(_COMBINED)
def combined_status(asked: Asked) -> Reply:
    repository = asked.repository
    sha = commit_of(asked)
    latest = [] if asked.world.faults.take("checks_lag") else repository.latest_statuses(sha)
    states = {status.state for status in latest}
    answer: Json = example(asked.operation, repository.slug, asked.world.url)
    one = answer["statuses"][0]
    shown, headers = page(asked, latest)
    answer |= {"sha": sha, "total_count": len(latest), "state": _combined(states)}
    answer["statuses"] = [one | _about(status) for status in shown]
    answer["repository"] |= {"full_name": repository.slug, "name": repository.slug.split("/")[1]}
    return Reply(200, answer, headers)


def _about(status: Status) -> Json:
    about = {"id": status.id, "state": status.state, "context": status.context, "description": status.description}
    return {**about, "created_at": status.at, "updated_at": status.at}


def _combined(states: set[str]) -> str:
    if states & {"failure", "error"}:
        return "failure"
    return "pending" if not states or "pending" in states else "success"


@route("POST /repos/{owner}/{repo}/statuses/{sha}")
def create_status(asked: Asked) -> Reply:
    world, repository, body = asked.world, asked.repository, asked.body
    sha = repository.bare.sha(asked.place["sha"])
    context, said = body.get("context") or "default", body.get("description") or ""
    status = Status(world.new_id(), sha, context, body["state"], said, world.now())
    repository.statuses.append(status)
    tell_of_status(world, repository, status)
    return Reply(201, example(asked.operation, repository.slug, world.url) | _about(status))
