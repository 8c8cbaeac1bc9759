"""Programs, libraries and toolchains of the machine; those of the tree are the code's."""

import pytest

from reknit.core.causes.programs import (
    explain_absent_file,
    explain_denied_access,
    explain_missing_dependency,
    explain_missing_library,
    explain_missing_program,
    explain_wrong_toolchain,
)
from reknit.core.causes.reading import read_message
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.causes import list_rules

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
    found = explain_missing_program(read_message(message), FACTS)
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
    found = explain_missing_library(read_message(message), FACTS)
    assert (found and found.verdict) == verdict


def test_toolchains_and_dependencies() -> None:
    assert explain_wrong_toolchain(read_message("error: toolchain 'nightly' is not installed"), FACTS) is not None
    assert explain_wrong_toolchain(read_message("ValueError: toolchain"), FACTS) is None
    found = [explain_missing_dependency(read_message(message), FACTS) for message in (
        "error: no matching package named `serde` found",
        "cannot find module providing package example.org/known/deep",
        "cannot find module providing package example.org/typo",
        "module lookup disabled by GOPROXY=off",
        "ValueError: package",
    )]  # fmt: skip
    assert [each and each.verdict for each in found] == ["environment", "environment", "code", "environment", None]
    assert explain_missing_program in list_rules()


FILE_FACTS = TreeFacts(
    frozenset({"data/a.csv", "src/a.c"}), {".gitmodules": '[submodule "x"]\n path = vendor/zlib\n'}, roots=("/w/tree",)
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("PermissionError: [Errno 13] Permission denied: '/output/x'", ("doubtful", "permission")),
        ("OSError: [Errno 30] Read-only file system: 'logs/a.log'", ("environment", "permission")),
        ("OSError: [Errno 30] Read-only file system: '/w/tree/logs'", ("environment", "permission")),
        ("Error: EACCES: permission denied, open '/etc/shop.conf'", ("environment", "permission")),
        ("open /var/lib/shop: permission denied", ("environment", "permission")),
        ("Error: EACCES: permission denied, open '/w/tree/a'", ("code", "")),
        ("ValueError: no", None),
    ],
)
def test_denied(message: str, expected: tuple[str, str] | None) -> None:
    found = explain_denied_access(read_message(message), FILE_FACTS)
    assert (found and (found.verdict, found.kind)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("FileNotFoundError: [Errno 2] No such file or directory: '/home/me/.shop'", ("doubtful", "host-file")),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/w/tree/vendor/zlib/a'",
            ("environment", "submodule"),
        ),
        ("src/a.c:1:10: fatal error: zlib/zlib.h: No such file or directory", ("environment", "submodule")),
        ("src/a.c:1:10: fatal error: a.h: No such file or directory", ("code", "")),
        ("open /etc/shop/keys: no such file or directory", ("environment", "host-file")),
        ("FileNotFoundError: [Errno 2] No such file or directory: '../elsewhere/a'", ("code", "")),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/old/place/data/a.csv'", ("code", "")),
        ("ValueError: no", None),
    ],
)
def test_absent(message: str, expected: tuple[str, str] | None) -> None:
    found = explain_absent_file(read_message(message), FILE_FACTS)
    assert (found and (found.verdict, found.kind)) == expected
