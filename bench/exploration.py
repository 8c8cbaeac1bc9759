"""Exploration of 100,000 tracked files beside `git ls-files`: the walk over them, and all of it; in CPU time."""

import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from statistics import median

from bench.figure import Figure
from reknit.app.installation import find_installation
from reknit.app.start.exploration.explore import explore
from reknit.app.start.exploration.inventory import explore_tracked_files

FILES, ROUNDS = 100_000, 9
DOCS_EVERY, A_FOLDER = 500, 50
_EXTENSIONS = ("py", "py", "py", "ts", "tsx", "go", "json", "yml", "txt", "png")
_DOC = "---\ntitle: Page {0}\nstatus: current\nupdated: 2026-11-01\ntags: [a, b]\n---\n" + "Some words. " * 300
_TOP = ("README.md", "STATE.md", "CHANGELOG.md", "LICENSE", ".github/workflows/ci.yml", ".gitignore", "Makefile")


def figures(files: int = FILES, rounds: int = ROUNDS) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "user")
        _make(root, files)
        state = {"PATH": os.environ["PATH"], "HOME": folder, "REKNIT_STATE": str(Path(folder, "state"))}
        installation = find_installation(state)
        cases: tuple[Callable[[], object], ...] = (
            lambda: subprocess.run(["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=True),
            lambda: explore_tracked_files(str(root)),
            lambda: explore(installation, root, date(2026, 11, 17)),
        )
        seen = [[_cpu_s(case) for case in cases] for _ in range(rounds + 1)][1:]
    for name, ours, limit in (("walk over", 1, 2.5), ("all of the exploration of", 2, None)):
        cost, anchor = (f"{median(row[case] for row in seen) * 1000:.0f} ms" for case in (ours, 0))
        ratio = median(row[ours] / row[0] for row in seen)
        yield Figure(f"{name} {files:,} files / git ls-files", cost, anchor, ratio, limit)


def _make(root: Path, files: int) -> None:
    names = [*_TOP, *(_name(number) for number in range(files - len(_TOP)))]
    for folder in {(root / name).parent for name in names}:
        folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        (root / name).write_text(_DOC.format(number) if name.endswith(".md") else f"{number}\n")
    git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for arguments in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message=x")):
        subprocess.run([*git, *arguments], cwd=root, check=True)


def _name(number: int) -> str:
    if number % DOCS_EVERY == 0:
        return f"docs/part{number % 7}/page{number}.md"
    folder = f"src/package{number // (A_FOLDER * 20)}/module{number // A_FOLDER}"
    return f"{folder}/some_file_{number}.{_EXTENSIONS[number % len(_EXTENSIONS)]}"


def _cpu_s(work: Callable[[], object]) -> float:
    """Of this process and of those it starts: reading what git prints counts, for the anchor too."""
    before = _used()
    work()
    return _used() - before


def _used() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)
