"""Which programs a project needs, by the files it has: its tests may start them from a script or a makefile."""

from collections.abc import Collection

_NEEDED = {
    "Cargo.toml": ("cargo",),
    "build.gradle": ("gradle", "java"),
    "build.gradle.kts": ("gradle", "java"),
    "go.mod": ("go",),
    "package.json": ("node", "npx"),
    "pom.xml": ("mvn", "java"),
}
MANIFESTS = tuple(_NEEDED)


def programs_for(names: Collection[str]) -> tuple[str, ...]:
    """`names`: the files in the project's folder, and in the repository's root."""
    return tuple(dict.fromkeys(program for name in MANIFESTS if name in names for program in _NEEDED[name]))
