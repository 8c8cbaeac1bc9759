"""Which host paths a box must show so that a command finds its interpreters and caches.

An interpreter is shown read-only at its own absolute path, because virtual environments and shebangs point there. A
cache below HOME is shown at the same relative path below the box's private HOME, so that tools need no settings.
Nothing is executed to find them: only links, `pyvenv.cfg` and well-known locations are read.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reknit.adapters.box.bubblewrap.prefixes import Host, is_below, is_system, prefixes_of, prefixes_of_venv, widest

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
    caches: dict[str, str] = {}
    env: dict[str, str] = {}
    for program in programs:
        found = shutil.which(program, path=host.path)
        if found is None or not Path(found).is_absolute() or is_below(found, host.repository):
            continue  # from the repository, only carried entries are shown
        name = Path(program).name
        own = {rel: f"{host.home}/{rel}" for rel in _CACHES.get(name, ()) if Path(host.home, rel).exists()}
        caches |= own
        env |= _SETTINGS.get(name, {})
        show |= {str(entry) for pattern in _ETC.get(name, ()) for entry in Path("/etc").glob(pattern)}
        cache = next((rel for rel, at in own.items() if is_below(found, at)), None)
        if cache is None:
            show |= prefixes_of(found, host)
        if "/" not in program and not is_system(found):
            path.append(f"{box_home}/{cache}" if cache else str(Path(found).parent))
    return Toolchain(
        show=widest(show),
        home={rel: at for rel, at in caches.items() if rel not in _WRITTEN},
        layers={rel: at for rel, at in caches.items() if rel in _WRITTEN},
        path=tuple(dict.fromkeys(path)),
        env=env,
    )
