"""Programs, libraries and toolchains of the machine; those of the tree are the code's."""

import pytest

from reknit.core.causes.classify import RULES
from reknit.core.causes.programs import missing_dependency, missing_library, missing_program, wrong_toolchain
from reknit.core.causes.reading import read
from reknit.core.causes.tree_facts import TreeFacts

FACTS = TreeFacts(
    frozenset({"tools/report", "native/fast.c"}),
    {"package.json": '{"devDependencies": {"vitest": "1"}}', "go.mod": "require example.org/known v1\n"},
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("sh: 1: vitest: not found", ("environment", "node-modules")),
        ("sh: 1: report: not found", ("code", "")),
        ("sh: 1: /opt/tool/bin/x: not found", ("environment", "missing-program")),
        ("sh: 1: ./node_modules/.bin/jest: not found", ("environment", "node-modules")),
        ("sh: 1: ./build.sh: not found", ("code", "")),
        ("sh: 1: frobnicate: not found", ("doubtful", "missing-program")),
        ('exec: "docker": executable file not found in $PATH', ("environment", "missing-program")),
        ("error: linker `cc` not found", ("environment", "missing-program")),
        ("ValueError: not here", None),
    ],
)
def test_programs(message: str, expected: tuple[str, str] | None) -> None:
    found = missing_program(read(message), FACTS)
    assert (found and (found.verdict, found.kind)) == expected


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("OSError: libfast.so: cannot open shared object file", "doubtful"),
        ("OSError: ./build/libx.so: cannot open shared object file", "doubtful"),
        ('OSError: no library called "cairo-2" was found', "environment"),
        ("ValueError: libx", None),
    ],
)
def test_libraries(message: str, verdict: str | None) -> None:
    found = missing_library(read(message), FACTS)
    assert (found and found.verdict) == verdict


def test_toolchains_and_dependencies() -> None:
    assert wrong_toolchain(read("error: toolchain 'nightly' is not installed"), FACTS) is not None
    assert wrong_toolchain(read("ValueError: toolchain"), FACTS) is None
    found = [missing_dependency(read(message), FACTS) for message in (
        "error: no matching package named `serde` found",
        "cannot find module providing package example.org/known/deep",
        "cannot find module providing package example.org/typo",
        "module lookup disabled by GOPROXY=off",
        "ValueError: package",
    )]  # fmt: skip
    assert [each and each.verdict for each in found] == ["environment", "environment", "code", "environment", None]
    assert missing_program in RULES
