"""A run that is ready to start."""

from dataclasses import dataclass

from reknit.core.runs.spec import RunSpec


@dataclass(frozen=True)
class RunPlan:
    spec: RunSpec
    notes: tuple[str, ...] = ()
    """What the user should know before it starts."""


def sandbox_notice(spec: RunSpec) -> tuple[str, ...]:
    return ("box `host` is not a sandbox: agent and tests run with your permissions",) if spec.box == "host" else ()
