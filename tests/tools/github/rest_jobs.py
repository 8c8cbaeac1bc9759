"""REST: jobs of GitHub Actions, their logs behind a redirect, and running a check again."""

from tests.tools.github.bare import MissingError
from tests.tools.github.checks import rerun_check
from tests.tools.github.description import example
from tests.tools.github.routes import Asked, RefusedError, Reply, route
from tests.tools.github.world import Check, Json

_JOB = "/repos/{owner}/{repo}/actions/jobs/{job_id}"


def _job(asked: Asked) -> Check:
    check = asked.repository.check(asked.number("job_id"))
    if not check.is_job:
        raise MissingError("a check run of another App is no job")
    return check


@route(f"GET {_JOB}")
def get_job(asked: Asked) -> Reply:
    check, world, slug = _job(asked), asked.world, asked.repository.slug
    answer: Json = example(asked.operation, slug, world.url)
    place = f"{world.url}/repos/{slug}"
    answer |= {
        "id": check.id,
        "run_id": asked.repository.id,
        "head_sha": check.sha,
        "name": check.name,
        "status": check.status,
        "conclusion": check.conclusion,
        "created_at": check.started_at,
        "started_at": check.started_at,
        "completed_at": check.completed_at,
        "url": f"{place}/actions/jobs/{check.id}",
        "html_url": check.details_url,
        "check_run_url": f"{place}/check-runs/{check.id}",
        "steps": [],
    }
    return Reply(200, answer)


@route(f"GET {_JOB}/logs")
def get_log(asked: Asked) -> Reply:
    check = _job(asked)
    if check.conclusion is None:
        raise MissingError("the log of a job that has not ended")
    if not asked.person.login:
        raise RefusedError(403, "Must have admin rights to Repository.")
    if asked.world.faults.take("log_forbidden"):
        raise RefusedError(403, "Resource not accessible by personal access token")
    if asked.world.faults.take("log_gone"):
        raise RefusedError(410, "Gone")
    # another host name, as at GitHub: a client must not take its token there
    place = asked.world.url.replace("127.0.0.1", "localhost")
    return Reply(302, None, {"location": f"{place}/logs/{asked.repository.slug}/{check.id}?sig=1"})


@route(f"POST {_JOB}/rerun")
def rerun_job(asked: Asked) -> Reply:
    return _rerun(asked, _job(asked))


@route("POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest")
def rerequest(asked: Asked) -> Reply:
    return _rerun(asked, asked.repository.check(asked.number("check_run_id")))


def _rerun(asked: Asked, check: Check) -> Reply:
    world, repository = asked.world, asked.repository
    if not world.may_push(asked.person, repository):
        raise RefusedError(403, "Must have admin rights to Repository.")
    if any(suite.app == check.app and suite.status != "completed" for suite in repository.suites(check.sha)):
        raise RefusedError(403, "This workflow run is already running")
    fresh = rerun_check(world, repository, check)
    if world.on_rerun is not None:
        world.on_rerun(repository.slug, fresh.sha, fresh.name, fresh.id)
    return Reply(201, {})
