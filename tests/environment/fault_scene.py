"""A repository with a fault, and the whole product on it, with an agent that counts its calls and applies a fix."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
SAID = "the agent was called"
AGENT = f"""\
import json, os, sys
print({SAID!r})
for path, text in json.loads(sys.argv[1]).items():
    if text is None:
        os.remove(path)
        continue
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
"""


@dataclass(frozen=True)
class Scene:
    here: Here
    command: CommandLine
    repository: Path

    def repair(self, fix: Mapping[str, str | None], *arguments: str, **settings: object) -> Answer:
        agent = {"kind": "any_command", "command": ["python3", "-c", AGENT, json.dumps(fix)]}
        self.command.configure(fixer="mine", agents={"mine": agent}, **settings)
        return self.here("fix", "tests", *arguments, cwd=self.repository)

    def without(self, program: str) -> "Scene":
        """The same on a machine that lacks a program: its folders on PATH become folders of links to all the others."""
        places = [Path(place) for place in self.command.environment["PATH"].split(":")]
        for number, place in enumerate(places):
            if (place / program).exists():
                places[number] = self.command.folder / f"bin-{number}"
                places[number].mkdir()
                for other in place.iterdir():
                    if other.name != program:
                        (places[number] / other.name).symlink_to(other)
        command = CommandLine(self.command.folder, {"PATH": ":".join(map(str, places))})
        return replace(self, here=command.run, command=command)

    @property
    def ending(self) -> tuple[str, str]:
        """The word and the cause, of the last run."""
        document = json.loads(self.here("show", "--format", "json", cwd=self.repository).out)
        return document["ending"], document["cause"]

    @property
    def reason(self) -> str:
        return str(json.loads(self.here("show", "--format", "json", cwd=self.repository).out)["reason"])

    @property
    def agent_calls(self) -> int:
        """Counted by what the agent itself printed."""
        kept = (self.command.folder / "state").rglob("transcript.txt")
        return sum(path.read_text().count(SAID) for path in kept)


class Build(Protocol):
    def __call__(self, files: Mapping[str, str], prepare: Callable[[Path], None] | None = None) -> Scene: ...


def build(
    here: Here, command: CommandLine, files: Mapping[str, str], prepare: Callable[[Path], None] | None = None
) -> Scene:
    """`prepare`: changes the repository before its commit."""
    repository = command.folder / "repository"
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if prepare:
        prepare(repository)
    commit_all(str(repository), "as it is")
    return Scene(here, command, repository)
