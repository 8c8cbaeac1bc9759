"""Reads the agent files: those shipped with reknit, each replaced by the repository's own if there is one."""

import difflib
from importlib import resources
from pathlib import Path

from reknit.adapters.files.instruction_file import read_instruction
from reknit.core.agents.instructions import NAMES, body_of
from reknit.core.errors import UsageProblem
from reknit.core.text.redact import clean, redact

FOLDER = ".reknit/agents"
_PROBLEM = "agent-file"
_NO_GUIDES = ("README.md",)


def agent_files(root: Path | None) -> tuple[tuple[str, str], ...]:
    """(name, text) of each, in the order of `core/agents/instructions.py`; `root`: the repository's, if any."""
    own = _own_files(root) if root else {}
    return tuple((name, own[name] if name in own else _shipped(name)) for name in NAMES)


def _shipped(name: str) -> str:
    return body_of(resources.files("reknit.prompts").joinpath("agents", f"{name}.md").read_text("utf-8"))


def _own_files(root: Path) -> dict[str, str]:
    return {path.stem: _read(path, root) for path in instructions_in(root / FOLDER)}


def instructions_in(folder: Path) -> list[Path]:
    """The Markdown files there, without the one that explains the folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.name not in _NO_GUIDES)


def _read(path: Path, root: Path) -> str:
    where = f"{FOLDER}/{path.name}"
    if path.stem not in NAMES:
        near = difflib.get_close_matches(path.stem.lower(), NAMES, n=1)
        hint = f"did you mean `{near[0]}.md`? known: " if near else "known: "
        what = f"no agent file is called {path.name!r}"
        raise UsageProblem(_PROBLEM, what, where=where, help=hint + ", ".join(NAMES))
    return redact(clean(body_of(read_instruction(path, below=root, where=where, kind=_PROBLEM))))
