"""What is known of the tree whose tests ran: its paths, its manifests, its test set-up."""

import difflib
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reknit.core.causes import manifests
from reknit.core.repository.paths import is_foreign, is_python
from reknit.core.services.service import Service

LFS_POINTER = "version https://git-lfs.github.com/spec/"
_ROOT_NAMES = frozenset({"src", "lib", "python", "source"})
_BUILT_FROM = (".c", ".cc", ".cpp", ".pyx", ".rs", ".pyd", ".f90")
_SET_IN_CODE = re.compile(
    r"(?:setenv|setdefault|putenv|stubEnv|delenv|unsetenv|environ\.pop)\(\s{0,8}[\"']([A-Z][A-Z0-9_]{1,60})[\"']"
    r"|environ\[[\"']([A-Z][A-Z0-9_]{1,60})[\"']\] {0,4}=(?!=)|process\.env\.([A-Z][A-Z0-9_]{1,60}) {0,4}=(?!=)"
    r"|(?:del os\.environ\[[\"']|delete process\.env\.)([A-Z][A-Z0-9_]{1,60})"
)
_CLEARED = re.compile(r"environ\b[^()]{0,200}\bclear ?= ?True")
_SET_IN_FILE = re.compile(r"(?:^|[\"'])[ \t]{0,8}([A-Z][A-Z0-9_]{1,60}) {0,4}=", re.M)
_IMPORTED = re.compile(r"^[ \t]{0,8}(?:from|import) (\w{1,80})", re.M)
_SETTINGS = (".env", ".env.test", "tox.ini", "pytest.ini", "setup.cfg", "pyproject.toml")


@dataclass(frozen=True)
class TreeFacts:
    paths: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    """Path -> text: manifests, set-up files, and the files of the red tests."""
    passing_texts: tuple[str, ...] = ()
    """Files all of whose tests pass: what they import can be imported."""
    roots: tuple[str, ...] = ()
    """Absolute paths at or below which the tests see the tree."""
    former: frozenset[str] = frozenset()
    """Paths that recent commits removed."""
    shared_network: bool = True
    """False in a box with a private network: nothing outside can hold a port."""
    services: tuple[Service, ...] = ()
    """Those beside the tests; no test ran before they were ready."""
    pointers: frozenset[str] = frozenset()
    """Paths that hold a pointer of Git LFS instead of data."""

    @cached_property
    def folders(self) -> frozenset[str]:
        found = {""}
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    @cached_property
    def _import_roots(self) -> frozenset[str]:
        named = {folder for folder in self.folders if posixpath.basename(folder) in _ROOT_NAMES}
        held = {
            posixpath.dirname(path) for path in self.paths if posixpath.basename(path) in manifests.PYTHON_MANIFESTS
        }
        packages = {posixpath.dirname(path) for path in self.paths if posixpath.basename(path) == "__init__.py"}
        return frozenset({"", *named, *held} - packages)

    @cached_property
    def python_tops(self) -> Mapping[str, str]:
        """Top-level import name -> where it is: what installing the project makes importable."""
        found: dict[str, str] = {}
        for path in sorted(self.paths):
            if not is_python(path) or is_foreign(path):
                continue
            parts = path.split("/")
            for depth in range(len(parts)):
                if "/".join(parts[:depth]) in self._import_roots:
                    found.setdefault(parts[depth].removesuffix(".py"), "/".join(parts[: depth + 1]))
        return found

    @cached_property
    def python_names(self) -> frozenset[str]:
        """Every file and folder with Python code, wherever it is."""
        ours = [path for path in self.paths if is_python(path) and not is_foreign(path)]
        return frozenset(part.removesuffix(".py") for path in ours for part in path.split("/"))

    @cached_property
    def former_names(self) -> frozenset[str]:
        return frozenset(
            part.removesuffix(".py") for path in self.former if is_python(path) for part in path.split("/")
        )

    def has_module(self, name: str) -> bool:
        place = self._place_of(name)
        return f"{place}.py" in self.paths or place in self.folders

    def is_built(self, name: str) -> bool:
        """A module that a build makes: from sources in another language, or named in a manifest (a version file)."""
        place = self._place_of(name)
        last = posixpath.basename(place)
        if any(f"{place}{ending}" in self.paths for ending in _BUILT_FROM):
            return True
        return any(f"{last}.py" in text for path, text in self.texts.items() if manifests.is_manifest(path))

    def _place_of(self, name: str) -> str:
        top, _, rest = name.partition(".")
        return posixpath.join(self.python_tops.get(top, top), rest.replace(".", "/")).rstrip("/")

    def is_imported_by_passing(self, top: str) -> bool:
        return any(top in _IMPORTED.findall(text) for text in self.passing_texts)

    @cached_property
    def is_installable(self) -> bool:
        return any(manifests.is_installable(posixpath.basename(path), text) for path, text in self.texts.items())

    @cached_property
    def python_packages(self) -> frozenset[str]:
        return manifests.python_packages(self.texts)

    @cached_property
    def python_scripts(self) -> frozenset[str]:
        return manifests.python_scripts(self.texts)

    @cached_property
    def python_needed(self) -> tuple[int, int]:
        return manifests.python_needed(self.texts)

    @cached_property
    def node_packages(self) -> frozenset[str]:
        return manifests.node_packages(self.texts)

    @cached_property
    def node_names(self) -> frozenset[str]:
        return manifests.node_names(self.texts)

    @cached_property
    def submodules(self) -> tuple[str, ...]:
        return manifests.submodules(self.texts)

    @cached_property
    def variables_set(self) -> frozenset[str]:
        """Environment variables that the tree itself sets or removes: its tests are about them."""
        in_code = (found for text in self.texts.values() for found in _SET_IN_CODE.findall(text))
        files = (text for path, text in self.texts.items() if posixpath.basename(path) in _SETTINGS)
        in_files = (name for text in files for name in _SET_IN_FILE.findall(text))
        return frozenset({*(name for found in in_code for name in found if name), *in_files})

    def clears_environment(self, file: str) -> bool:
        """Whether the tests in this file run without the variables of the machine."""
        return bool(_CLEARED.search(self.texts.get(file, "")))

    def inside(self, path: str) -> str | None:
        """The path relative to the tree's root; None if it is outside."""
        if not path.startswith("/"):
            return posixpath.normpath(path) if not posixpath.normpath(path).startswith("../") else None
        for root in self.roots:
            if path == root or path.startswith(root.rstrip("/") + "/"):
                return path[len(root) :].strip("/")
        parts = path.strip("/").split("/")
        for start in range(1, len(parts)):  # the tree may have been elsewhere when the message was written
            rest = "/".join(parts[start:])
            if rest in self.paths or (posixpath.dirname(rest) and posixpath.dirname(rest) in self.folders):
                return rest
        return None

    def submodule_of(self, path: str) -> str:
        return next((each for each in self.submodules if f"/{each}/" in f"/{path}/"), "")


def is_near(name: str, known: Iterable[str]) -> bool:
    """A likely typing error of a known name."""
    return bool(difflib.get_close_matches(name, [each for each in known if each != name], n=1, cutoff=0.8))
