"""What happens to checks: CI reports them, somebody has one run again, and those who asked are told."""

from tests.tools.github.pulls import tell
from tests.tools.github.world import Check, Repository, Status, Suite, World


def report_check(world: World, repository: Repository, sha: str, name: str, *, job: bool) -> Check:
    """The run of that name that has not ended yet on that commit, or a new one."""
    app = "github-actions" if job else "some-ci"
    for check in repository.latest_checks(sha):
        if (check.app, check.name) == (app, name) and check.conclusion is None:
            return check
    return _new(world, repository, sha, name, app)


def rerun_check(world: World, repository: Repository, check: Check) -> Check:
    """A new run takes its place. The test's robot hears of it."""
    fresh = _new(world, repository, check.sha, check.name, check.app)
    fresh.status = "queued"
    tell_of_check(world, repository, fresh, "created")
    return fresh


def _new(world: World, repository: Repository, sha: str, name: str, app: str) -> Check:
    check = Check(world.new_id(), name, sha, "in_progress", None, world.now(), app)
    check.details_url = f"{world.url}/{repository.slug}/actions/runs/{repository.id}/job/{check.id}"
    if app != "github-actions":
        check.details_url = f"https://ci.example.com/{check.id}"
    repository.checks.append(check)
    return check


def tell_of_check(world: World, repository: Repository, check: Check, action: str) -> None:
    about = {
        "id": check.id,
        "name": check.name,
        "head_sha": check.sha,
        "status": check.status,
        "conclusion": check.conclusion,
        "app": {"slug": check.app},
        "pull_requests": _pulls(repository, check.sha),
    }
    tell(world, repository, "check_run", {"action": action, "check_run": about})


def tell_of_suite(world: World, repository: Repository, suite: Suite) -> None:
    about = {
        "id": suite.id,
        "head_sha": suite.sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "app": {"slug": suite.app},
        "pull_requests": _pulls(repository, suite.sha),
    }
    action = "completed" if suite.status == "completed" else "requested"
    tell(world, repository, "check_suite", {"action": action, "check_suite": about})


def _pulls(repository: Repository, sha: str) -> list[dict[str, int]]:
    return [{"number": pull.number} for pull in repository.open_pulls() if repository.head(pull) == sha]


def tell_of_status(world: World, repository: Repository, status: Status) -> None:
    about = {"id": status.id, "sha": status.sha, "context": status.context, "state": status.state}
    tell(world, repository, "status", dict(about))
