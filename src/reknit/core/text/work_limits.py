"""Limits for work on untrusted text, and the value returned instead of a result when one is reached."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkLimits:
    """What one call may use before it is stopped."""

    wall_s: float
    memory_bytes: int


GATE_LIMITS = WorkLimits(wall_s=30.0, memory_bytes=2 << 30)
TEST_REPORT_LIMITS = WorkLimits(wall_s=60.0, memory_bytes=3 << 30)
IMPORT_LIMITS = WorkLimits(wall_s=300.0, memory_bytes=6 << 30)
"""By far the largest: a report of half a gigabyte is legitimate, and the user who started the command can stop it."""


@dataclass(frozen=True)
class Unfinished:
    why: str
    """`took longer than 30 s`, with the work as its subject."""
