"""Lists the durable workflow of each kind of run. A new one is registered here."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RegisteredWorkflow:
    """A workflow by its names, so that it is imported only where runs are executed."""

    name: str
    """The stable name under which the engine stores it, such as `repair.v1`."""
    function: str
    """`module:name` of the workflow function."""
    on_cancel: str = ""
    """`module:name` of a coroutine that gets services, spec and ending after a person cancelled the run."""


_HERE = "reknit.workflows"
WORKFLOWS: dict[str, RegisteredWorkflow] = {
    "fix tests": RegisteredWorkflow("repair.v1", f"{_HERE}.fix_tests.workflow:repair"),
    "fix pr": RegisteredWorkflow(
        "pull_request.v1", f"{_HERE}.fix_pr.workflow:pull_request", f"{_HERE}.fix_pr.record_steps:update_pull_request"
    ),
    "fix issues": RegisteredWorkflow("backlog.v1", f"{_HERE}.fix_issues.workflow:backlog"),
    "review": RegisteredWorkflow("review.v1", f"{_HERE}.review.workflow:review"),
    "hook check": RegisteredWorkflow("hook_check.v1", f"{_HERE}.hook_check:hook_check", f"{_HERE}.hook_check:cancel"),
    "plan": RegisteredWorkflow("plan.v1", f"{_HERE}.plan:plan"),
    "vote": RegisteredWorkflow("vote.v1", f"{_HERE}.vote:vote"),
}
"""Kind of run -> its workflow."""
