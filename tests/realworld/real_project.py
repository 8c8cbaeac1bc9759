"""A real project with an injected bug, in the environment its developers have, and reknit run in it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.realworld.sources import Source, unpack

SETUP_S = 900
RUN_S = 3600
IGNORED = (
    ".venv/\n__pycache__/\n*.egg-info/\n.pytest_cache/\n.coverage\nnode_modules/\ntarget/\nbuild/\n.tox/\n*.o\n*.so\n"
)
"""Source archives leave out the `.gitignore` that the repository has."""
APPLY = """\
import json, pathlib, sys
said = sys.stdin.read()
for path, right, wrong, where in json.loads(sys.argv[1]):
    if where in said:
        file = pathlib.Path(path)
        file.write_text(file.read_text().replace(wrong, right, 1))
"""


@dataclass(frozen=True)
class Bug:
    """`right` stands once in the file and becomes `wrong`; the agent undoes it when its prompt has `where`.

    Where `right` and `wrong` are the same, nothing is broken: `repair` then is a further edit of the agent.
    """

    path: str
    right: str
    wrong: str
    where: str = ""
    repair: str = ""
    """The text that the agent writes instead of `wrong`; `right` if it is empty."""

    def inject(self, root: Path) -> None:
        file = root / self.path
        text = file.read_text()
        assert text.count(self.right) == 1, f"{self.right!r} stands {text.count(self.right)} times in {self.path}"
        broken = text.replace(self.right, self.wrong)
        assert broken.replace(self.wrong, self.right, 1) == text, f"{self.wrong!r} stands before it in {self.path}"
        file.write_text(broken)


@dataclass(frozen=True)
class RealProject:
    """`sources` go into the folders they are listed under; `shape` says what makes the project worth testing."""

    name: str
    shape: str
    sources: dict[str, Source]
    bugs: tuple[Bug, ...]
    setup: tuple[str, ...] = ()
    change: Callable[[Path], None] | None = None
    """What the repository has and the archive lacks."""
    blocked: str | None = None
    """The sentence that must be printed where the tests cannot run here."""
    environment: dict[str, str] = field(default_factory=dict)
    in_ci: bool = False
    """Quick enough for each change: `REKNIT_REALWORLD=ci` runs only these."""


class Checkout:
    """The project as a repository with a green commit and one that broke it."""

    def __init__(self, project: RealProject, folder: Path, downloads: Path) -> None:
        self.project = project
        self.root = folder / "repository"
        self._folder = folder
        for below, source in project.sources.items():
            unpack(source, downloads, self.root / below)
        self.root.mkdir(exist_ok=True)
        if project.change:
            project.change(self.root)
        if not (self.root / ".gitignore").exists():
            (self.root / ".gitignore").write_text(IGNORED)
        self._git("init", "-q", "-b", "main")
        self._commit("as released")
        self.good_tree = self.tree_of("HEAD")
        self._good_commit = self._git("rev-parse", "HEAD").strip()
        self._set_up()
        self.start_over(project.bugs)

    def start_over(self, bugs: tuple[Bug, ...]) -> None:
        """Break the green commit with these bugs, and forget what earlier runs learned."""
        self._git("checkout", "-qf", "-B", "main", self._good_commit)
        shutil.rmtree(self._state, ignore_errors=True)
        for bug in bugs:
            bug.inject(self.root)
        self._commit("the bug")
        self._configure(bugs)

    def tree_of(self, revision: str) -> str:
        return self._git("rev-parse", f"{revision}^{{tree}}").strip()

    def reknit(self, *words: str) -> tuple[int, str]:
        with (self._folder / f"{words[0]}.log").open("w+") as log:
            run = subprocess.run(
                [Path(sysconfig.get_path("scripts")) / "reknit", *words],
                cwd=self.root,
                env=self._env | self.project.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=RUN_S,
                check=False,
            )
            log.seek(0)
            return run.returncode, log.read()

    @cached_property
    def _env(self) -> dict[str, str]:
        """A person's shell: their PATH without the environment of these tests, and a home folder with nothing in it."""
        scripts = sysconfig.get_path("scripts")
        path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != scripts)
        home = self._folder / "home"
        home.mkdir(exist_ok=True)  # the set-up may have put what belongs there, such as an environment
        named = ("LANG", "RUSTUP_HOME", "CARGO_HOME", "GOPATH")
        kept = _toolchains() | {name: value for name, value in os.environ.items() if name in named}
        return {
            **kept,
            "PATH": path,
            "HOME": str(home),
            "REKNIT_STATE": str(self._state),
            "REKNIT_CONFIG": str(self._config),
        }

    @property
    def _state(self) -> Path:
        return self._folder / "state"

    @property
    def _config(self) -> Path:
        return self._folder / "config.toml"

    def _configure(self, bugs: tuple[Bug, ...]) -> None:
        edits = json.dumps([[bug.path, bug.repair or bug.right, bug.wrong, bug.where] for bug in bugs])
        command = json.dumps([sys.executable, "-c", APPLY, edits])
        self._config.write_text(f'fixer = "right"\n[agents.right]\nkind = "any_command"\ncommand = {command}\n')

    def _set_up(self) -> None:
        """With the registries' settings of this machine, which the product's own run does not get."""
        env = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
        for command in self.project.setup:
            done = subprocess.run(
                ["sh", "-ec", command],
                cwd=self.root,
                env=env | self.project.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SETUP_S,
                check=False,
            )
            assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        assert not self._git("status", "--porcelain"), "the set-up changed tracked files"

    def _commit(self, message: str) -> None:
        self._git("add", "-A")
        self._git("-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "--allow-empty", "-qm", message)

    def _git(self, *words: str) -> str:
        return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout


def _toolchains() -> dict[str, str]:
    """Where they are by default: in the real home folder."""
    places = {"RUSTUP_HOME": Path.home() / ".rustup", "CARGO_HOME": Path.home() / ".cargo"}
    return {name: str(place) for name, place in places.items() if place.is_dir()}


def last_document(output: str) -> dict[str, Any]:
    """What `--format json` printed last."""
    document: dict[str, Any] = json.loads([line for line in output.splitlines() if line.startswith("{")][-1])
    return document
