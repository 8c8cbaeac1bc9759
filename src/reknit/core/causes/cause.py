"""Why a test is red: the code, or something that no change of the code can repair."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["code", "doubtful", "environment"]
"""`doubtful`: treated as the code's fault, but with one attempt only."""
CauseKind = Literal[
    "", "missing-module", "not-installed", "missing-program", "missing-library", "network", "service", "port",
    "permission", "host-file", "toolchain", "variable", "browser", "display", "node-modules", "submodule", "runner",
    "timeout", "space", "memory", "shared", "locale", "time-zone", "machine", "credential", "device", "download", "lfs",
]  # fmt: skip


@dataclass(frozen=True)
class Cause:
    verdict: Verdict
    kind: CauseKind = ""
    sentence: str = ""
    """What is missing, for people."""
    remedy: str = ""
    """What a person can do about it."""


CODE = Cause("code")


def environment(kind: CauseKind, sentence: str, remedy: str) -> Cause:
    return Cause("environment", kind, sentence, remedy)


def doubtful(kind: CauseKind, sentence: str, remedy: str = "") -> Cause:
    return Cause("doubtful", kind, sentence, remedy)
