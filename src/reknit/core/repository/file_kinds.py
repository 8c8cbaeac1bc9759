"""Kinds of files by name: backend or frontend, and the usual content of a fix or the settings of a tool."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

DeveloperKind = Literal["backend", "frontend"]


BACKEND = (".py", ".go", ".java", ".rb", ".php", ".rs", ".c", ".cpp")
FRONTEND = (".tsx", ".ts", ".jsx", ".js", ".css", ".scss", ".vue", ".svelte")
_KNOWN: Mapping[str, DeveloperKind] = {**dict.fromkeys(BACKEND, "backend"), **dict.fromkeys(FRONTEND, "frontend")}


def route_file(path: str, backend: Sequence[str] = (), frontend: Sequence[str] = ()) -> DeveloperKind:
    """Return the developer for a file. `backend` and `frontend` add endings that override the built-in ones.

    Anything else is backend: configuration, SQL, shell and docs serve the whole repository, and backend batches come
    first, so that what the frontend depends on is done before it.
    """
    own: dict[str, DeveloperKind] = {
        **dict.fromkeys(map(normalize_extension, frontend), "frontend"),
        **dict.fromkeys(map(normalize_extension, backend), "backend"),
    }
    for ending in _list_endings(path):
        kind = own.get(ending) or _KNOWN.get(ending)
        if kind:
            return kind
    return "backend"


def normalize_extension(text: str) -> str:
    """Normalize what people write: `mjs`, `.mjs`, `*.MJS`, `.blade.php`."""
    return "." + text.strip().lstrip("*").lstrip(".").lower()


def _list_endings(path: str) -> Iterator[str]:
    """Yield `.blade.php`, then `.php`, for `a/view.blade.php`."""
    name = path.rpartition("/")[2].lower()
    place = name.find(".")
    while place >= 0:
        yield name[place:]
        place = name.find(".", place + 1)


_SETTINGS = (".cfg", ".conf", ".ini", ".properties", ".toml", ".yaml", ".yml")
_KINDS = re.compile(
    r"\.(1|2|3|5|7|8|ada|adb|adoc|ads|agda|ambr|approved|arb|asciidoc|asm|astro|avsc|awk|bas|bash|bat|bats|bib|bnf|bugfix|c|c\+\+|capnp|cc|cer|cjs|cl|clj|cljc|cljs|cls|cmd"
    r"|coffee|cpp|cr|crt|cs|css|csv|csx|cts|cu|cuh|cxx|d|dart|dat|dot|dtd|ebnf|edn|ejs|el|elm|eml|erb|erl|ex|exs|f|f03|f08|f77|f90|f95|fbs|feature|fish|for|frag|fs|fsi|fsx"
    r"|ftl|g4|gd|geojson|gif|glsl|go|golden|gql|graphql|groovy|gv|h|h\+\+|haml|handlebars|hbs|hh|hlsl|hpp|hrl|hs|htm|html|hxx|ico|ics|idl|inl|ino|ipynb|j2|java|jinja"
    r"|jinja2|jison|jl|jpeg|jpg|js|json|json5|jsonc|jsonl|jsx|kt|kts|l|lark|lean|less|liquid|lisp|ll|log|lua|m|mako|map|markdown|md|mdx|metal|mjs|ml|mli|mm|mo|mts|mustache"
    r"|ndjson|nim|njk|org|out|pas|pdf|peg|pegjs|pem|pest|php|phtml|pl|plist|pm|png|po|pot|prisma|proto|ps1|pug|puml|purs|pxd|pxi|py|pyi|pyx|qml|r|rb|re|res|resx|rkt|rng|rs|rss"
    r"|rst|s|sass|scala|scm|scss|sh|sml|snap|sol|sql|ss|strings|sv|svelte|svg|svh|swift|t|tcl|template|tex|thrift|tmpl|tpl|ts|tsv|tsx|ttf|ttl|twig|txt|typed|v|vb|vcf|vert|vhd"
    r"|vhdl|vim|vue|wat|webmanifest|webp|wgsl|woff|woff2|wsdl|xaml|xhtml|xlf|xliff|xml|xsd|xsl|xslt|y|yy|zig|zsh)",
    re.IGNORECASE,
)
# What people read, notes of a release, and what only keeps a folder in git.
_NAMES = re.compile(
    r"(.*/)?(readme|licen[cs]e|copying|copyright|notice|patents|authors|contributors|maintainers|changelog|changes|history|news|todo"
    r"|version|thanks|credits)([-_][\w-]+)?|(.*/)?(\.gitkeep|\.keep)|(.*/)?(\.well-known|meta-inf/services)/[^.][^/]*"
    r"|(.*/)?((newsfragments|changelog\.d)/[^./][^/]*|\.change(set|s)/[^./][^/]*\.md)",
    re.IGNORECASE,
)
_DESCRIPTIONS = re.compile(r"(openapi|swagger|asyncapi|api|schema)[\w.-]*\.ya?ml", re.IGNORECASE)


def is_usual(path: str) -> bool:
    """Return True if it is source, documentation or data by its name. A hidden file mostly belongs to a tool."""
    has_known_ending = _KINDS.fullmatch(posixpath.splitext(path)[1]) or path.lower().endswith(_SETTINGS)
    return bool(_NAMES.fullmatch(path)) or (bool(has_known_ending) and not is_dotted(path))


def is_dotted(path: str) -> bool:
    """Return True if the file or a folder above it is hidden."""
    return path.startswith(".") or "/." in path


def is_settings(path: str) -> bool:
    """Return True if the format is one of settings. A tool's settings are in the top folder of a project."""
    return path.lower().endswith(_SETTINGS) and not _DESCRIPTIONS.fullmatch(posixpath.basename(path))
