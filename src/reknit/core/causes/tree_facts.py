"""Facts about the tree whose tests ran: its paths, its manifests, its test set-up."""

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
    """Facts that the rules compare with a failure message."""

    paths: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    """Path -> text of the manifests, the set-up files, and the files of the red tests."""
    passing_texts: tuple[str, ...] = ()
    """Texts of files without a red test: every import in them works."""
    roots: tuple[str, ...] = ()
    """Absolute paths of folders in which the tests see the tree."""
    removed_paths: frozenset[str] = frozenset()
    """Paths that recent commits removed."""
    shared_network: bool = True
    """False in a box with a private network: nothing outside can hold a port."""
    services: tuple[Service, ...] = ()
    """Services beside the tests; they were ready before the first test ran."""
    lfs_pointers: frozenset[str] = frozenset()
    """Paths that hold a pointer of Git LFS instead of data."""

    @cached_property
    def folders(self) -> frozenset[str]:
        folders = {""}
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(folders)

    @cached_property
    def _import_roots(self) -> frozenset[str]:
        named_roots = {folder for folder in self.folders if posixpath.basename(folder) in _ROOT_NAMES}
        manifest_folders = {
            posixpath.dirname(path) for path in self.paths if posixpath.basename(path) in manifests.PYTHON_MANIFESTS
        }
        packages = {posixpath.dirname(path) for path in self.paths if posixpath.basename(path) == "__init__.py"}
        return frozenset({"", *named_roots, *manifest_folders} - packages)

    @cached_property
    def python_tops(self) -> Mapping[str, str]:
        """Map each top-level import name to its path: the names that an installation makes importable."""
        tops: dict[str, str] = {}
        for path in sorted(self.paths):
            if not is_python(path) or is_foreign(path):
                continue
            parts = path.split("/")
            for depth in range(len(parts)):
                if "/".join(parts[:depth]) in self._import_roots:
                    tops.setdefault(parts[depth].removesuffix(".py"), "/".join(parts[: depth + 1]))
        return tops

    @cached_property
    def python_names(self) -> frozenset[str]:
        """Return the name of every file and folder with Python code."""
        ours = [path for path in self.paths if is_python(path) and not is_foreign(path)]
        return frozenset(part.removesuffix(".py") for path in ours for part in path.split("/"))

    @cached_property
    def removed_names(self) -> frozenset[str]:
        return frozenset(
            part.removesuffix(".py") for path in self.removed_paths if is_python(path) for part in path.split("/")
        )

    def has_module(self, name: str) -> bool:
        place = self._locate_module(name)
        return f"{place}.py" in self.paths or place in self.folders

    def is_built(self, name: str) -> bool:
        """Return True if a build makes the module: from another language, or as a file that a manifest names."""
        place = self._locate_module(name)
        last = posixpath.basename(place)
        if any(f"{place}{ending}" in self.paths for ending in _BUILT_FROM):
            return True
        return any(f"{last}.py" in text for path, text in self.texts.items() if manifests.is_manifest(path))

    def _locate_module(self, name: str) -> str:
        top, _, rest = name.partition(".")
        return posixpath.join(self.python_tops.get(top, top), rest.replace(".", "/")).rstrip("/")

    def is_imported_by_passing(self, top: str) -> bool:
        return any(top in _IMPORTED.findall(text) for text in self.passing_texts)

    @cached_property
    def is_installable(self) -> bool:
        return any(manifests.is_installable(posixpath.basename(path), text) for path, text in self.texts.items())

    @cached_property
    def python_packages(self) -> frozenset[str]:
        return manifests.find_python_packages(self.texts)

    @cached_property
    def python_scripts(self) -> frozenset[str]:
        return manifests.find_python_scripts(self.texts)

    @cached_property
    def least_python(self) -> tuple[int, int]:
        return manifests.find_least_python(self.texts)

    @cached_property
    def node_packages(self) -> frozenset[str]:
        return manifests.find_node_packages(self.texts)

    @cached_property
    def node_names(self) -> frozenset[str]:
        return manifests.find_node_names(self.texts)

    @cached_property
    def submodules(self) -> tuple[str, ...]:
        return manifests.find_submodules(self.texts)

    @cached_property
    def own_variables(self) -> frozenset[str]:
        """Return the environment variables that the tree itself sets or removes."""
        in_code = (names for text in self.texts.values() for names in _SET_IN_CODE.findall(text))
        files = (text for path, text in self.texts.items() if posixpath.basename(path) in _SETTINGS)
        in_files = (name for text in files for name in _SET_IN_FILE.findall(text))
        return frozenset({*(name for groups in in_code for name in groups if name), *in_files})

    def clears_environment(self, file: str) -> bool:
        """Return True if the tests in this file run without the variables of the machine."""
        return bool(_CLEARED.search(self.texts.get(file, "")))

    def to_relative_path(self, path: str) -> str | None:
        """Return the path relative to the tree's root; None if it is outside."""
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

    def find_submodule(self, path: str) -> str:
        return next((submodule for submodule in self.submodules if f"/{submodule}/" in f"/{path}/"), "")


def is_near(name: str, candidates: Iterable[str]) -> bool:
    """Return True if the name is probably a typing error of one of the candidates."""
    return bool(
        difflib.get_close_matches(name, [candidate for candidate in candidates if candidate != name], n=1, cutoff=0.8)
    )
