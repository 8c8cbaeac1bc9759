"""What is open on a forge: pull requests and issues, as far as a plan needs them."""

from dataclasses import dataclass

UNNAMED_CHECK = "a check whose name could not be read"
"""Stands for what is red by the forge's summary, and cannot be listed or was too much to read."""


@dataclass(frozen=True)
class OpenPull:
    number: int
    title: str
    branch: str
    draft: bool
    merge_state: str
    """In the forge's own words, in lower case: clean, dirty, blocked, behind, unstable, unknown …"""
    red_checks: tuple[str, ...] = ()
    """Names of the failed checks of its head, sorted."""
    files: int = 0
    lines: int = 0
    """Added and removed."""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenIssue:
    number: int
    title: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenWork:
    """Both by number."""

    pulls: tuple[OpenPull, ...] = ()
    issues: tuple[OpenIssue, ...] = ()
    not_listed: int = 0
    """How many more are open."""
