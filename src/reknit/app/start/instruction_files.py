"""Reads the agent files: those shipped with reknit, each replaced by the repository's own if there is one."""

import difflib
from importlib import resources
from pathlib import Path

from reknit.adapters.files.regular_files import open_plain
from reknit.core.agents.instructions import NAMES, body_of
from reknit.core.errors import UsageProblem
from reknit.core.text.redact import clean, redact

FOLDER = ".reknit/agents"
LARGEST_BYTES = 64 * 1024
_NO_GUIDES = ("README.md",)


def agent_files(root: Path | None) -> tuple[tuple[str, str], ...]:
    """(name, text) of each, in the order of `core/agents/instructions.py`; `root`: the repository's, if any."""
    own = _own_files(root) if root else {}
    return tuple((name, own[name] if name in own else _shipped(name)) for name in NAMES)


def _shipped(name: str) -> str:
    return body_of(resources.files("reknit.prompts").joinpath("agents", f"{name}.md").read_text("utf-8"))


def _own_files(root: Path) -> dict[str, str]:
    folder = root / FOLDER
    if not folder.is_dir():
        return {}
    found = sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.name not in _NO_GUIDES)
    return {path.stem: _read(path) for path in found}


def _read(path: Path) -> str:
    where = f"{FOLDER}/{path.name}"
    if path.stem not in NAMES:
        near = difflib.get_close_matches(path.stem.lower(), NAMES, n=1)
        hint = f"did you mean `{near[0]}.md`? known: " if near else "known: "
        raise _problem(f"no agent file is called {path.name!r}", where, hint + ", ".join(NAMES))
    if any(step.is_symlink() for step in (path, path.parent, path.parent.parent)):  # it could lead to a secret
        raise _problem("it is a symlink, or is reached through one", where, "put a copy of the file there")
    if not path.is_file():
        raise _problem("it is not a file", where, "put a text file there, or remove it")
    try:
        with open_plain(path) as file:
            raw = file.read(LARGEST_BYTES + 1)
        text = raw.decode("utf-8") if len(raw) <= LARGEST_BYTES else ""
    except OSError as problem:
        raise _problem(f"it cannot be read: {problem.strerror}", where, "make it readable") from None
    except UnicodeDecodeError:
        raise _problem("it is not UTF-8 text", where, "save it as UTF-8") from None
    if len(raw) > LARGEST_BYTES:
        raise _problem("it is larger than 64 KB", where, "it goes into every prompt: keep it short")
    return redact(clean(body_of(text)))


def _problem(what: str, where: str, help: str) -> UsageProblem:  # noqa: A002
    return UsageProblem("agent-file", what, where=where, help=help)
