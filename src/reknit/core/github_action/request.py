"""Turns the inputs of the GitHub Action into a command line of `reknit`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reknit.core.errors import UsageError
from reknit.core.text.format import sanitize_line, suggest_similar

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "fix-pr": ("fix", "pr"),
    "review": ("review", "--report-only"),
    "vote": ("vote",),
}
EVENTS_ON_HEAD = frozenset(
    {"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment", "push", "merge_group"}
)
"""Events whose jobs are themselves checks of a commit of the pull request."""
_OWN_TOKEN = "the GITHUB_TOKEN of the workflow"  # noqa: S105 - a name


@dataclass(frozen=True)
class ActionRequest:
    """The inputs of the action, and the event that started the workflow."""

    command: str
    repository: str
    """`owner/name`."""
    server: str = "https://github.com"
    event_name: str = ""
    event: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    budget: str = ""
    pull: str = ""
    """Number of the pull request as the workflow sets it; empty: that of the event."""
    token: str = field(default="", repr=False)
    job_token: str = field(default="", repr=False)
    """The workflow's own token, which may be the same as `token`."""


def build_command(request: ActionRequest) -> list[str]:
    """Return the command line of `reknit`; raise UsageError for a run that could not succeed.

    Each value is in one word with its option, so that it cannot be read as another option.
    """
    if request.command not in COMMANDS:
        hint = suggest_similar(request.command, [*COMMANDS]) or f"the commands are {', '.join(COMMANDS)}"
        raise UsageError("action", f"no command {sanitize_line(request.command, 60)!r}", help=hint)
    url = f"{request.server.rstrip('/')}/{request.repository}/pull/{_find_number(request)}"
    if not request.token:
        message = "the input `token` is empty"
        raise UsageError("action-token", message, help=f"a secret that is not set is empty.{_explain_fork(request)}")
    if request.command == "fix-pr":
        _refuse_endless_run(request)
    option = "--agents" if request.command == "vote" else "--agent"
    settings = {option: request.agent, "--budget": request.budget}
    options = [f"{name}={value}" for name, value in settings.items() if value]
    target = [f"--pr={url}"] if request.command == "review" else [url]
    return [*COMMANDS[request.command], *options, "--format=json", *target]


def explain_missing_login(request: ActionRequest) -> str:
    """Return why a login may be missing: the pull request is from a fork. Empty if it is not known to be."""
    return _explain_fork(request).strip()


def _refuse_endless_run(request: ActionRequest) -> None:
    if request.token == request.job_token:
        message = f"`fix-pr` cannot push with {_OWN_TOKEN}: its commits start no CI, so the run could never see it pass"
        hint = "set the input `token` to a personal token or the token of a GitHub App, kept as a secret"
        raise UsageError("action-token", message, help=hint)
    if request.event_name in EVENTS_ON_HEAD:
        message = (
            f"`fix-pr` cannot be started by `{request.event_name}`: this job would be a check of the pull request, and "
            "the run would wait for itself"
        )
        hint = "start it by `workflow_run` after your CI, by `issue_comment` or by `workflow_dispatch`"
        raise UsageError("action-event", message, help=hint)


def _find_number(request: ActionRequest) -> int:
    if request.pull:
        if not request.pull.isascii() or not request.pull.isdecimal() or not 0 < int(request.pull[:10]) < 10**9:
            message = (
                f"`pull-request` is {sanitize_line(request.pull, 60)!r}, which is not the number of a pull request"
            )
            raise UsageError("action", message)
        return int(request.pull)
    pulls = _list_pulls(request.event)
    if len(pulls) == 1:
        return pulls[0]
    many = f"{len(pulls)} pull requests" if pulls else "no pull request"
    message = f"the event `{sanitize_line(request.event_name, 60)}` is about {many}"
    raise UsageError("action", message, help="name one: the input `pull-request`")


def _list_pulls(event: Mapping[str, Any]) -> Sequence[int]:
    """Return the pull requests of the payload, in which anything may be missing."""
    if number := _read_number(event.get("pull_request")):
        return [number]
    issue = event.get("issue")
    if isinstance(issue, Mapping) and issue.get("pull_request") and (number := _read_number(issue)):
        return [number]
    for name in ("workflow_run", "check_suite", "check_run"):
        about = event.get(name)
        pull_requests = about.get("pull_requests") if isinstance(about, Mapping) else None
        if isinstance(pull_requests, list) and (
            numbers := [number for pull_request in pull_requests if (number := _read_number(pull_request))]
        ):
            return numbers
    return []


def _read_number(about: object) -> int:
    number = about.get("number") if isinstance(about, Mapping) else None
    return number if isinstance(number, int) and number > 0 else 0


def _explain_fork(request: ActionRequest) -> str:
    pull = request.event.get("pull_request")
    head = pull.get("head") if isinstance(pull, Mapping) else None
    origin = head.get("repo") if isinstance(head, Mapping) else None
    if not isinstance(origin, Mapping) or origin.get("full_name") == request.repository:
        return ""
    return " GitHub gives no secrets to workflows of pull requests from forks"
