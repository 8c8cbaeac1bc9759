"""What is in reach of a project: every way to name another one, and nothing that is not named."""

import itertools
import posixpath

import pytest

from reknit.core.projects.declared import MAX_MANIFEST_CHARS
from reknit.core.projects.dependencies import MAX_PROJECTS, choose_manifests, find_dependencies

Projects = dict[str, dict[str, str]]
NPM, PY, CARGO, GO = "package.json", "pyproject.toml", "Cargo.toml", "go.mod"
NAMES = {
    NPM: '{"name": "@acme/%s"}',
    PY: '[project]\nname = "acme_%s"\n',
    CARGO: '[package]\nname = "acme-%s"\n',
    GO: "module acme.example/%s\n",
    "setup.py": "from setuptools import setup\nsetup(name='acme-%s')\n",
    "setup.cfg": "[metadata]\nname = acme-%s\n",
    "pom.xml": "<project><parent><artifactId>top</artifactId></parent><artifactId>acme-%s</artifactId></project>",
    "build.gradle": "// %s",
    "build.gradle.kts": "// %s",
}
SECTIONS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
VERSIONS = ("file:../lib", "link:../lib", "portal:../lib", "workspace:../lib", "../lib", "file:../lib/")
BY_NAME = ("workspace:*", "workspace:^", "workspace:~1.2", "^1.0.0", "*", "catalog:")
ALIASES = ("workspace:@acme/lib@*", "npm:@acme/lib@1")


def _json(section: str, name: str, version: str) -> str:
    return f'{{"name": "@acme/app", "{section}": {{"{name}": "{version}"}}}}'


def _npm() -> list[tuple[str, str]]:
    found = [(NPM, _json(section, "x", version)) for section in SECTIONS for version in (*VERSIONS, *ALIASES)]
    return found + [(NPM, _json(section, "@acme/lib", version)) for section in SECTIONS for version in BY_NAME]


PYTHON = [
    '[project]\nname = "app"\ndependencies = ["acme.lib>=1"]\n',
    "[project]\ndependencies = [\"Acme-Lib[more]; python_version > '3'\"]\n",
    '[project]\ndependencies = ["x @ file:../lib"]\n',
    '[project]\ndependencies = ["x @ {root:uri}/../lib"]\n',
    '[project.optional-dependencies]\ntest = ["acme_lib"]\n',
    '[dependency-groups]\ntest = [{include-group = "x"}, "acme_lib"]\n',
    '[build-system]\nrequires = ["acme-lib"]\n',
    '[project]\ndependencies = ["x"]\n[tool.uv.sources]\nx = { path = "../lib", editable = true }\n',
    '[tool.uv.sources]\nx = [{ path = "../lib", marker = "a" }, { index = "b" }]\n',
    "[tool.uv.sources]\nacme-lib = { workspace = true }\n",
    '[tool.uv]\ndev-dependencies = ["acme-lib"]\n',
    '[tool.poetry.dependencies]\npython = "^3.11"\nx = { path = "../lib", develop = true }\n',
    '[tool.poetry.dependencies]\nx = [{ path = "../lib", platform = "linux" }, { version = "1" }]\n',
    '[tool.poetry.dependencies]\nacme-lib = "*"\n',
    '[tool.poetry.dev-dependencies]\nx = { path = "../lib" }\n',
    '[tool.poetry.group.test.dependencies]\nx = { path = "../lib" }\n',
    '[tool.pdm.dev-dependencies]\ntest = ["-e file:///${PROJECT_ROOT}/../lib#egg=x"]\n',
]
REQUIREMENTS = [
    "-e ../lib",
    "--editable ../lib",
    "--editable=../lib",
    "-e '../lib'",
    '-e "../lib[test]"',
    "../lib",
    "../lib/",
    "file:../lib",
    "-e file:../lib#egg=x",
    "x @ file:../lib",
    "../lib ; python_version > '3'",
    "../lib  # ours",
    "acme_lib==1.0",
    "acme-lib",
]
RUST = [
    f"[{section}]\nx = {{ path = \"../lib\" }}\n"
    for section in ("dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies")
] + [
    '[dependencies.x]\npath = "../lib"\nversion = "1"\n', "[dependencies]\nacme_lib = { workspace = true }\n",
    '[dependencies]\nx = { package = "acme-lib", version = "1" }\n', '[dependencies]\nacme-lib = "1"\n',
]  # fmt: skip
GOES = [
    "module app\n\nrequire acme.example/lib v1.0.0\n",
    "module app\nrequire (\n\tacme.example/lib v1.0.0 // indirect\n)\n",
    "module app\nreplace example.org/x => ../lib\n",
    "module app\nreplace example.org/x v1.2.3 => ../lib\n",
    "module app\nreplace (\n\texample.org/x => ../lib // ours\n)\n",
    'module "app"\nreplace "example.org/x" => "../lib"\n',
    "module app\nreplace example.org/x => acme.example/lib v1.0.0\n",
]
OTHERS = [
    ("setup.py", "setup(name='app', install_requires=['acme-lib>=1'])"),
    ("setup.cfg", "[metadata]\nname = app\n[options]\ninstall_requires =\n    acme-lib>=1\n"),
    ("Pipfile", '[packages]\nx = { path = "../lib", editable = true }\n'),
    ("Pipfile", '[dev-packages]\nacme-lib = "*"\n'),
    ("pom.xml", "<artifactId>app</artifactId><dependency><artifactId>acme-lib</artifactId></dependency>"),
    ("build.gradle", "dependencies { implementation project(':lib') }"),
    ("build.gradle", "dependencies { api project(path: ':libs:lib', configuration: 'x') }"),
    ("build.gradle.kts", 'dependencies { implementation(project(":lib")) }'),
]
SPELLINGS = [
    *_npm(), *((PY, text) for text in PYTHON), *(("requirements.txt", text) for text in REQUIREMENTS),
    *(("requirements-dev.txt", text) for text in REQUIREMENTS), *((CARGO, text) for text in RUST),
    *((GO, text) for text in GOES), *OTHERS,
]  # fmt: skip
_LANGUAGE = {"requirements.txt": PY, "requirements-dev.txt": PY, "Pipfile": PY}


def named(manifest: str, name: str) -> dict[str, str]:
    own = _LANGUAGE.get(manifest, manifest)
    return {own: NAMES[own] % name}


@pytest.mark.parametrize(("manifest", "text"), SPELLINGS)
@pytest.mark.parametrize("top", ["", "services/", "a/b/"])
def test_a_dependency_is_in_reach_however_it_is_spelled_and_nothing_else_is(manifest: str, text: str, top: str) -> None:
    others = {f"{top}{folder}": named(manifest, folder) for folder in ("lib", "billing", "library", "app/lib2")}
    projects = {f"{top}app": {manifest: text}, **others, "lib/x": named(manifest, "x"), "": named(manifest, "top")}
    assert find_dependencies(f"{top}app", projects) == {f"{top}lib"}


@pytest.mark.parametrize(("manifest", "text"), SPELLINGS)
def test_what_a_dependency_depends_on_is_in_reach_and_what_depends_on_it_is_not(manifest: str, text: str) -> None:
    projects: Projects = {
        "web": {NPM: _json("dependencies", "y", "file:../app")},
        "app": {NPM: '{"name": "@acme/app"}', manifest: text},
        "lib": {**named(manifest, "lib"), "Pipfile": '[packages]\nx = { path = "../core" }\n'},
        "core": {PY: '[project]\nname = "core"\n'},
        "billing": named(manifest, "billing"),
    }
    assert find_dependencies("web", projects) == {"app", "lib", "core"}
    assert find_dependencies("lib", projects) == {"core"}
    assert find_dependencies("core", projects) == frozenset()


@pytest.mark.parametrize(
    ("above", "own"),
    [
        pytest.param(
            {CARGO: '[workspace.dependencies]\nx = { path = "core/lib", package = "other" }\n'},
            {CARGO: "[dependencies]\nx = { workspace = true }\n"},
            id="cargo workspace",
        ),
        pytest.param(
            {CARGO: '[patch.crates-io]\nserde = { path = "core/lib" }\ny = { git = "x" }\n'},
            {CARGO: '[dependencies]\nserde = "1"\n'},
            id="cargo patch",
        ),
        pytest.param(
            {"go.work": "go 1.22\nuse (\n\t./web/app\n)\nreplace example.org/x v1 => ./core/lib\n"},
            {GO: "module app\nrequire example.org/x v1\n"},
            id="go.work",
        ),
        pytest.param(
            {PY: '[tool.uv.sources]\nx = { path = "core/lib" }\n'},
            {PY: '[project]\ndependencies = ["X"]\n'},
            id="uv",
        ),
        *(
            pytest.param({NPM: text}, {NPM: _json("dependencies", "x", "1")}, id=text)
            for text in (
                '{"resolutions": {"x": "portal:./core/lib", "y": "1"}}',
                '{"overrides": {"x": "file:core/lib", "y": {}}}',
                '{"pnpm": {"overrides": {"x": "link:core/lib"}}}',
            )
        ),
    ],
)
def test_a_workspace_gives_names_of_its_members_a_path(above: dict[str, str], own: dict[str, str]) -> None:
    elsewhere = {name: {NPM: "{}", CARGO: "", GO: "", PY: ""} for name in ("core/lib", "core/other", "web/lib")}
    assert find_dependencies("web/app", {"": above, "web/app": own, **elsewhere}) - {""} == {"core/lib"}
    assert find_dependencies("web/other", {"": above, "web/other": {}, **elsewhere}) == frozenset()


def test_of_two_with_one_name_the_nearest_counts() -> None:
    utils = {NPM: '{"name": "utils"}'}
    projects = {"a/app": {NPM: _json("dependencies", "utils", "*")}, "a/utils": utils, "b/utils": utils}
    assert find_dependencies("a/app", projects) == {"a/utils"}
    assert find_dependencies("a/app", {**projects, "a/more/utils": utils}) == {"a/utils", "a/more/utils"}


def test_the_top_folder_can_be_a_dependency_and_a_circle_ends() -> None:
    top = {NPM: '{"name": "top", "devDependencies": {"example": "file:examples/app"}}'}
    projects = {"": top, "examples/app": {NPM: _json("dependencies", "top", "file:../..")}}
    assert find_dependencies("examples/app", projects) == {""}
    assert find_dependencies("", projects) == {"examples/app"}


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (NPM, "[}"),
        (NPM, "[]"),
        (NPM, '{"name": 1, "dependencies": {"@acme/li": 1}}'),
        (NPM, '{"dependencies": []}'),
        (NPM, '{"description": "no @acme/lib, no acme-lib"}'),
        (NPM, '{"dependencies": {"lib": "1"}}'),
        (NPM, '{"dependencies": {"x": "file:../../lib"}}'),
        (NPM, '{"dependencies": {"x": "file:/lib"}}'),
        (NPM, '{"dependencies": {"x": "git+ssh://host/@acme/lib.git"}}'),
        (NPM, '{"overrides": {"x": "file:../lib"}}'),
        (PY, "[broken"),
        (PY, "project = 1"),
        (PY, '[project]\ndescription = "acme-lib"\n'),
        (PY, "[tool.uv.sources]\nx = 1"),
        (PY, '[project]\ndependencies = "acme-lib"\n'),
        (PY, '[project]\ndependencies = ["x @ git+https://host/lib"]\n'),
        (PY, '[project]\nname = "acme-lib"\ndependencies = ["acme-lib[test]"]\n'),
        (PY, "#" * MAX_MANIFEST_CHARS + "\n[project]\n"),
        ("requirements.txt", "# ../lib\n-r ../lib/requirements.txt\n--index-url https://host/lib\n\n"),
        (CARGO, '[package]\ndescription = "acme-lib"\n[dependencies]\nx = { path = 1 }\n'),
        (CARGO, "dependencies = 1"),
        (GO, "module\nreplace x =>\n// require acme.example/lib v1\n"),
        ("setup.py", "setup()"),
        ("setup.cfg", "[x]\n"),
        ("go.work", "use ../lib\nreplace => ../lib\n"),
        ("pom.xml", "<description>acme-lib</description>"),
        ("build.gradle", "// see :lib"),
        ("README.md", "../lib"),
    ],
)
def test_what_names_nothing_reaches_nothing(manifest: str, text: str) -> None:
    other = {name: NAMES[name] % "lib" for name in (NPM, PY, CARGO, GO, "pom.xml")}
    assert find_dependencies("app", {"app": {manifest: text}, "lib": other}) == frozenset()


def test_manifests_of_the_changed_and_the_nearest_projects_are_read_first() -> None:
    folders = [f"{top}/{number}" for top, number in itertools.product(("a", "b"), range(MAX_PROJECTS))]
    tracked = [posixpath.join(folder, name) for folder in folders for name in (NPM, PY, "main.py")]
    read = choose_manifests("b/7", ["a/9"], ["README.md", "go.mod", *tracked])
    assert len(read) == MAX_PROJECTS
    assert {*[*read][:2]} == {"a/9", "b/7"}
    assert sum(folder.startswith("b/") for folder in read) == MAX_PROJECTS - 1
    assert read["b/7"] == (NPM, PY)
    assert choose_manifests("a", [], ["x.md"]) == {}
