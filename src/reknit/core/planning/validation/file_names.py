"""Recognizes words of a sentence that look like paths, and the usual places of well-known files."""

import posixpath
import re
from collections.abc import Collection, Mapping

from reknit.core.planning.exploration.expected_files import (
    DOCS,
    DOCUMENTS,
    GITHUB,
    GOVERNANCE,
    ROOT,
    ExpectedFile,
    list_paths,
)

EXTENSIONS = frozenset(
    {
        "adoc", "astro", "avsc", "bash", "bat", "bazel", "bib", "bzl", "c", "cc", "cfg", "cjs", "clj", "cljs", "cmake",
        "cmd", "conf", "cpp", "cr", "cs", "csproj", "css", "csv", "cts", "cu", "cue", "cxx", "d.ts", "dart", "diff",
        "djhtml", "dockerfile", "eex", "ejs", "elm", "erb", "erl", "ex", "exs", "feature", "fish", "fs", "fsproj",
        "fsx", "gd", "geojson", "gif", "go", "gql", "gradle", "graphql", "groovy", "h", "haml", "hbs", "hcl", "hh",
        "hpp", "hrl", "hs", "htm", "html", "hxx", "ico", "in", "ini", "ino", "ipynb", "j2", "java", "jinja", "jinja2",
        "jl", "jpeg", "jpg", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lhs", "liquid",
        "lock", "lua", "markdown", "md", "mdc", "mdx", "mjs", "mk", "ml", "mli", "mm", "mod", "mts", "mustache", "nim",
        "nix", "nsi", "patch", "pdf", "php", "plist", "png", "po", "pom", "pot", "pp", "prisma", "pro", "proto", "ps1",
        "psm1", "pug", "puml", "py", "pyi", "pyx", "qml", "r", "rake", "rb", "re", "rego", "rkt", "robot", "rs", "rst",
        "sass", "sbt", "scala", "scm", "scss", "sh", "sln", "snap", "sol", "sql", "sum", "svelte", "svg", "swift", "t",
        "tcl", "templ", "tex", "tf", "tfvars", "thrift", "tmpl", "toml", "tpl", "ts", "tsx", "twig", "txt", "v", "vb",
        "vbproj", "vhd", "vhdl", "vim", "vue", "wasm", "webp", "wgsl", "work", "xml", "xsd", "xsl", "yaml", "yml",
        "zig", "zsh",
    }
)  # fmt: skip
"""Extensions of files in repositories. Words of programs such as `console.log` and `process.env` must not match."""
_NO_FILES = frozenset(
    {
        ".net", "a.k.a", "ado.net", "alpine.js", "angular.js", "asp.net", "astral.sh", "backbone.js", "bun.sh", "cf",
        "chart.js", "crates.io", "d3.js", "day.js", "discord.js", "docs.rs", "e.g", "ember.js", "et.al", "etc",
        "express.js", "fabric.js", "hapi.js", "i.e", "knockout.js", "koa.js", "lib.rs", "math.js", "moment.js",
        "nest.js", "next.js", "no.js", "node.js", "nuxt.js", "p5.js", "paper.js", "pdf.js", "react.js", "require.js",
        "socket.io", "solid.js", "svelte.js", "three.js", "vb.net", "vs", "vue.js",
    }
)  # fmt: skip
"""Products, sites and abbreviations, in lower case and without a last dot."""
_NO_FOLDERS = frozenset(
    {
        "and", "application", "audio", "bugfix", "ci", "client", "either", "feat", "feature", "fix", "font", "get",
        "he", "heads", "his", "hotfix", "i", "image", "input", "message", "model", "multipart", "n", "o", "on", "or",
        "origin", "pass", "post", "put", "read", "refs", "request", "s", "she", "tcp", "text", "true", "upstream",
        "video", "w", "yes",
    }
)  # fmt: skip
"""First parts of `application/json`, `origin/main`, `feature/login`, `and/or`, `CI/CD`, `I/O`, `read/write` …"""
_SYSTEM = ("etc", "usr", "var", "tmp", "home", "root", "opt", "bin", "dev", "proc", "sys", "Users")
_HOSTS = ("com", "org", "net", "io", "dev", "ai", "app", "co")
"""Ends of a first part that is no folder: `github.com/a/b.md`."""
_DOTFILE = re.compile(r"\.[a-zA-Z_][\w-]+(?:\.[\w-]+)*")
_PATH_CHARACTERS = re.compile(r"[\w./@+*?\[\]~ -]+")

_EXPECTED = {posixpath.basename(one.name).lower(): one for one in (*DOCUMENTS, *GOVERNANCE)}
_OTHERS = (
    ExpectedFile(".github/FUNDING.yml", ("funding",), (GITHUB, ROOT), (".yml", ".yaml")),
    ExpectedFile(".github/PULL_REQUEST_TEMPLATE.md", ("pull_request_template",), (GITHUB, ROOT, DOCS), (".md",)),
)
_BY_NAME: Mapping[str, ExpectedFile] = {
    "changelog": _EXPECTED["changelog.md"],
    "readme": _EXPECTED["readme.md"],
    "license": _EXPECTED["license"],
    "codeowners": _EXPECTED["codeowners"],
    "contributing": _EXPECTED["contributing.md"],
    "security": _EXPECTED["security.md"],
    "code_of_conduct": _EXPECTED["code_of_conduct.md"],
    "dependabot.yml": _EXPECTED["dependabot.yml"],
    "dependabot.yaml": _EXPECTED["dependabot.yml"],
    "funding.yml": _OTHERS[0],
    "pull_request_template.md": _OTHERS[1],
}
_ANY_CASE = ("changelog", "readme", "codeowners")
_CAPITALS = ("CHANGELOG", "README", "CODEOWNERS", "LICENSE", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT")
"""Others of these words are ordinary ones in lower case: `license headers`, `a security bug`."""
_NEEDS_A_REASON = ("CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT")
_WHOLE_NAMES = frozenset(
    {"Makefile", "Dockerfile", "Justfile", "Jenkinsfile", "Gemfile", "Rakefile", "Procfile", "Vagrantfile"}
)


def find_usual_name(word: str) -> str:
    """Return the key of a usual name; empty: it is none. `STATE.md` is a path like any other."""
    lower = word.lower()
    if lower in _ANY_CASE or word in _CAPITALS or ("." in lower and lower in _BY_NAME):
        return lower
    return ""


def may_be_a_plain_word(word: str) -> bool:
    """Return True if the word counts only when the file exists or is created: `a SECURITY bug` names no file."""
    return word in _NEEDS_A_REASON


def find_usual_path(key: str) -> str:
    """Return the path at which a well-known file is created."""
    return _BY_NAME[key].name


def find_tracked_path(key: str, by_lower: Mapping[str, str]) -> str:
    """Return the tracked path of a well-known file; empty: there is none. `by_lower`: path in lower case -> path."""
    return next((by_lower[path] for path in list_paths(_BY_NAME[key]) if path in by_lower), "")


def is_path(word: str, top: Collection[str], *, quoted: bool) -> bool:
    """Return True if an untracked word means a path. `top`: the repository's top folders; `quoted`: written as code."""
    if not _PATH_CHARACTERS.fullmatch(word):
        return False
    name = posixpath.basename(word)
    if "/" not in word:
        return word in _WHOLE_NAMES or is_file_name(name)
    first, *rest = word.split("/")
    if word.startswith("/"):
        return rest[0] in _SYSTEM or is_file_name(name)
    if first.startswith(".") or first == "~" or first in top:
        return True
    if is_file_name(name):
        return first.lower().rpartition(".")[2] not in _HOSTS or "." not in first
    return first.lower() not in _NO_FOLDERS and (word.endswith("/") or (quoted and "@" not in word))


def is_file_name(name: str) -> bool:
    """Return True if it names a file: `a.py`, `.gitignore`, `*.md`; not `1.6.0`, `a.b`, `.NET`, nor a kind: `.py`."""
    if name.lower() in _NO_FILES:
        return False
    stem, _, ending = name.rpartition(".")
    return bool(stem) if ending.lower() in EXTENSIONS else bool(_DOTFILE.fullmatch(name))
