"""A shop with a pull request that has a red test, a red lint check and two things a reviewer sees, on the stand-in."""

import importlib.resources
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tools.command_line import CommandLine
from tests.tools.github import GitHub

SLUG, BRANCH, TITLE = "acme/shop", "discount", "Discounts as a share"
SOURCE, REPORT = "shop/pricing.py", "shop/report.py"
WRONG, RIGHT = "return price - percent", "return price * (1 - percent / 100)"
LINT_LINE = "import os, sys\n"
CLEAN_REPORT = '''"""Prints what was sold."""


def line(name: str, price: float) -> str:
    return name + " " + str(price)


def mean(prices: list[float]) -> float:
    return sum(prices) / len(prices)
'''
FINDINGS = (
    {"category": "format", "severity": "warning", "file": REPORT, "line": 6, "issue": "prices need two digits"},
    {"category": "crash", "severity": "blocking", "file": REPORT, "line": 10, "issue": "no prices: division by zero"},
)
NEEDS_WORK: dict[str, Any] = {
    "report": {"verdict": "needs_work", "score_0_100": 40, "summary": "two", "findings": list(FINDINGS)}
}
PASSED = {"report": {"verdict": "passed", "score_0_100": 97, "summary": "fine", "findings": []}}
FIX_TEST = {"replace": {SOURCE: [WRONG, RIGHT]}, "cost_usd": 0.03}
FIX_LINT = {"replace": {REPORT: [LINT_LINE, ""]}, "cost_usd": 0.02}
FIX_REVIEW = {
    "run": [
        "python3",
        "-c",
        f"from pathlib import Path; p = Path({REPORT!r}); s = p.read_text();"
        "s = s.replace('str(price)', 'format(price, \".2f\")');"
        "s = s.replace('/ len(prices)', '/ max(len(prices), 1)'); p.write_text(s)",
    ],
    "cost_usd": 0.02,
}
FIXES = (FIX_TEST, FIX_LINT, FIX_REVIEW)
REVIEWS = (NEEDS_WORK, NEEDS_WORK, NEEDS_WORK, PASSED)


def shop_files() -> dict[str, str]:
    root = importlib.resources.files("reknit.app") / "demo_repository"
    names = ("run_tests.py", "reknit.toml", "shop/__init__.py", SOURCE, "tests/__init__.py", "tests/test_pricing.py")
    files = {name: root.joinpath(name).read_text("utf-8") for name in names}
    return {**files, SOURCE: files[SOURCE].replace(WRONG, RIGHT), ".github/workflows/ci.yml": "on: push\n"}


def changed(*, test: bool = True, lint: bool = True) -> dict[str, str]:
    """What the pull request changes; `test` and `lint` say which of the two it breaks."""
    right = shop_files()[SOURCE]
    return {SOURCE: right.replace(RIGHT, WRONG) if test else right, REPORT: LINT_LINE * lint + CLEAN_REPORT}


@dataclass
class PullScene:
    folder: Path
    hub: GitHub
    fixes: Sequence[dict[str, Any]] = FIXES
    reviews: Sequence[dict[str, Any]] = REVIEWS
    settings: dict[str, Any] = field(default_factory=dict)
    answers: bool = True
    """CI answers each push at once."""
    changes: dict[str, str] = field(default_factory=changed)
    files: dict[str, str] = field(default_factory=shop_files)
    """What main has."""
    fork: str = ""
    """Whose copy has the branch; empty: it is in the repository itself."""
    database: str = ""
    """A URL; empty: SQLite in the state folder."""
    head_slug: str = field(init=False)
    clone: Path = field(init=False)
    number: int = field(init=False)
    command: CommandLine = field(init=False)

    def __post_init__(self) -> None:
        hub = self.hub
        hub.make_repository(SLUG, self.files)
        hub.on_push = self.ci if self.answers else None
        self.head_slug = hub.fork(SLUG, self.fork) if self.fork else SLUG
        head = hub.commit(self.head_slug, BRANCH, self.changes, message="Discounts as a share")
        self.number = hub.open_pull(SLUG, head=BRANCH, title=TITLE, head_slug=self.head_slug)
        if self.answers:
            self.ci(self.head_slug, BRANCH, head)
        self.clone = self.folder / "shop"
        git = ["git", "clone", "-q", "-b", "main" if self.fork else BRANCH, f"{hub.url}/{SLUG}.git", str(self.clone)]
        subprocess.run(git, check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        database = {"REKNIT_DATABASE": self.database} if self.database else {}
        self.command = CommandLine(self.folder, {"GH_TOKEN": hub.token, **database})
        self.command.configure(
            fixer="scripted",
            agents={
                "scripted": {"story": json.dumps(list(self.fixes))},
                "critic": {"kind": "scripted", "story": json.dumps(list(self.reviews))},
            },
            checks={"review": {"agent": "critic"}, "ci": {"wait_s": 1, **self.settings.pop("ci", {})}},
            forge={"api": hub.url},
            **self.settings,
        )

    def become_app(self) -> None:
        """Let reknit be an App there, without a token of a person."""
        app = self.hub.app
        names = ("REKNIT_GITHUB_APP_ID", "REKNIT_GITHUB_APP_KEY", "REKNIT_GITHUB_INSTALLATION")
        values = (str(app.id), app.private_key, str(app.installation_id))
        self.command = CommandLine(self.folder, dict(zip(names, values, strict=True)))

    def ci(self, slug: str, _branch: str, sha: str) -> None:
        """Lint, as CI would run it on that commit."""
        report = self.hub.show(slug, sha, REPORT) if REPORT in self.changes else ""
        red = report.startswith(LINT_LINE)
        log = f"{REPORT}:1:1: E401 multiple imports on one line\nFound 1 error.\n##[error]Process completed with code 1"
        self.hub.check(SLUG, sha, "lint", "failure" if red else "success", log=log if red else "ok")
        self.hub.check(SLUG, sha, "build", "success", log="ok")
