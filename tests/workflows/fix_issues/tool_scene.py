"""Repositories with findings of the real ruff and the real eslint, and runs that may use both."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.lint_tools import eslint

RUFF = str(Path(sys.executable).parent / "ruff")


def with_tools(folder: Path, *programs: str) -> CommandLine:
    """Start reknit as a user who has these programs, and no other ruff or eslint, on the PATH."""
    tools = folder / "tools"
    tools.mkdir()
    for program in programs:
        (tools / Path(program).name).symlink_to(program)
    return CommandLine(folder, {"PATH": f"{tools}:/usr/bin:/bin"})


def a_program(folder: Path, name: str, script: str) -> str:
    """One that behaves as a test needs it; its own folder, so that a box can show it."""
    path = folder / f"own-{name}" / "bin" / name
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def make(folder: Path, files: Mapping[str, str]) -> Path:
    root = scene.make(folder, backend=1, frontend=0)
    if files:
        make_commit(root, files)
    return root


def make_commit(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    commit_all(str(root), "more")


def ruff_report(root: Path, rules: str) -> list[dict[str, Any]]:
    return _report(root, [RUFF, "check", "--isolated", f"--select={rules}", "--output-format=json", "app"])


def install_eslint(project: Path) -> None:
    """What `npm install eslint` leaves in a project: the packages themselves, not links to another folder."""
    packages = Path(eslint()).resolve().parents[2]
    assert packages.name == "node_modules", packages
    waiting, seen = ["eslint"], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen and (packages / name).exists():
            seen.add(name)
            shutil.copytree(packages / name, project / "node_modules" / name)
            for manifest in (project / "node_modules" / name).rglob("package.json"):
                waiting += json.loads(manifest.read_text()).get("dependencies", {})
    (project / "node_modules" / ".bin").mkdir()
    (project / "node_modules" / ".bin" / "eslint").symlink_to("../eslint/bin/eslint.js")


def eslint_report(root: Path) -> list[dict[str, Any]]:
    files = _eslint(root)
    return [{**message, "filePath": file["filePath"]} for file in files for message in file["messages"]]


def _eslint(root: Path) -> list[dict[str, Any]]:
    return _report(root / "web", ["node_modules/.bin/eslint", "--format=json", "."])


def _report(root: Path, argv: Sequence[str]) -> list[dict[str, Any]]:
    said = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert said.returncode in (0, 1), said.stderr
    found: list[dict[str, Any]] = json.loads(said.stdout)
    return found


def take_in(reknit: CommandLine, root: Path, rules: str, *, script: bool = False) -> None:
    """The reports of the real tools, as a person imports them."""
    reports = [reknit.folder / "ruff.json"]
    reports[0].write_text(json.dumps(ruff_report(root, rules)))
    if script:
        reports.append(reknit.folder / "eslint.json")
        reports[1].write_text(json.dumps(_eslint(root)))
    answer = reknit.run("issues", "import", *map(str, reports), cwd=root)
    assert answer.exit_code == 0, answer.err


def take_in_report(reknit: CommandLine, root: Path, report: Sequence[Mapping[str, Any]]) -> None:
    file = reknit.folder / "ruff.json"
    file.write_text(json.dumps(report))
    answer = reknit.run("issues", "import", str(file), cwd=root)
    assert answer.exit_code == 0, answer.err


def tell(
    reknit: CommandLine,
    fixes: Sequence[Mapping[str, Any]] = ({"outcome": "login"},),
    scores: Sequence[Mapping[str, Any]] = (),
    **settings: Any,
) -> None:
    scene.tell(reknit, fixes, scores, **{"issues": {"tool_fixes": True}, **settings})


def fix(reknit: CommandLine, root: Path, *arguments: str) -> Answer:
    """In a process of its own: a box keeps the PATH of its process."""
    return reknit.run("fix", "issues", "--format", "json", *arguments, cwd=root)


def states(reknit: CommandLine, root: Path) -> dict[tuple[str, str], str]:
    return {(issue.path, issue.rule): issue.status for issue in scene.issues(reknit, root)}


def shown(root: Path, run: str, path: str) -> str:
    argv = ["git", "show", f"reknit/{run}:{path}"]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout


def merge(root: Path, run: str) -> None:
    subprocess.run(["git", "merge", "--quiet", "--ff-only", f"reknit/{run}"], cwd=root, check=True)
