"""What the manifests of one project say: what it is called, and what it depends on, by name or by path."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.repository.manifest_text import normalized, read_json, read_toml, table
from reknit.core.testing.runners.javascript import PLAYWRIGHT_CONFIGS

LONGEST = 500_000
"""Characters; a longer manifest is not read."""
_OF_NPM = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_FOR_ALL_OF_NPM = (("resolutions",), ("overrides",), ("pnpm", "overrides"))
"""Also for the members of a workspace."""
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
class Declared:
    """Names have their ecosystem before them: `npm:@acme/lib`."""

    names: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    """As written, from the project's own folder."""
    members: tuple[tuple[str, str], ...] = ()
    """(name, path) for this project and those below it that need that name: a workspace says so."""


Found = Iterator[tuple[str, str]]
"""(`name`, `need` or `path`, value), or a member."""


def declared(manifests: Mapping[str, str]) -> Declared:
    """`manifests`: file name -> text. They come from a stranger: what has another shape says nothing."""
    found = [
        each for file, text in manifests.items() if file in READERS and len(text) <= LONGEST
        for each in READERS[file](text)
    ]  # fmt: skip
    names, needs, paths = (
        frozenset(value for kind, value in found if kind == field) for field in ("name", "need", "path")
    )
    members = tuple((kind, value) for kind, value in found if ":" in kind)
    return Declared(names, needs - names, paths, members)


def _npm(text: str) -> Found:
    data = read_json(text)
    yield from _named("npm", [data.get("name")])
    for section in _OF_NPM:
        for name, version in table(data, section).items():
            alias = _ALIAS.match(str(version))
            path = _npm_path(version)
            yield ("path", path) if path else ("need", f"npm:{alias[1] if alias else name}")
    for where in _FOR_ALL_OF_NPM:
        for name, version in table(data, *where).items():
            if path := _npm_path(version):
                yield f"npm:{name}", path


def _npm_path(version: object) -> str:
    """Empty if it is none."""
    found = _BY_PATH.match(version) if isinstance(version, str) else None
    return str(version)[found.end() :] if found else ""


def _pyproject(text: str) -> Found:
    data = read_toml(text)
    project, uv, poetry = table(data, "project"), table(data, "tool", "uv"), table(data, "tool", "poetry")
    yield from _named("py", (project.get("name"), poetry.get("name")))
    groups = [
        *table(project, "optional-dependencies").values(), *table(data, "dependency-groups").values(),
        *table(data, "tool", "pdm", "dev-dependencies").values(),
    ]  # fmt: skip
    lists = [project.get("dependencies"), uv.get("dev-dependencies"), table(data, "build-system").get("requires")]
    for requirement in _strings([*lists, *groups]):
        yield from _requirement(requirement)
    of_poetry = [table(group, "dependencies") for group in table(poetry, "group").values()]
    for wanted in (
        table(uv, "sources"), table(poetry, "dependencies"), table(poetry, "dev-dependencies"), *of_poetry
    ):  # fmt: skip
        yield from _sources(wanted)
    for name, source in table(uv, "sources").items():
        yield from _member("py", name, source)


def _pipfile(text: str) -> Found:
    data = read_toml(text)
    for section in ("packages", "dev-packages"):
        yield from _sources(table(data, section))


def _sources(wanted: Mapping[str, Any]) -> Found:
    """Of uv, poetry and pipenv: a version, a table with `path` or `workspace`, or a list of such."""
    for name, value in wanted.items():
        several = value if isinstance(value, list) else [value]
        paths = [path for each in several if isinstance(path := table(each).get("path"), str)]
        yield from (("path", path) for path in paths)
        if not paths:
            yield "need", f"py:{normalized(name)}"


def _requirements(text: str) -> Found:
    for line in text.splitlines():
        yield from _requirement(line)


def _requirement(line: str) -> Found:
    """One line of requirements.txt, or one entry of a list."""
    text = line.split(" #")[0].split(";")[0].strip()
    if editable := _EDITABLE.match(text):
        text = text[editable.end() :].strip("'\" ")
    name, at, place = text.partition("@")
    if at or editable or "/" in text:
        path = (place if at else name).strip().removeprefix("file:").removeprefix("//")
        yield "path", _PLACE.sub("", path).split("[")[0].split("#")[0]
    elif found := _REQUIREMENT.match(text):
        yield "need", f"py:{normalized(found[0])}"


def _setup(text: str) -> Found:
    """setup.py is a program: what it quotes may be a name."""
    if name := _SETUP_NAME.search(text):
        yield "name", f"py:{normalized(name[1])}"
    for quoted in _QUOTED.findall(text):
        yield "need", f"py:{normalized(quoted)}"


def _setup_cfg(text: str) -> Found:
    if name := _SETUP_NAME.search(text):
        yield "name", f"py:{normalized(name[1])}"
    for line in text.splitlines():
        if line[:1].isspace():
            yield from _requirement(line)


def _cargo(text: str) -> Found:
    data = read_toml(text)
    yield from _named("cargo", [table(data, "package").get("name")])
    for where in (data, *table(data, "target").values()):
        for section in _OF_CARGO:
            yield from _crates(table(where, section))
    for patched in table(data, "patch").values():
        for name, crate in table(patched).items():
            yield from _member("cargo", name, crate)
    for name, crate in table(data, "workspace", "dependencies").items():
        yield from _member("cargo", name, crate)


def _crates(wanted: Mapping[str, Any]) -> Found:
    for name, crate in wanted.items():
        path, package = table(crate).get("path"), table(crate).get("package", name)
        yield ("path", path) if isinstance(path, str) else ("need", f"cargo:{normalized(str(package))}")


def _member(ecosystem: str, name: str, source: object) -> Found:
    path = table(source).get("path")
    if isinstance(path, str):
        yield f"{ecosystem}:{normalized(name)}", path


def _go(text: str) -> Found:
    for words in _go_lines(text):
        if words[:1] == ["module"]:
            yield from (("name", f"go:{name}") for name in words[1:2])
        elif "=>" in words:
            target = "".join(words[words.index("=>") + 1 :][:1])
            yield ("path", target) if target.startswith(".") else ("need", f"go:{target}")
        else:
            yield from (("need", f"go:{word}") for word in words[:2])


def _go_work(text: str) -> Found:
    for words in _go_lines(text):
        if "=>" in words:
            at = words.index("=>")
            replaced = (word for word in words[:at] if word != "replace")
            yield f"go:{next(replaced, '')}", "".join(words[at + 1 :][:1])


def _go_lines(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        yield line.split("//")[0].replace("(", " ").replace('"', "").split()


def _maven(text: str) -> Found:
    own = text
    if "<parent>" in text:
        before, _, rest = text.partition("<parent>")
        own = before + rest.partition("</parent>")[2]
    named = _ARTIFACT.findall(own)
    yield from _named("maven", named[:1])
    yield from (("need", f"maven:{name}") for name in named)


def _gradle(text: str) -> Found:
    """`project(":libs:core")`: a folder, but from a root that only settings.gradle knows; its last part is compared."""
    for name in _GRADLE.findall(text):
        yield "need", f"gradle:{name.rpartition(':')[2]}"


def _playwright(text: str) -> Found:
    """The servers that its tests open pages of: `cwd: "../backend"`, `command: "cd ../backend && …"`."""
    servers = text.partition("webServer")[2]
    for found in _OUTSIDE.findall(servers):
        folders = posixpath.normpath(found).split("/")
        yield from (("path", "/".join(folders[:end])) for end in range(folders.count("..") + 1, len(folders) + 1))


def _named(ecosystem: str, names: Iterable[object]) -> Found:
    for name in names:
        if isinstance(name, str):
            yield "name", f"{ecosystem}:{normalized(name) if ecosystem in ('py', 'cargo') else name}"


def _strings(lists: Iterable[object]) -> Iterator[str]:
    for each in lists:
        yield from (text for text in (each if isinstance(each, list) else []) if isinstance(text, str))


READERS: Mapping[str, Callable[[str], Found]] = {
    "package.json": _npm,
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup,
    "Pipfile": _pipfile,
    "requirements.txt": _requirements,
    "requirements-dev.txt": _requirements,
    "Cargo.toml": _cargo,
    "go.mod": _go,
    "go.work": _go_work,
    "pom.xml": _maven,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    **dict.fromkeys(PLAYWRIGHT_CONFIGS, _playwright),
}
