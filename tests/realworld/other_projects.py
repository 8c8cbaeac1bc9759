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
        "fraction.js",
        "mocha with a glob",
        {".": Npm("fraction.js", "5.3.4")},
        (
            Bug(
                "dist/fraction.js",
                'return newFraction(P["n"] * this["n"], gcd(P["n"], this["n"]) * gcd(P["d"], this["d"]));',
                'return newFraction(P["n"] * this["n"], gcd(P["n"], this["n"]) + gcd(P["d"], this["d"]));',
            ),
        ),
        setup=(_NPM_INSTALL,),
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
