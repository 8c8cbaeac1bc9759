"""REST: code-scanning alerts, for those who may see what is wrong with a repository."""

from tests.tools.github.description import example
from tests.tools.github.rest_identity import user_object
from tests.tools.github.routes import Asked, RefusedError, Reply, page, route
from tests.tools.github.tokens import Person
from tests.tools.github.world import Alert, Json, Repository, World

_LIST = "GET /repos/{owner}/{repo}/code-scanning/alerts"
REFUSALS = {
    "never ran": (404, "no analysis found"),
    "off": (
        403,
        "Code scanning is not enabled for this repository. Please enable code scanning in the repository settings.",
    ),
    "not bought": (403, "Advanced Security must be enabled for this repository to use code scanning."),
}


@route(_LIST)
def list_alerts(asked: Asked) -> Reply:
    repository = asked.repository
    if not asked.world.may_push(asked.person, repository):
        raise RefusedError(403, "You are not authorized to read code scanning alerts.")
    if repository.scanning in REFUSALS:
        status, message = REFUSALS[repository.scanning]
        raise RefusedError(status, message)
    state, tool = asked.query.get("state"), asked.query.get("tool_name")
    found = [alert for alert in repository.alerts if state in (None, alert.state) and tool in (None, alert.tool)]
    shown, headers = page(asked, found if asked.query.get("direction") == "asc" else found[::-1])
    return Reply(200, [_object(asked.world, repository, alert) for alert in shown], headers)


def _object(world: World, repository: Repository, alert: Alert) -> Json:
    answer: Json = example(_LIST, repository.slug, world.url)[0]
    place = f"{world.url}/repos/{repository.slug}/code-scanning/alerts/{alert.number}"
    owner = user_object(world, Person(repository.slug.split("/")[0]))
    is_dismissed, is_fixed = alert.state == "dismissed", alert.state == "fixed"
    answer |= {
        "number": alert.number,
        "url": place,
        "html_url": f"{world.url}/{repository.slug}/security/code-scanning/{alert.number}",
        "instances_url": f"{place}/instances",
        "created_at": alert.created_at,
        "updated_at": alert.closed_at or alert.created_at,
        "state": alert.state,
        "fixed_at": alert.closed_at if is_fixed else None,
        "dismissed_by": owner if is_dismissed else None,
        "dismissed_at": alert.closed_at if is_dismissed else None,
        "dismissed_reason": "false positive" if is_dismissed else None,
        "dismissed_comment": None,
    }
    answer["rule"] |= {"id": alert.rule, "name": alert.rule, "description": f"What {alert.rule} is about"}
    answer["rule"] |= {"severity": alert.severity, "security_severity_level": alert.security}
    answer["tool"] |= {"name": alert.tool}
    answer["most_recent_instance"] |= {
        "state": alert.state,
        "commit_sha": alert.commit,
        "message": {"text": alert.message},
        "location": {
            "path": alert.path,
            "start_line": alert.line,
            "end_line": alert.line,
            "start_column": alert.column,
            "end_column": alert.column + 1,
        },
        "classifications": [],
    }
    return answer
