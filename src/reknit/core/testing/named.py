"""Which tests a name stands for, as people name them."""

from collections.abc import Collection


def is_named(test: str, named: Collection[str]) -> bool:
    """A name is a test id, or the file, class or unparametrised test it belongs to."""
    return any(test == name or test.startswith((f"{name}::", f"{name}[")) for name in named)


def is_asked(test: str, named: Collection[str]) -> bool:
    """By any name a user may give: also the folder it is in."""
    return is_named(test, named) or any(test.startswith(f"{name}/") for name in named)
