"""Finds the host folders that a program needs, such as its prefix, but no home and no folder with credentials."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives")
"""Folders shown in every box."""

MANAGERS = (
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
"""Version managers below HOME. None is shown completely: uv keeps logins beside its Pythons."""
_SHOWN_OF_MANAGERS = ("bin", "installs", "libexec", "shims", "version", "versions")
"""Parts that a shim needs: it starts the manager, which starts one version. `version` names the default one."""
_LOGINS = re.compile(
    r"[._]?(npmrc|condarc|mambarc|netrc|pypirc|gemrc|git-credentials|yarnrc(\.yml)?)|pip\.(conf|ini)|env_vars\.\w+"
    r"|([\w.-]*[-_.])?credentials?(\.\w+)?|auth\.(toml|json)",
    re.IGNORECASE,
)
"""Matches settings of package managers that may be beside their programs; none of them is needed offline."""
_WITHOUT_LOGINS = frozenset({"bin", "include", "lib", "lib64", "node_modules", "pkgs", "share", "src", "test"})
_DEEPEST_LOGIN = 5
"""Maximum depth of folders below a prefix, as in `installs/nodejs/20/etc/npmrc`."""
_PYTHONS = ("python", "pypy")
_PACKAGES = "node_modules"
_KERNEL = ("/dev", "/proc", "/sys")
_SHARED = {"/", *SYSTEM, "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv"}
_SHARED |= {"/sys", "/tmp", "/var", "/var/tmp"}  # noqa: S108 - listed to be refused


@dataclass(frozen=True)
class Host:
    """The user's PATH, home, repository and variables."""

    path: str
    home: str
    repository: str
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of the user's environment, such as CARGO_HOME."""


def find_prefixes(program: str, host: Host) -> set[str]:
    """Return the paths that must be visible for this program to start."""
    prefixes: set[str] = set()
    for step in _follow_links(Path(program)):
        for prefix in _find_step_prefixes(step, host):
            prefixes |= {str(path) for path in (prefix, *_find_outer_targets(prefix)) if not _is_too_wide(path, host)}
            prefixes |= find_venv_prefixes(prefix, host)
    return prefixes


def find_venv_prefixes(venv: Path, host: Host) -> set[str]:
    """Return the paths of the Python that a virtual environment names in `pyvenv.cfg`, or links to.

    An agent may have written both, so they can only add Python installations.
    """
    config = venv / "pyvenv.cfg"
    if not config.is_file():
        return set()
    homes = _parse_homes(read_plain_text(config, errors="replace"))
    starts = [venv / "bin" / "python", *(Path(home, "python3") for home in homes)]
    steps = {step for start in starts if is_python(start) for step in _follow_links(start)}
    left_out = (str(venv), host.repository, *_KERNEL)
    outside = (step for step in steps if not any(is_below(str(step), folder) for folder in left_out))
    prefixes = (_find_python_prefix(step, host) for step in outside)
    return {str(path) for path in prefixes if not _is_too_wide(path, host)}


def find_logins(prefix: str) -> Iterator[str]:
    """Yield the files of a shown prefix that may contain a login."""
    if is_system(prefix) or Path(prefix).name == _PACKAGES:
        return
    for folder, folders, files in os.walk(prefix):
        is_deepest = len(Path(folder).relative_to(prefix).parts) >= _DEEPEST_LOGIN
        folders[:] = () if is_deepest else sorted({*folders} - _WITHOUT_LOGINS)
        paths = (f"{folder}/{name}" for name in files if _LOGINS.fullmatch(name))
        yield from (path for path in paths if not Path(path).is_symlink())  # its target is found by its own name


def is_venv_name(path: str) -> bool:
    """Return True if the folder is named like an environment; untrusted content could imitate one anywhere else."""
    return Path(path).name in (".venv", "venv")


def remove_nested(paths: Iterable[str]) -> tuple[str, ...]:
    """Remove paths that are below another one, shown in every box, or missing."""
    existing = {path for path in paths if not is_system(path) and Path(path).exists()}
    return tuple(
        sorted(path for path in existing if not any(path != other and is_below(path, other) for other in existing))
    )


def is_system(path: str) -> bool:
    """Return True if every box shows this path."""
    return any(is_below(path, root) for root in SYSTEM)


def is_below(path: str, folder: str) -> bool:
    """Return True if the path is the folder or below it."""
    return folder != "" and Path(path).is_relative_to(folder)


def _follow_links(path: Path) -> Iterator[Path]:
    """Yield the path, every link on the way, and the real file: all must exist in the box."""
    visited: set[Path] = set()
    while path not in visited:
        visited.add(path)
        yield path
        if path.is_symlink():
            path = Path(os.path.normpath(path.parent / path.readlink()))
    yield Path(os.path.realpath(path))


def _find_step_prefixes(program: Path, host: Host) -> list[Path]:
    """Return the paths for a program: `<prefix>` for `<prefix>/bin/x`, or only the file if that would show too much.

    A shim needs some parts of its version manager. A program of npm needs its `node_modules`, but not one in the
    repository, which is carried.
    """
    above, is_in_packages, _ = str(program).partition(f"/{_PACKAGES}/")
    packages = Path(above, _PACKAGES)
    if is_in_packages and not program.is_relative_to(host.repository) and not _is_too_wide(packages, host):
        return [packages]
    folder, prefix = program.parent.name, program.parent.parent
    if folder == "shims" or (folder == "bin" and os.path.realpath(prefix) in _list_manager_roots(host)):
        parts = [path for name in _SHOWN_OF_MANAGERS if (path := prefix / name).exists()]
        return [program, *(path for path in parts if not _is_too_wide(path, host))]
    return [prefix] if folder in ("bin", "sbin") and not _is_too_wide(prefix, host) else [program]


def _list_manager_roots(host: Host) -> set[str]:
    return {os.path.realpath(Path(host.home, manager)) for manager in MANAGERS}


def find_linked_package(path: str) -> str:
    """Return the target of a link to an npm program, whose packages are beside the target; empty if it is none."""
    real = os.path.realpath(path)
    return real if Path(path).is_symlink() and f"/{_PACKAGES}/" in real and Path(real).is_file() else ""


def _parse_homes(config: str) -> list[str]:
    pairs = (line.partition("=") for line in config.splitlines())
    homes = (os.path.normpath(value.strip()) for key, _, value in pairs if key.strip() == "home")
    return [home for home in homes if home.startswith("/")]


def is_python(program: Path) -> bool:
    """Return True if this is a Python program, possibly through links."""
    real = Path(os.path.realpath(program))
    return real.name.startswith(_PYTHONS) and real.is_file() and os.access(real, os.X_OK)


def _find_python_prefix(program: Path, host: Host) -> Path:
    prefix = program.parent.parent
    is_one = program.parent.name == "bin" and is_python_installation(prefix)
    return prefix if is_one and not _is_too_wide(prefix, host) else program


def is_python_installation(prefix: Path) -> bool:
    """Return True if the folder has its own interpreter, not just a link to one, and the interpreter's library."""
    interpreters = (path for name in _PYTHONS for path in prefix.glob(f"bin/{name}*"))
    has_own = any(is_python(path) and not path.is_symlink() for path in interpreters)
    return has_own and any(path.is_dir() for name in _PYTHONS for path in prefix.glob(f"lib/{name}3*"))


def _is_too_wide(folder: Path, host: Host) -> bool:
    """Return True if the folder contains a home, the repository, a version manager, or secrets next to programs."""
    if folder.is_file():
        return False
    real = os.path.realpath(folder)
    real_host = replace(host, home=os.path.realpath(host.home), repository=os.path.realpath(host.repository))
    has_manager = any(is_below(root, real) for root in _list_manager_roots(host))
    return has_manager or _shows_too_much(folder, host) or _shows_too_much(Path(real), real_host)


def _shows_too_much(folder: Path, host: Host) -> bool:
    home = Path(host.home)
    if str(folder) in _SHARED or home.is_relative_to(folder) or Path(host.repository).is_relative_to(folder):
        return True
    if folder.is_relative_to(home / ".config") or folder == home / "go":
        return True
    is_hidden = folder.parent == home and folder.name.startswith(".")
    return is_hidden and not (folder / "pyvenv.cfg").exists()  # ~/.cargo, ~/.local, ~/.docker: secrets next to programs


def _find_outer_targets(prefix: Path) -> list[Path]:
    """Return the targets of links directly in the prefix: some packages install their parts elsewhere."""
    if is_system(str(prefix)) or not prefix.is_dir() or prefix.name == _PACKAGES:  # `npm link` leads to other projects
        return []
    targets = [Path(os.path.realpath(entry)) for entry in prefix.iterdir() if entry.is_symlink()]
    return [target for target in targets if not target.is_relative_to(prefix)]
