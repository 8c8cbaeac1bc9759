"""Projects in other languages or of several, and the bugs that each was given."""

import shutil
from pathlib import Path

from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import Debian, Npm

_NPM_INSTALL = "npm install --no-package-lock --no-audit --no-fund --silent --ignore-scripts"


def _without_dist(root: Path) -> None:
    """A build that the archive has and the repository ignores."""
    shutil.rmtree(root / "dist")


OTHER_PROJECTS: tuple[RealProject, ...] = (
    RealProject(
        "fast-content-type-parse",
        "node --test inside c8, type tests after it",
        {".": Npm("fast-content-type-parse", "4.0.1")},
        (Bug("index.js", "value += header.slice(start, index)", "value += header.slice(start, index - 1)"),),
        setup=(_NPM_INSTALL,),
    ),
    RealProject(
        "luhn",
        "mocha 2: its JSON goes to the standard output and names no file",
        {".": Npm("luhn", "2.4.1")},
        (Bug("src/luhn.js", "case 16: calc2 = 7", "case 16: calc2 = 6"),),
        setup=(_NPM_INSTALL,),
    ),
    RealProject(
        "object-path",
        "mocha and chai, one test file at the top",
        {".": Npm("object-path", "0.11.8")},
        (Bug("index.js", "set(obj[currentPath], path.slice(1), value", "set(obj[currentPath], path.slice(2), value"),),
        setup=(_NPM_INSTALL,),
        in_ci=True,
    ),
    RealProject(
        "chrono-node",
        "jest with babel and coverage, 60 test files",
        {".": Npm("chrono-node", "1.4.9")},
        (Bug("src/utils/EN.js", "'thursday': 4", "'thursday': 3"),),
        setup=(_NPM_INSTALL,),
        change=_without_dist,
    ),
    RealProject(
        "mapstructure",
        "go, only the standard library, with examples",
        {
            ".": Debian(
                "golang-github-mitchellh-mapstructure-dev",
                "1.5.0-2",
                "usr/share/gocode/src/github.com/mitchellh/mapstructure",
            )
        },
        (
            Bug(
                "decode_hooks.go",
                "return time.ParseDuration(data.(string))",
                'return time.ParseDuration(data.(string) + "0")',
            ),
        ),
    ),
    RealProject(
        "css-what",
        "vitest in TypeScript, linters after it that fail here",
        {".": Npm("css-what", "8.0.0")},
        (Bug("src/stringify.ts", 'index === 0 ? "~ " : " ~ "', 'index === 0 ? "~ " : "~ "'),),
        setup=(_NPM_INSTALL,),
        change=_without_dist,
    ),
    RealProject(
        "strsim",
        "cargo: unit, integration and documentation tests",
        {".": Debian("librust-strsim-dev", "0.10.0-1", "usr/share/cargo/registry/strsim-0.10.0")},
        (Bug("src/lib.rs", "min(distance_a, distance_b + 1)", "min(distance_a, distance_b)"),),
    ),
)
