"""What the second harness needs of a Cargo.toml, and its text with what that adds."""

import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from reknit.core.repository.manifest_text import read_toml, table

NAME = "Cargo.toml"
_HEADER = re.compile(r"\s{0,20}\[{1,2}([^\[\]]{1,200})\]{1,2}\s{0,20}(?:#.*)?")
_KEY = re.compile(r"\s{0,20}\"?([\w-]{1,200})")
_NEEDS, _DEV_NEEDS = "dependencies", "dev-dependencies"


@dataclass(frozen=True)
class CargoPackage:
    folder: str
    """Below the project's; empty: that itself."""
    text: str
    name: str
    library: str
    """As programs import it."""
    needs: frozenset[str]
    """Names of packages that only tests may use."""


def package_of(root: str, files: Mapping[str, str]) -> CargoPackage | None:
    """Of the nearest manifest above the root of a crate."""
    folder = posixpath.dirname(root)
    while folder and posixpath.join(folder, NAME) not in files:
        folder = posixpath.dirname(folder)
    text = files.get(posixpath.join(folder, NAME), "")
    data = read_toml(text)
    name = table(data, "package").get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]{1,200}", name):
        return None
    library = table(data, "lib").get("name", name)
    needs = frozenset(table(data, _DEV_NEEDS)) - frozenset(table(data, _NEEDS))
    return CargoPackage(folder, text, name, str(library).replace("-", "_"), needs)


def with_program(text: str, name: str, path: str) -> str:
    return f'{text.rstrip()}\n\n[[bin]]\nname = "{name}"\npath = "{path}"\n'


def with_needs_of_tests(text: str, names: Collection[str]) -> str:
    """Packages that only tests may use become ordinary ones."""
    kept: list[str] = []
    moved: list[str] = []
    section = ""
    for line in text.splitlines():
        header = _HEADER.fullmatch(line)
        section = header[1].strip() if header else section
        key = _KEY.match(line)
        if header and section.startswith(f"{_DEV_NEEDS}."):
            kept.append(f"[{section.removeprefix('dev-')}]")
        elif section == _DEV_NEEDS and not header and key and key[1] in names:
            moved.append(line)
        else:
            kept.append(line)
    heading = f"[{_NEEDS}]"
    at = next((number for number, line in enumerate(kept) if line.strip() == heading), -1)
    if at >= 0:
        kept[at + 1 : at + 1] = moved
    elif moved:
        kept += [heading, *moved]
    return "\n".join(kept) + "\n"
