"""Which host paths a box must show so that a command finds its interpreters and caches.

An interpreter is shown read-only at its own absolute path, because virtual environments and shebangs point there. A
cache below HOME is shown at the same relative path below the box's private HOME, so that tools need no settings.
Nothing is executed to find them: only links, `pyvenv.cfg` and well-known locations are read.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from reknit.adapters.box.bubblewrap.prefixes import Host, is_below, is_system, prefixes_of, prefixes_of_venv, widest
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
"""Any program may drive them: Playwright and Puppeteer exist for many languages."""
_PLACES = (
    ("go/pkg/mod", "GOMODCACHE"),
    ("go", "GOPATH"),
    (".cargo", "CARGO_HOME"),
    (".rustup", "RUSTUP_HOME"),
    (".gradle", "GRADLE_USER_HOME"),
    (".cache/ms-playwright", "PLAYWRIGHT_BROWSERS_PATH"),
    (".cache/puppeteer", "PUPPETEER_CACHE_DIR"),
)
"""Where a tool keeps its files, unless this variable of the user names another folder. In the box it is always below
HOME, so that the tool needs no setting. `NVM_DIR` and `PYENV_ROOT` are not needed: their programs are on PATH."""
_JAVA = ("gradle", "java", "mvn")
_HAVE_WRAPPERS = ("gradle", "mvn")
"""A script in the repository may start them from their caches."""
_WRITTEN = (".cargo/registry", ".gradle/caches", ".m2/repository")
"""The tool writes here even when offline."""
_ETC = {"gradle": ("java-*",), "java": ("java-*",), "mvn": ("maven", "java-*")}
_SETTINGS = {
    "cargo": {"CARGO_NET_OFFLINE": "true"},
    "go": {"GOPROXY": "off", "GOTOOLCHAIN": "local"},
    "mvn": {"MAVEN_ARGS": "-o"},
}


@dataclass(frozen=True)
class Toolchain:
    show: tuple[str, ...] = ()
    """Read-only at their own path."""
    home: Mapping[str, str] = field(default_factory=dict)
    """Path below HOME -> host path, read-only."""
    layers: Mapping[str, str] = field(default_factory=dict)
    """The same, but writable; the changes are private to one box."""
    path: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def toolchain(programs: Sequence[str], venvs: Sequence[str], *, host: Host, box_home: str) -> Toolchain:
    """What these programs and virtual environments need. A missing program is left out."""
    show = {prefix for venv in venvs for prefix in prefixes_of_venv(Path(venv), host)}
    path: list[str] = []
    caches = {rel: at for rel in _BROWSERS if Path(at := place_of(rel, host.home, host.variables)).is_dir()}
    env: dict[str, str] = {}
    for program in programs:
        name, found = Path(program).name, _found(program, host)
        if not found and name not in _HAVE_WRAPPERS:
            continue
        own = {
            rel: at for rel in _CACHES.get(name, ()) if Path(at := place_of(rel, host.home, host.variables)).exists()
        }
        caches |= own
        env |= _SETTINGS.get(name, {})
        show |= {str(entry) for pattern in _ETC.get(name, ()) for entry in Path("/etc").glob(pattern)}
        java = _java_home(host) if name in _JAVA else ""
        if java:
            show |= prefixes_of(f"{java}/bin/java", host)
            env["JAVA_HOME"] = java
            path.append(f"{java}/bin")
        cache = next((rel for rel, at in own.items() if is_below(found, at)), None)
        if cache is None and found:
            show |= prefixes_of(found, host)
        if "/" not in program and found and not is_system(found):
            path.append(f"{box_home}/{cache}" if cache else str(Path(found).parent))
    return Toolchain(
        show=widest(show),
        home={rel: at for rel, at in caches.items() if rel not in _WRITTEN},
        layers={rel: at for rel, at in caches.items() if rel in _WRITTEN},
        path=tuple(dict.fromkeys(path)),
        env=env,
    )


def place_of(rel: str, home: str, variables: Mapping[str, str]) -> str:
    """Where the user has this path, which is below HOME by default."""
    for folder, variable in _PLACES:
        value = variables.get(variable, "").split(":")[0]  # GOPATH may be a list; its first folder has the modules
        if value.startswith("/") and is_below(rel, folder):
            return str(Path(value, PurePosixPath(rel).relative_to(folder)))
    return f"{home}/{rel}"


def places_of(programs: Sequence[str], home: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Settings with which these programs find their files although HOME is another one."""
    needed = {*_BROWSERS, *(rel for program in programs for rel in _CACHES.get(Path(program).name, ()))}
    used = {
        name: place_of(folder, home, variables)
        for folder, name in _PLACES
        if any(is_below(rel, folder) for rel in needed)
    }
    java = {"JAVA_HOME": variables["JAVA_HOME"]} if "JAVA_HOME" in variables and {*programs} & {*_JAVA} else {}
    return {name: at for name, at in used.items() if Path(at).is_dir()} | java


def _found(program: str, host: Host) -> str:
    """Its path; empty if it is missing or of the repository: of that, only carried entries are shown."""
    found = find_program(program, host.path)
    return found if Path(found).is_absolute() and not is_below(found, host.repository) else ""


def _java_home(host: Host) -> str:
    value = host.variables.get("JAVA_HOME", "")
    return value if value.startswith("/") and os.access(f"{value}/bin/java", os.X_OK) else ""
