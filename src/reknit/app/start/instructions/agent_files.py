"""Reads the agent files: those shipped with reknit, each replaced by the repository's own if there is one."""

import difflib
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from reknit.adapters.files.regular_files import read_instruction
from reknit.core.agents.instructions import NAMES, strip_front_matter
from reknit.core.agents.reviewer import ReviewerProblem
from reknit.core.errors import UsageError
from reknit.core.planning.variants.variant_file import VariantProblem
from reknit.core.text.format import format_location
from reknit.core.text.redact import clean, redact

AGENT_FOLDER = ".reknit/agents"
_PROBLEM = "agent-file"
_NO_GUIDES = ("README.md",)


def read_agent_files(root: Path | None) -> tuple[tuple[str, str], ...]:
    """Return (name, text) of each, in the order of `core/agents/instructions.py`; `root`: the repository's, if any."""
    own = {path.stem: _read(path, root) for path in list_instructions(root / AGENT_FOLDER)} if root else {}
    return tuple((name, own[name] if name in own else _read_shipped(name)) for name in NAMES)


def _read_shipped(name: str) -> str:
    return strip_front_matter(resources.files("reknit.prompts").joinpath("agents", f"{name}.md").read_text("utf-8"))


def list_instructions(folder: Path) -> list[Path]:
    """List the Markdown files of this folder, without the one that explains the folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.name not in _NO_GUIDES)


def _read(path: Path, root: Path) -> str:
    location = f"{AGENT_FOLDER}/{path.name}"
    if path.stem not in NAMES:
        near = difflib.get_close_matches(path.stem.lower(), NAMES, n=1)
        hint = f"did you mean `{near[0]}.md`? known: " if near else "known: "
        message = f"no agent file is called {path.name!r}"
        raise UsageError(_PROBLEM, message, where=location, help=hint + ", ".join(NAMES))
    return redact(clean(strip_front_matter(read_instruction(path, below=root, where=location, kind=_PROBLEM))))


def locate_problems(kind: str, location: str, problems: Iterable[ReviewerProblem | VariantProblem]) -> list[UsageError]:
    """Return errors that name file and line. `kind`: the error's name. `location`: the file, for people."""
    return [
        UsageError(kind, problem.message, where=format_location(location, problem.line), help=problem.help)
        for problem in problems
    ]


def combine_file_problems(kind: str, files: str, problems: Sequence[UsageError]) -> UsageError:
    """Return one error that names all of them, so that they can be corrected together.

    `files`: the kind of the files, for people.
    """
    if len(problems) == 1:
        return problems[0]
    lines = (f"  {problem.where}: {problem.message}; {problem.help}".replace("\n", "\n    ") for problem in problems)
    return UsageError(kind, "\n".join((f"the {files} have {len(problems)} problems:", *lines)))
