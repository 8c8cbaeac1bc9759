"""A part that fails is empty, and its reason is kept without the machine's paths."""

from reknit.app.installation import installation
from reknit.app.start.exploration.parts import Parts
from reknit.core.errors import UsageProblem


def test_a_failure_is_a_value() -> None:
    parts = Parts(installation({"HOME": "/home/ann", "REKNIT_STATE": "/home/ann/state"}), "/home/ann/shop")

    def fails() -> int:
        raise UsageProblem("x", "git failed in '/home/ann/shop', /home/ann/state/x and /home/ann/y", where="a.toml")

    def unreadable() -> int:
        raise PermissionError(13, "Permission denied")

    def silent() -> int:
        raise OSError

    assert [parts.look(name, call, 7) for name, call in (("a", fails), ("b", unreadable), ("c", silent))] == [7, 7, 7]
    assert parts.look("d", lambda: 3, 7) == 3
    assert parts.problems == [
        "a: a.toml: git failed in '.', the state folder/x and ~/y", "b: Permission denied", "c: it cannot be read"
    ]  # fmt: skip
    assert Parts(installation({"HOME": "/", "REKNIT_STATE": "/x"}), "/y").shown("a/b") == "a/b"
