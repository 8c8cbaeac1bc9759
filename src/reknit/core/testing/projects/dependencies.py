"""Which other projects of the repository a project depends on: a fix for its tests may belong there."""

import re
from collections.abc import Iterator, Mapping

from reknit.core.repository.manifest_text import normalized, read_json, read_toml, table

MANIFESTS = (
    "package.json", "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "Cargo.toml", "go.mod", "pom.xml",
    "build.gradle", "build.gradle.kts",
)  # fmt: skip
"""Files of a project that name it or what it depends on."""

_NAMES = {
    "setup.cfg": re.compile(r"^name\s*=\s*(\S+)", re.M),
    "setup.py": re.compile(r"\bname\s*=\s*['\"]([^'\"]+)"),
    "go.mod": re.compile(r"^module\s+(\S+)", re.M),
    "pom.xml": re.compile(r"<artifactId>([^<]+)</artifactId>"),
}
_WORD = re.compile(r"[\w@/-]+")


def depends_on(project: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Both as texts of their manifests by file name: whether one names the other."""
    words = {word for text in project.values() for word in _WORD.findall(normalized(text))}
    last = {word.rpartition("/")[2] for word in words}
    names = (normalized(name) for file, text in other.items() for name in _declared(file, text))
    return any(name in words or name in last for name in names)


def _declared(file: str, text: str) -> Iterator[str]:
    if file in _NAMES:
        found = _NAMES[file].search(text)
        names = [found[1]] if found else []
    elif file == "package.json":
        names = [read_json(text).get("name")]
    else:
        data = read_toml(text)
        places = (("project",), ("tool", "poetry"), ("package",))
        names = [table(data, *place).get("name") for place in places]
    yield from (name for name in names if name and isinstance(name, str))
