"""The check of a window's work as shared code sees it."""

from reknit.core.capability import Capability
from reknit.core.runs.spec import RunSpec


def _heading(spec: RunSpec) -> list[str]:
    return [f"{spec.run_id}  checks {spec.bug}"]


HOOK_CHECK = Capability(
    kind="hook check",
    workflow="hook_check.v1",
    function="reknit.workflows.hook_check.workflow:hook_check",
    on_cancel="reknit.workflows.hook_check.steps:cancelled",
    agents=lambda _spec: [],
    runs_tests=True,
    phases={"hook_judge": "the gate reads the change", "hook_test": "the test runs", "hook_conclude": "done"},
    heading=_heading,
)
