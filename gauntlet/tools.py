"""The programs that the projects of the corpus need: `make gauntlet-tools` installs those that are not the system's."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from gauntlet.case import Base, Files
from gauntlet.corpus import HERE

VARIABLE = "GAUNTLET_TOOLS"


def folder() -> Path:
    return Path(os.environ.get(VARIABLE) or HERE.parent / ".gauntlet-tools").absolute()


def python() -> Path:
    return folder() / "python" / "bin" / "python"


def python_folders() -> list[str]:
    """The environment, and the installation it belongs to."""
    return [str(python().parent.parent), str(python().resolve().parent.parent)]


def node_modules() -> Path:
    return folder() / "node" / "node_modules"


def missing(base: Base) -> tuple[str, ...]:
    """Names of what the base's cases need and this machine does not have."""
    own = {"pytest": python(), "vitest": node_modules() / "vitest"}
    return tuple(need for need in base.needs if not (own[need].exists() if need in own else shutil.which(need)))


def filled_in(words: str) -> str:
    return words.replace("{python}", str(python()))


def filled_in_all(argv: Sequence[str]) -> list[str]:
    return [filled_in(word) for word in argv]


def filled_in_files(files: Files) -> Files:
    """Scripts of a project that start Python name the interpreter too."""
    return {path: text.replace(b"{python}", bytes(python())) for path, text in files.items()}


def link_packages(base: Base, tree: Path) -> None:
    """Hard links: the box sees plain files, and no package is copied per case."""
    if "vitest" in base.needs:
        shutil.copytree(node_modules(), tree / "node_modules", copy_function=os.link, symlinks=True)
