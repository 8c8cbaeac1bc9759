"""Files of the tree are the code's, those of the machine the environment's."""

import pytest

from reknit.core.causes.files import absent, denied
from reknit.core.causes.reading import read
from reknit.core.causes.tree_facts import TreeFacts

FACTS = TreeFacts(
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
    found = denied(read(message), FACTS)
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
    found = absent(read(message), FACTS)
    assert (found and (found.verdict, found.kind)) == expected
