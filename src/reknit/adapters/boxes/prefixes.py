"""How much of the host a program stands on: its own prefix, never a home and never what lies beside credentials."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives")
"""Shown in every box."""

# A program below one of these needs the whole folder: its shims start the manager, which starts the version.
_MANAGERS = (
    ".asdf",
    ".bun",
    ".deno",
    ".local/share/mise",
    ".local/share/uv",
    ".nodenv",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".sdkman",
    ".volta",
)
_SHARED = {"/", *SYSTEM, "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv"}
_SHARED |= {"/sys", "/tmp", "/var", "/var/tmp"}  # noqa: S108 - named to be refused


@dataclass(frozen=True)
class Host:
    """Where this user's programs, caches and repository are."""

    path: str
    home: str
    repository: str


def prefixes_of(program: str, host: Host) -> set[str]:
    """What must show at its own place for this program to start."""
    found: set[str] = set()
    for step in _steps_to(Path(program)):
        prefix = _prefix(step, host)
        found.add(str(prefix))
        found |= prefixes_of_venv(prefix, host)
        found |= {str(target) for target in _links_out_of(prefix) if not _is_too_wide(target, host)}
    return found


def prefixes_of_venv(venv: Path, host: Host) -> set[str]:
    """A virtual environment stands on another Python: `pyvenv.cfg` names it, and the links of its own lead there."""
    try:
        lines = (venv / "pyvenv.cfg").read_text(errors="replace").splitlines()
    except OSError:
        return set()
    homes = [value.strip() for key, _, value in (line.partition("=") for line in lines) if key.strip() == "home"]
    starts = [venv / "bin" / "python", *(Path(home, "python3") for home in homes)]
    steps = {step for start in starts for step in _steps_to(start)}
    return {str(_prefix(step, host)) for step in steps if not is_below(str(step), str(venv))}


def widest(paths: Iterable[str]) -> tuple[str, ...]:
    """Without those that lie below another, that every box shows, or that are not there."""
    there = {path for path in paths if not is_system(path) and Path(path).exists()}
    return tuple(sorted(path for path in there if not any(path != other and is_below(path, other) for other in there)))


def is_system(path: str) -> bool:
    return any(is_below(path, root) for root in SYSTEM)


def is_below(path: str, folder: str) -> bool:
    return folder != "" and Path(path).is_relative_to(folder)


def _steps_to(path: Path) -> Iterator[Path]:
    """The path, every link on the way, and the real file: each must exist in the box."""
    seen: set[Path] = set()
    while path not in seen:
        seen.add(path)
        yield path
        if path.is_symlink():
            path = Path(os.path.normpath(path.parent / path.readlink()))
    yield path.resolve()


def _prefix(program: Path, host: Host) -> Path:
    """`<prefix>/bin/x` needs `<prefix>`; below a version manager all of it; the file alone if that shows too much."""
    for manager in _MANAGERS:
        if is_below(str(program), f"{host.home}/{manager}"):
            return Path(host.home, manager)
    if program.parent.name not in ("bin", "sbin", "shims"):
        return program
    prefix = program.parent.parent
    return program if _is_too_wide(prefix, host) else prefix


def _is_too_wide(folder: Path, host: Host) -> bool:
    home = Path(host.home)
    if str(folder) in _SHARED or home.is_relative_to(folder) or Path(host.repository).is_relative_to(folder):
        return True
    if folder.is_relative_to(home / ".config") or folder == home / "go":
        return True
    is_hidden = folder.parent == home and folder.name.startswith(".")
    return is_hidden and not (folder / "pyvenv.cfg").exists()  # ~/.cargo, ~/.local, ~/.docker: secrets beside programs


def _links_out_of(prefix: Path) -> list[Path]:
    """A packaged toolchain may keep its parts elsewhere, with links directly below its prefix."""
    if is_system(str(prefix)) or not prefix.is_dir():
        return []
    targets = [entry.resolve() for entry in prefix.iterdir() if entry.is_symlink()]
    return [target for target in targets if not target.is_relative_to(prefix)]
