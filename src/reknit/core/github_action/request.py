"""What a workflow asks of the action, as the command to run; refused where it could not end well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reknit.core.errors import UsageProblem
from reknit.core.text.did_you_mean import did_you_mean
from reknit.core.text.format import words

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "fix-pr": ("fix", "pr"),
    "review": ("review", "--report-only"),
    "vote": ("vote",),
}
ON_THE_HEAD = frozenset(
    {"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment", "push", "merge_group"}
)
"""Events whose jobs are themselves checks of a commit of the pull request."""
_OWN_TOKEN = "the GITHUB_TOKEN of the workflow"  # noqa: S105 - a name


@dataclass(frozen=True)
class ActionRequest:
    command: str
    repository: str
    """`owner/name`."""
    server: str = "https://github.com"
    event_name: str = ""
    event: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    budget: str = ""
    pull: str = ""
    """The number that the workflow names; empty: that of the event."""
    token: str = field(default="", repr=False)
    job_token: str = field(default="", repr=False)
    """The workflow's own, which `token` may be."""


def command_line(request: ActionRequest) -> list[str]:
    """For `reknit`. Each value is one word with its option, so that none can be read as another option."""
    if request.command not in COMMANDS:
        hint = did_you_mean(request.command, [*COMMANDS]) or f"the commands are {', '.join(COMMANDS)}"
        raise UsageProblem("action", f"no command {words(request.command, 60)!r}", help=hint)
    url = f"{request.server.rstrip('/')}/{request.repository}/pull/{_number(request)}"
    if not request.token:
        what = "the input `token` is empty"
        raise UsageProblem("action-token", what, help=f"a secret that is not set is empty.{_of_fork(request)}")
    if request.command == "fix-pr":
        _refuse_what_never_ends(request)
    option = "--agents" if request.command == "vote" else "--agent"
    given = {option: request.agent, "--budget": request.budget}
    options = [f"{name}={value}" for name, value in given.items() if value]
    named = [f"--pr={url}"] if request.command == "review" else [url]
    return [*COMMANDS[request.command], *options, "--format=json", *named]


def fork_hint(request: ActionRequest) -> str:
    """Why a login may be missing; empty if the pull request is not known to be of a fork."""
    return _of_fork(request).strip()


def _refuse_what_never_ends(request: ActionRequest) -> None:
    if request.token == request.job_token:
        what = f"`fix-pr` cannot push with {_OWN_TOKEN}: its commits start no CI, so the run could never see it pass"
        hint = "set the input `token` to a personal token or the token of a GitHub App, kept as a secret"
        raise UsageProblem("action-token", what, help=hint)
    if request.event_name in ON_THE_HEAD:
        what = (
            f"`fix-pr` cannot be started by `{request.event_name}`: this job would be a check of the pull request, and "
            "the run would wait for itself"
        )
        hint = "start it by `workflow_run` after your CI, by `issue_comment` or by `workflow_dispatch`"
        raise UsageProblem("action-event", what, help=hint)


def _number(request: ActionRequest) -> int:
    if request.pull:
        if not request.pull.isascii() or not request.pull.isdecimal() or not 0 < int(request.pull[:10]) < 10**9:
            what = f"`pull-request` is {words(request.pull, 60)!r}, which is not the number of a pull request"
            raise UsageProblem("action", what)
        return int(request.pull)
    found = _pulls(request.event)
    if len(found) == 1:
        return found[0]
    many = f"{len(found)} pull requests" if found else "no pull request"
    what = f"the event `{words(request.event_name, 60)}` is about {many}"
    raise UsageProblem("action", what, help="name one: the input `pull-request`")


def _pulls(event: Mapping[str, Any]) -> Sequence[int]:
    """Of the payload, in which anything may be missing."""
    if number := _numbered(event.get("pull_request")):
        return [number]
    issue = event.get("issue")
    if isinstance(issue, Mapping) and issue.get("pull_request") and (number := _numbered(issue)):
        return [number]
    for name in ("workflow_run", "check_suite", "check_run"):
        about = event.get(name)
        listed = about.get("pull_requests") if isinstance(about, Mapping) else None
        if isinstance(listed, list) and (found := [number for each in listed if (number := _numbered(each))]):
            return found
    return []


def _numbered(about: object) -> int:
    number = about.get("number") if isinstance(about, Mapping) else None
    return number if isinstance(number, int) and number > 0 else 0


def _of_fork(request: ActionRequest) -> str:
    pull = request.event.get("pull_request")
    head = pull.get("head") if isinstance(pull, Mapping) else None
    origin = head.get("repo") if isinstance(head, Mapping) else None
    if not isinstance(origin, Mapping) or origin.get("full_name") == request.repository:
        return ""
    return " GitHub gives no secrets to workflows of pull requests from forks"
