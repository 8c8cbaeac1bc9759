"""`kill -9` in the middle of a set-up: the run goes on, and no half of a layer is ever used."""

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tests.environment.fault_scene import AGENT, Build
from tests.tools.package_registry import Registry, serving

FETCH = """\
import os, pathlib, urllib.request
mark = pathlib.Path("node_modules/mark")
mark.parent.mkdir()
mark.write_text("half")
urllib.request.urlopen(os.environ["PIP_INDEX_URL"]).read()
mark.write_text("whole")
"""
FILES = {
    ".gitignore": "node_modules/\n",
    "fetch.py": FETCH,
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n"
    "def test_installed():\n    assert open('node_modules/mark').read() == 'whole'\n",
    "reknit.toml": 'setup = "python3 fetch.py"\n',
}
FIXED = {"calc.py": "def add(a, b):\n    return a + b\n"}


@dataclass
class HeldRegistry(Registry):
    """Answers only once it is let go."""

    is_asked: threading.Event = field(default_factory=threading.Event)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str) -> tuple[int, str, bytes]:
        self.is_asked.set()
        self.may_answer.wait(60)
        return super().answer(path)


def test_a_run_that_is_killed_while_it_is_set_up(scene: Build) -> None:
    made = scene(FILES)
    layers = Path(made.command.environment["REKNIT_STATE"], "layers")
    agent = {"kind": "any_command", "command": ["python3", "-c", AGENT, json.dumps(FIXED)]}
    made.command.configure(fixer="mine", agents={"mine": agent})
    with serving(HeldRegistry(files={"/simple": b"here"})) as registry:
        assert isinstance(registry, HeldRegistry)
        config = Path(made.command.environment["HOME"], ".config/pip/pip.conf")
        config.parent.mkdir(parents=True)
        config.write_text(f"[global]\nindex-url = {registry.address}/simple\n")
        child = made.command.start("fix", "tests", cwd=made.repository)
        assert registry.is_asked.wait(60)
        child.kill()
        child.communicate()
        left = {path.suffix for path in layers.iterdir()}
        assert left == {".new", ".build"}, "nothing that a run would take for a layer"
        registry.may_answer.set()
        (run,) = json.loads(made.here("runs", "--format", "json", cwd=made.repository).out)["runs"]
        answer = made.here("resume", run["run"], cwd=made.repository)
    assert (answer.exit_code, made.ending[0], made.agent_calls) == (0, "FIXED", 1), answer.out + answer.err
    assert [path for path, _ in registry.asked] == ["/simple", "/simple"]
    (layer,) = layers.iterdir()
    assert (layer.suffix, [path.read_text() for path in layer.rglob("mark")]) == ("", ["whole"])
