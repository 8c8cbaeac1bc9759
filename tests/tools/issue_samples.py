"""Issues to write, show and export."""

from typing import Any

from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import ChangeNote, Issue, IssueChange, IssueSource

REPOSITORY = "github.com/acme/shop"
MESSAGE = "`os` imported but unused"
RUFF = IssueSource("ruff", "F401", MESSAGE, "https://docs.astral.sh/ruff/rules/unused-import")
FLAKE8 = IssueSource("flake8", "F401", "'os' imported but unused")


def issue(number: int = 1, **facts: Any) -> Issue:
    known: dict[str, Any] = {
        "repository": REPOSITORY, "fingerprint": f"{number:032x}", "status": "OPEN", "path": "src/a.py", "line": 3,
        "column": 8, "rule": "F401", "message": MESSAGE, "weight": "important", "sources": (RUFF,), "baseline": "new",
    }  # fmt: skip
    return Issue(id=number, **(known | facts))


def changed(old: Status | None, new: Status, **note: Any) -> IssueChange:
    known: dict[str, Any] = {"author": "ada", "why": "ruff found it", "at": 1_000.0}
    return IssueChange(1, old, new, ChangeNote(**(known | note)))
