"""Describes `hook check`, the check of a window's work, to shared code."""

from reknit.core.capability import Capability
from reknit.core.hook.task import HookCheck
from reknit.core.runs.spec import RunSpec


def _render_heading(spec: RunSpec) -> list[str]:
    return [f"{spec.run_id}  checks {spec.task_as(HookCheck).bug}"]


HOOK_CHECK = Capability(
    kind="hook check",
    agents=lambda _spec: [],
    runs_tests=True,
    phases={"hook_judge": "the gate reads the change", "hook_test": "the test runs", "hook_conclude": "done"},
    heading=_render_heading,
)
