"""REST: check suites, one an App and commit, which go on for as long as one of their runs does or more are to come."""

from tests.tools.github.description import example
from tests.tools.github.rest_checks import commit_of
from tests.tools.github.rest_identity import app_object
from tests.tools.github.routes import Asked, Reply, page, route
from tests.tools.github.world import Json, Suite

_OF_COMMIT = "GET /repos/{owner}/{repo}/commits/{ref}/check-suites"


@route(_OF_COMMIT)
def list_suites(asked: Asked) -> Reply:
    sha = commit_of(asked)
    lags = asked.world.faults.is_due("checks_lag")
    found = [] if lags else asked.repository.suites(sha)
    shown, headers = page(asked, found)
    objects = [_suite_object(asked, suite) for suite in shown]
    return Reply(200, {"total_count": len(found), "check_suites": objects}, headers)


def _suite_object(asked: Asked, suite: Suite) -> Json:
    world, repository = asked.world, asked.repository
    answer: Json = example(_OF_COMMIT, repository.slug, world.url)["check_suites"][0]
    place = f"{world.url}/repos/{repository.slug}/check-suites/{suite.id}"
    answer |= {
        "id": suite.id,
        "node_id": f"CS_{suite.id}",
        "head_sha": suite.sha,
        "after": suite.sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "app": app_object(world, suite.app),
        "url": place,
        "check_runs_url": f"{place}/check-runs",
        "latest_check_runs_count": len(suite.checks),
    }
    answer["repository"] |= {"full_name": repository.slug, "html_url": f"{world.url}/{repository.slug}"}
    return answer
