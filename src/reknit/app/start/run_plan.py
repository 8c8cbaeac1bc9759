"""A run that is ready to start."""

from dataclasses import dataclass

from reknit.core.gate.waiver import MOST_NAMED, ended_text, forbidden_texts
from reknit.core.runs.spec import RunSpec


@dataclass(frozen=True)
class RunPlan:
    spec: RunSpec
    notes: tuple[str, ...] = ()
    """What the user should know before it starts."""


def start_notes(spec: RunSpec) -> tuple[str, ...]:
    """What to know about any run: waivers that have ended or are forbidden, and a box that is not a sandbox."""
    ended = spec.waivers.ended
    more = (f"and {len(ended) - MOST_NAMED} more waivers have ended",) if len(ended) > MOST_NAMED else ()
    forbidden = forbidden_texts(spec.waivers)[:MOST_NAMED]
    return (*_sandbox(spec), *forbidden, *map(ended_text, ended[:MOST_NAMED]), *more)


def _sandbox(spec: RunSpec) -> tuple[str, ...]:
    if spec.box != "host":
        return ()
    alone = ("box `host` starts no services: start what the tests need yourself",) if spec.services else ()
    return ("box `host` is not a sandbox: agent and tests run with your permissions", *alone)
