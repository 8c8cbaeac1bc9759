"""Finds the host paths that a box must show so that a command finds its interpreters and caches.

An interpreter is shown read-only at its own absolute path, because virtual environments and shebangs point there. A
cache below HOME is shown at the same relative path below the box's private HOME, so that tools need no settings.
Nothing is executed to find them: only links, `pyvenv.cfg` and well-known locations are read.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from reknit.adapters.box.bubblewrap.prefixes import (
    Host,
    find_prefixes,
    find_venv_prefixes,
    is_below,
    is_system,
    remove_nested,
)
from reknit.adapters.process import find_program

# Never all of ~/.cargo, ~/.m2, ~/.gradle: credentials.toml, settings.xml, gradle.properties are next to the caches.
_CACHES = {
    "cargo": (".cargo/bin", ".cargo/git", ".cargo/registry", ".rustup/settings.toml", ".rustup/toolchains"),
    "go": ("go/pkg/mod",),
    "gradle": (".gradle/caches", ".gradle/wrapper"),
    "mvn": (".m2/repository",),
    "pytest": (".local/lib",),
    "python": (".local/lib",),
    "python3": (".local/lib",),
}
_BROWSERS = (".cache/ms-playwright", ".cache/puppeteer")
"""Browsers that any program may drive: Playwright and Puppeteer exist for many languages."""
_PLACES = (
    ("go/pkg/mod", "GOMODCACHE"),
    ("go", "GOPATH"),
    (".cargo", "CARGO_HOME"),
    (".rustup", "RUSTUP_HOME"),
    (".gradle", "GRADLE_USER_HOME"),
    (".cache/ms-playwright", "PLAYWRIGHT_BROWSERS_PATH"),
    (".cache/puppeteer", "PUPPETEER_CACHE_DIR"),
)
"""Folder of a tool below HOME, and the variable in which the user may name another folder.

In a box the folder is always below HOME, so that the tool needs no setting. `NVM_DIR` and `PYENV_ROOT` are not needed:
their programs are on PATH.
"""
_JAVA = ("gradle", "java", "mvn")
_HAVE_WRAPPERS = ("gradle", "mvn")
"""Tools that a script in the repository may start from their caches."""
_WRITABLE_CACHES = (".cargo/registry", ".gradle/caches", ".m2/repository")
"""Caches that the tool writes even when offline."""
_ETC = {"gradle": ("java-*",), "java": ("java-*",), "mvn": ("maven", "java-*")}
_SETTINGS = {
    "cargo": {"CARGO_NET_OFFLINE": "true"},
    "go": {"GOPROXY": "off", "GOTOOLCHAIN": "local"},
    "mvn": {"MAVEN_ARGS": "-o"},
}


@dataclass(frozen=True)
class Toolchain:
    """Paths and variables that a box needs for some programs."""

    show: tuple[str, ...] = ()
    """Paths shown read-only at their own path."""
    home: Mapping[str, str] = field(default_factory=dict)
    """Path below HOME -> host path, read-only."""
    layers: Mapping[str, str] = field(default_factory=dict)
    """Path below HOME -> host path, writable; the changes are private to one box."""
    path: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def find_toolchain(programs: Sequence[str], venvs: Sequence[str], *, host: Host, box_home: str) -> Toolchain:
    """Return the paths and variables for these programs and virtual environments. Ignores a missing program."""
    show = {prefix for venv in venvs for prefix in find_venv_prefixes(Path(venv), host)}
    path: list[str] = []
    caches = {rel: at for rel in _BROWSERS if Path(at := find_place(rel, host.home, host.variables)).is_dir()}
    env: dict[str, str] = {}
    for program in programs:
        name, program_path = Path(program).name, _find_outside_repository(program, host)
        if not program_path and name not in _HAVE_WRAPPERS:
            continue
        own = {
            rel: at for rel in _CACHES.get(name, ()) if Path(at := find_place(rel, host.home, host.variables)).exists()
        }
        caches |= own
        env |= _SETTINGS.get(name, {})
        show |= {str(entry) for pattern in _ETC.get(name, ()) for entry in Path("/etc").glob(pattern)}
        java = _find_java_home(host) if name in _JAVA else ""
        if java:
            show |= find_prefixes(f"{java}/bin/java", host)
            env["JAVA_HOME"] = java
            path.append(f"{java}/bin")
        cache = next((rel for rel, at in own.items() if is_below(program_path, at)), None)
        if cache is None and program_path:
            show |= find_prefixes(program_path, host)
        if "/" not in program and program_path and not is_system(program_path):
            path.append(f"{box_home}/{cache}" if cache else str(Path(program_path).parent))
    return Toolchain(
        show=remove_nested(show),
        home={rel: at for rel, at in caches.items() if rel not in _WRITABLE_CACHES},
        layers={rel: at for rel, at in caches.items() if rel in _WRITABLE_CACHES},
        path=tuple(dict.fromkeys(path)),
        env=env,
    )


def find_place(rel: str, home: str, variables: Mapping[str, str]) -> str:
    """Return the host path of a folder that is below HOME by default."""
    for folder, variable in _PLACES:
        value = variables.get(variable, "").split(":")[0]  # GOPATH may be a list; its first folder has the modules
        if value.startswith("/") and is_below(rel, folder):
            return str(Path(value, PurePosixPath(rel).relative_to(folder)))
    return f"{home}/{rel}"


def find_places(programs: Sequence[str], home: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables by which these programs find the user's files while HOME is another folder."""
    folders = {*_BROWSERS, *(rel for program in programs for rel in _CACHES.get(Path(program).name, ()))}
    used = {
        name: find_place(folder, home, variables)
        for folder, name in _PLACES
        if any(is_below(rel, folder) for rel in folders)
    }
    java = {"JAVA_HOME": variables["JAVA_HOME"]} if "JAVA_HOME" in variables and {*programs} & {*_JAVA} else {}
    return {name: at for name, at in used.items() if Path(at).is_dir()} | java


def _find_outside_repository(program: str, host: Host) -> str:
    """Return the program's path; empty if it is missing, or in the repository, where only carried entries are shown."""
    program_path = find_program(program, host.path)
    return program_path if Path(program_path).is_absolute() and not is_below(program_path, host.repository) else ""


def _find_java_home(host: Host) -> str:
    value = host.variables.get("JAVA_HOME", "")
    return value if value.startswith("/") and os.access(f"{value}/bin/java", os.X_OK) else ""
