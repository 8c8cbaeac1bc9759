"""A repository for a plan, a scripted agent that proposes, and what a plan left there."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from reknit.app.installation import find_installation
from reknit.app.start.planning.plan import PlanRequest, plan_topic
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import INDEX, PlanFile
from reknit.core.runs.spec import RunSpec
from tests.tools.command_line import CommandLine
from tests.tools.pull_play import Act, Played, play_spec
from tests.tools.repository_print import fingerprint

AS_OF = date(2026, 11, 17)
FILE = ".reknit/plans/tidy-up-advisor.md"
FILES = {
    "shop.py": "def price() -> int:\n    return 1\n",
    "tests/test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price() == 1\n",
    "docs/STATE.md": "---\nstatus: stale\nupdated: 2026-01-01\n---\n\n# State\n",
    "README.md": "# Shop\n",
}
PROPOSAL: dict[str, Any] = {
    "primary": "grey",
    "primary_rationale": "docs/STATE.md is stale.",
    "alternate": "",
    "alternate_when": "",
    "tasks": [{"title": "Refresh docs/STATE.md", "effort": "S", "impact": "L", "files": ["docs/STATE.md"]}],
    "acceptance_criteria": ["file: docs/STATE.md contains status: current"],
    "confidence_0_100": 78,
}


def proposes(**change: Any) -> dict[str, Any]:
    return {"report": {**PROPOSAL, **change}, "cost_usd": 0.1}


@dataclass
class PlanScene:
    folder: Path
    database: str = ""
    """A URL; empty: SQLite in the state folder."""
    files: Mapping[str, str] = field(default_factory=lambda: FILES)
    root: Path = field(init=False)
    command: CommandLine = field(init=False)

    def __post_init__(self) -> None:
        self.root = self.folder / "planned"
        self.command = CommandLine(self.folder, {"REKNIT_DATABASE": self.database} if self.database else {})
        self.write(self.files)
        commit_all(str(self.root), "begin")

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@localhost")
        argv = ["git", "-C", str(self.root), *who, *arguments]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    def tell(self, *moves: dict[str, Any], **settings: Any) -> None:
        self.command.tell_story(*(moves or (proposes(),)), **settings)

    def plan(self, topic: str = "tidy-up", flags: Mapping[str, Any] | None = None, **wanted: Any) -> RunSpec:
        """Without a sandbox, and with short waits."""
        request = PlanRequest(topic, AS_OF, **wanted)
        spec = plan_topic(
            find_installation(self.command.environment), self.root, request, {"box": "host", **(flags or {})}
        )
        return replace(spec.spec, limits=replace(spec.spec.limits, wait_s=0.05))

    def play(self, topic: str = "tidy-up", at: Mapping[str, Act] | None = None, **wanted: Any) -> Played:
        return play_spec(self, self.plan(topic, **wanted), at=at)

    def text(self, file: str = FILE) -> str:
        return (self.root / file).read_text()

    def made(self, file: str = FILE) -> PlanFile:
        parsed = parse_plan(self.text(file))
        assert isinstance(parsed, PlanFile), parsed
        return parsed

    def index_lines(self) -> Sequence[str]:
        return [line for line in self.text(INDEX).splitlines() if line.startswith("- ")]

    def untouched(self) -> dict[str, str]:
        """A fingerprint of all that no plan may write."""
        return {name: text for name, text in fingerprint(self.root).items() if not name.startswith("tree:.reknit")}
