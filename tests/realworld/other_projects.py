"""Projects in other languages or of several, and the bugs that each was given."""

import json
import shutil
from pathlib import Path

from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import Debian, Npm, PyPI

_NPM_INSTALL = "npm install --no-package-lock --no-audit --no-fund --silent --ignore-scripts"


def _without_dist(root: Path) -> None:
    """A build that the archive has and the repository ignores."""
    shutil.rmtree(root / "dist")


def _workspaces(root: Path) -> None:
    package = {"private": True, "workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}
    (root / "package.json").write_text(json.dumps(package, indent=2))


def _http_parser_alone(root: Path) -> None:
    """The C library without the Python package that has a copy of it; its own Makefile is not in the archive."""
    shutil.move(root / "vendor/http-parser", root.with_name("http-parser"))
    shutil.rmtree(root)
    root.with_name("http-parser").rename(root)
    (root / "Makefile").write_text(_MAKEFILE)
    (root / ".gitignore").write_text("*.o\ntest_parser\n")


_MAKEFILE = """\
CFLAGS += -Wall -O2 -DHTTP_PARSER_STRICT=1

.PHONY: test clean

test: test_parser
\t./test_parser

test_parser: http_parser.o test.o
\t$(CC) $(CFLAGS) $^ -o $@

%.o: %.c http_parser.h Makefile
\t$(CC) $(CFLAGS) -c $< -o $@

clean:
\trm -f *.o test_parser
"""

OTHER_PROJECTS: tuple[RealProject, ...] = (
    RealProject(
        "fast-content-type-parse",
        "node --test inside c8, type tests after it",
        {".": Npm("fast-content-type-parse", "4.0.1")},
        (Bug("index.js", "value += header.slice(start, index)", "value += header.slice(start, index - 1)"),),
        setup=(_NPM_INSTALL,),
        in_ci=True,
    ),
    RealProject(
        "deep-diff",
        "mocha 5, whose JSON goes to the standard output and names no file; a linter before it",
        {".": Npm("deep-diff", "1.0.2")},
        (Bug("index.js", "return 'date';", "return 'object';"),),
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
        "braintree-uuid",
        "jest 30 without any settings",
        {".": Npm("@braintree/uuid", "2.0.0")},
        (Bug("index.js", "return crypto.randomUUID();", "return crypto.randomUUID().slice(1);"),),
        setup=(_NPM_INSTALL,),
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
    RealProject(
        "http-parser",
        "C with make, judged by the exit code, object files of an earlier build beside the sources",
        {".": PyPI("httptools", "0.6.4")},
        (Bug("http_parser.c", "u->port = (uint16_t) v;", "u->port = (uint16_t) (v + 1);"),),
        setup=("make test_parser",),
        change=_http_parser_alone,
    ),
    RealProject(
        "python-and-javascript",
        "pytest in backend/ with its own environment, mocha in frontend/; a bug in each",
        {"backend": PyPI("itsdangerous", "2.2.0"), "frontend": Npm("object-path", "0.11.8")},
        (
            Bug(
                "backend/src/itsdangerous/encoding.py",
                'base64.urlsafe_b64encode(string).rstrip(b"=")',
                'base64.urlsafe_b64encode(string).lstrip(b"=")',
                where="The test to repair: backend/",
            ),
            Bug(
                "frontend/index.js",
                "set(obj[currentPath], path.slice(1), value",
                "set(obj[currentPath], path.slice(2), value",
                where="The test to repair: frontend/",
            ),
        ),
        setup=(
            "python3 -m venv backend/.venv",
            "backend/.venv/bin/pip install -q -e backend pytest freezegun",
            f"cd frontend && {_NPM_INSTALL}",
        ),
    ),
    RealProject(
        "npm-workspaces",
        "npm workspaces with hoisted packages, one of which depends on the other",
        {
            "packages/light-my-request": Npm("light-my-request", "6.8.0"),
            "packages/process-warning": Npm("process-warning", "5.1.1"),
        },
        (
            Bug(
                "packages/light-my-request/lib/parse-url.js",
                "result.searchParams.append(key, param)",
                "result.searchParams.set(key, param)",
                where="The test to repair: packages/light-my-request/",
            ),
            Bug(
                "packages/process-warning/index.js",
                "formatted = format(message, a, b)",
                "formatted = format(message, b, a)",
                where="The test to repair: packages/process-warning/",
            ),
        ),
        setup=(_NPM_INSTALL,),
        change=_workspaces,
    ),
    RealProject(
        "fastify-deepmerge",
        "tape inside c8 and type tests after it: npm test as a whole, by its exit code",
        {".": Npm("@fastify/deepmerge", "3.2.4")},
        (Bug("index.js", "result[i + tl] = clone(source[i])", "result[i] = clone(source[i])"),),
        setup=(_NPM_INSTALL,),
    ),
)
