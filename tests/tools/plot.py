"""A repository with four problems that ruff sees, and ruff's own report of it."""

import subprocess
import sys
from pathlib import Path

from reknit.adapters.git.landing import commit_all

SOURCE = "import os\nimport sys\n\n\ndef area(width, height):\n    unused = 1\n    return width * height\n"
ODD = "src/größe 2.py"


def make_plot(folder: Path) -> Path:
    """Three problems are in `src/area.py`, one is in a file with an odd name."""
    root = folder / "plot"
    (root / "src").mkdir(parents=True)
    (root / "src" / "area.py").write_text(SOURCE)
    (root / ODD).write_text("import json\n")
    commit_all(str(root), "first")
    return root


def ruff(root: Path, *, form: str = "json") -> Path:
    """What ruff says of that folder, in a file beside it."""
    program = str(Path(sys.executable).with_name("ruff"))
    argv = [program, "check", "--isolated", "--no-cache", "--select", "F", "--output-format", form, "."]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    report = root.parent / f"ruff.{form}"
    report.write_text(done.stdout)
    return report


def git(root: Path, *arguments: str) -> str:
    argv = ["git", "-c", "user.name=dev", "-c", "user.email=dev@example.test", *arguments]
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout.strip()
