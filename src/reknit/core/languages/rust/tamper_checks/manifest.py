"""Reads from a Cargo.toml what the second harness needs, and adds a program or dependencies to its text."""

import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from reknit.core.repository.manifest_text import get_table, read_toml
from reknit.core.repository.paths import walk_up

NAME = "Cargo.toml"
_HEADER = re.compile(r"\s{0,20}\[{1,2}([^\[\]]{1,200})\]{1,2}\s{0,20}(?:#.*)?")
_KEY = re.compile(r"\s{0,20}\"?([\w-]{1,200})")
_NEEDS, _DEV_NEEDS = "dependencies", "dev-dependencies"


@dataclass(frozen=True)
class CargoPackage:
    """A package as its Cargo.toml describes it."""

    folder: str
    """Folder below the project; empty for the project itself."""
    text: str
    name: str
    library: str
    """Name by which programs import the library."""
    dev_dependencies: frozenset[str]
    """Names of packages that only tests may use."""


def find_package(root: str, files: Mapping[str, str]) -> CargoPackage | None:
    """Return the package of the nearest manifest above the root of a crate."""
    folder = next((place for place in walk_up(posixpath.dirname(root)) if posixpath.join(place, NAME) in files), "")
    text = files.get(posixpath.join(folder, NAME), "")
    data = read_toml(text)
    name = get_table(data, "package").get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]{1,200}", name):
        return None
    library = get_table(data, "lib").get("name", name)
    needs = frozenset(get_table(data, _DEV_NEEDS)) - frozenset(get_table(data, _NEEDS))
    return CargoPackage(folder, text, name, str(library).replace("-", "_"), needs)


def add_program(text: str, name: str, path: str) -> str:
    """Add a program to the manifest."""
    return f'{text.rstrip()}\n\n[[bin]]\nname = "{name}"\npath = "{path}"\n'


def add_test_dependencies(text: str, names: Collection[str]) -> str:
    """Make the named packages, which only tests may use, ordinary dependencies."""
    new_lines: list[str] = []
    dependencies: list[str] = []
    section = ""
    for line in text.splitlines():
        header = _HEADER.fullmatch(line)
        section = header[1].strip() if header else section
        key = _KEY.match(line)
        if header and section.startswith(f"{_DEV_NEEDS}."):
            new_lines.append(f"[{section.removeprefix('dev-')}]")
        elif section == _DEV_NEEDS and not header and key and key[1] in names:
            dependencies.append(line)
        else:
            new_lines.append(line)
    heading = f"[{_NEEDS}]"
    at = next((number for number, line in enumerate(new_lines) if line.strip() == heading), -1)
    if at >= 0:
        new_lines[at + 1 : at + 1] = dependencies
    elif dependencies:
        new_lines += [heading, *dependencies]
    return "\n".join(new_lines) + "\n"
