"""Reads the manifests of one project: its names, and its dependencies by name or by path."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.languages.javascript.runners import PLAYWRIGHT_CONFIGS
from reknit.core.repository.manifest_text import get_table, normalize_package_name, read_json, read_toml

MAX_MANIFEST_CHARS = 500_000
"""Maximum length of a manifest in characters; a longer one is not read."""
_OF_NPM = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_FOR_ALL_OF_NPM = (("resolutions",), ("overrides",), ("pnpm", "overrides"))
"""Sections that apply to the members of a workspace too."""
_OF_CARGO = ("dependencies", "dev-dependencies", "build-dependencies")
_BY_PATH = re.compile(r"(?:file|link|portal):|workspace:(?=\.)|(?=\.)")
_ALIAS = re.compile(r"(?:npm|workspace):(@?[\w./-]+)@")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")
_PLACE = re.compile(r"/?\$?\{[A-Za-z_:]+\}/?")
"""`{root:uri}` of hatch, `${PROJECT_ROOT}` of pdm: the project's own folder."""
_EDITABLE = re.compile(r"(?:-e|--editable)[ =]\s*")
_QUOTED = re.compile(r"['\"]([A-Za-z0-9][\w.-]*)")
_SETUP_NAME = re.compile(r"\bname\s*=\s*['\"]?([\w.-]+)")
_ARTIFACT = re.compile(r"<artifactId>\s*([\w.-]+)")
_OUTSIDE = re.compile(r"(?<![\w./])(?:\.\./){1,9}[\w./-]{1,300}")
_GRADLE = re.compile(r"\bproject\(\s*(?:path\s*[:=]\s*)?['\"]([\w:.-]+)")


@dataclass(frozen=True)
class Declarations:
    """Names and dependencies of one project. Names have their ecosystem before them: `npm:@acme/lib`."""

    names: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    """Paths as written, relative to the project's own folder."""
    members: tuple[tuple[str, str], ...] = ()
    """(name, path) of workspace members, for this project and those below it that need the name."""


Entries = Iterator[tuple[str, str]]
"""(`name`, `need` or `path`, value), or a member."""


def read_declarations(manifests: Mapping[str, str]) -> Declarations:
    """Read the manifests: file name -> text. They are untrusted, so unexpected shapes are skipped."""
    entries = [
        entry for file, text in manifests.items() if file in READERS and len(text) <= MAX_MANIFEST_CHARS
        for entry in READERS[file](text)
    ]  # fmt: skip
    names, needs, paths = (
        frozenset(value for kind, value in entries if kind == field) for field in ("name", "need", "path")
    )
    members = tuple((kind, value) for kind, value in entries if ":" in kind)
    return Declarations(names, needs - names, paths, members)


def _read_npm(text: str) -> Entries:
    data = read_json(text)
    yield from _list_names("npm", [data.get("name")])
    for section in _OF_NPM:
        for name, version in get_table(data, section).items():
            alias = _ALIAS.match(str(version))
            path = _find_npm_path(version)
            yield ("path", path) if path else ("need", f"npm:{alias[1] if alias else name}")
    for keys in _FOR_ALL_OF_NPM:
        for name, version in get_table(data, *keys).items():
            if path := _find_npm_path(version):
                yield f"npm:{name}", path


def _find_npm_path(version: object) -> str:
    """Return the path in a version; empty if it is none."""
    match = _BY_PATH.match(version) if isinstance(version, str) else None
    return str(version)[match.end() :] if match else ""


def _read_pyproject(text: str) -> Entries:
    data = read_toml(text)
    project, uv, poetry = get_table(data, "project"), get_table(data, "tool", "uv"), get_table(data, "tool", "poetry")
    yield from _list_names("py", (project.get("name"), poetry.get("name")))
    groups = [
        *get_table(project, "optional-dependencies").values(), *get_table(data, "dependency-groups").values(),
        *get_table(data, "tool", "pdm", "dev-dependencies").values(),
    ]  # fmt: skip
    lists = [project.get("dependencies"), uv.get("dev-dependencies"), get_table(data, "build-system").get("requires")]
    for requirement in _list_strings([*lists, *groups]):
        yield from _read_requirement(requirement)
    of_poetry = [get_table(group, "dependencies") for group in get_table(poetry, "group").values()]
    for dependencies in (
        get_table(uv, "sources"), get_table(poetry, "dependencies"), get_table(poetry, "dev-dependencies"), *of_poetry
    ):  # fmt: skip
        yield from _read_sources(dependencies)
    for name, source in get_table(uv, "sources").items():
        yield from _read_member("py", name, source)


def _read_pipfile(text: str) -> Entries:
    data = read_toml(text)
    for section in ("packages", "dev-packages"):
        yield from _read_sources(get_table(data, section))


def _read_sources(dependencies: Mapping[str, Any]) -> Entries:
    """Read sources of uv, poetry and pipenv: a version, a table with `path` or `workspace`, or a list of such."""
    for name, value in dependencies.items():
        several = value if isinstance(value, list) else [value]
        paths = [path for source in several if isinstance(path := get_table(source).get("path"), str)]
        yield from (("path", path) for path in paths)
        if not paths:
            yield "need", f"py:{normalize_package_name(name)}"


def _read_requirements(text: str) -> Entries:
    for line in text.splitlines():
        yield from _read_requirement(line)


def _read_requirement(line: str) -> Entries:
    """Read one line of requirements.txt, or one entry of a list."""
    text = line.split(" #")[0].split(";")[0].strip()
    if editable := _EDITABLE.match(text):
        text = text[editable.end() :].strip("'\" ")
    name, at, place = text.partition("@")
    if at or editable or "/" in text:
        path = (place if at else name).strip().removeprefix("file:").removeprefix("//")
        yield "path", _PLACE.sub("", path).split("[")[0].split("#")[0]
    elif match := _REQUIREMENT.match(text):
        yield "need", f"py:{normalize_package_name(match[0])}"


def _read_setup(text: str) -> Entries:
    """Read setup.py, which is a program: each quoted word may be a name."""
    if name := _SETUP_NAME.search(text):
        yield "name", f"py:{normalize_package_name(name[1])}"
    for quoted in _QUOTED.findall(text):
        yield "need", f"py:{normalize_package_name(quoted)}"


def _read_setup_cfg(text: str) -> Entries:
    if name := _SETUP_NAME.search(text):
        yield "name", f"py:{normalize_package_name(name[1])}"
    for line in text.splitlines():
        if line[:1].isspace():
            yield from _read_requirement(line)


def _read_cargo(text: str) -> Entries:
    data = read_toml(text)
    yield from _list_names("cargo", [get_table(data, "package").get("name")])
    for section_table in (data, *get_table(data, "target").values()):
        for section in _OF_CARGO:
            yield from _read_crates(get_table(section_table, section))
    for patched in get_table(data, "patch").values():
        for name, crate in get_table(patched).items():
            yield from _read_member("cargo", name, crate)
    for name, crate in get_table(data, "workspace", "dependencies").items():
        yield from _read_member("cargo", name, crate)


def _read_crates(dependencies: Mapping[str, Any]) -> Entries:
    for name, crate in dependencies.items():
        path, package = get_table(crate).get("path"), get_table(crate).get("package", name)
        yield ("path", path) if isinstance(path, str) else ("need", f"cargo:{normalize_package_name(str(package))}")


def _read_member(ecosystem: str, name: str, source: object) -> Entries:
    path = get_table(source).get("path")
    if isinstance(path, str):
        yield f"{ecosystem}:{normalize_package_name(name)}", path


def _read_go(text: str) -> Entries:
    for words in _split_go_lines(text):
        if words[:1] == ["module"]:
            yield from (("name", f"go:{name}") for name in words[1:2])
        elif "=>" in words:
            target = "".join(words[words.index("=>") + 1 :][:1])
            yield ("path", target) if target.startswith(".") else ("need", f"go:{target}")
        else:
            yield from (("need", f"go:{word}") for word in words[:2])


def _read_go_work(text: str) -> Entries:
    for words in _split_go_lines(text):
        if "=>" in words:
            at = words.index("=>")
            replaced = (word for word in words[:at] if word != "replace")
            yield f"go:{next(replaced, '')}", "".join(words[at + 1 :][:1])


def _split_go_lines(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        yield line.split("//")[0].replace("(", " ").replace('"', "").split()


def _read_maven(text: str) -> Entries:
    own = text
    if "<parent>" in text:
        before, _, rest = text.partition("<parent>")
        own = before + rest.partition("</parent>")[2]
    artifacts = _ARTIFACT.findall(own)
    yield from _list_names("maven", artifacts[:1])
    yield from (("need", f"maven:{name}") for name in artifacts)


def _read_gradle(text: str) -> Entries:
    """Read `project(":libs:core")`. Only settings.gradle knows its root, so only the last part is compared."""
    for name in _GRADLE.findall(text):
        yield "need", f"gradle:{name.rpartition(':')[2]}"


def _read_playwright(text: str) -> Entries:
    """Read the folders of the servers whose pages the tests open, as in `cwd: "../backend"`."""
    servers = text.partition("webServer")[2]
    for path in _OUTSIDE.findall(servers):
        folders = posixpath.normpath(path).split("/")
        yield from (("path", "/".join(folders[:end])) for end in range(folders.count("..") + 1, len(folders) + 1))


def _list_names(ecosystem: str, names: Iterable[object]) -> Entries:
    for name in names:
        if isinstance(name, str):
            yield "name", f"{ecosystem}:{normalize_package_name(name) if ecosystem in ('py', 'cargo') else name}"


def _list_strings(lists: Iterable[object]) -> Iterator[str]:
    for value in lists:
        yield from (text for text in (value if isinstance(value, list) else []) if isinstance(text, str))


READERS: Mapping[str, Callable[[str], Entries]] = {
    "package.json": _read_npm,
    "pyproject.toml": _read_pyproject,
    "setup.cfg": _read_setup_cfg,
    "setup.py": _read_setup,
    "Pipfile": _read_pipfile,
    "requirements.txt": _read_requirements,
    "requirements-dev.txt": _read_requirements,
    "Cargo.toml": _read_cargo,
    "go.mod": _read_go,
    "go.work": _read_go_work,
    "pom.xml": _read_maven,
    "build.gradle": _read_gradle,
    "build.gradle.kts": _read_gradle,
    **dict.fromkeys(PLAYWRIGHT_CONFIGS, _read_playwright),
}
