"""Labels of reviewers' findings: `SEC-001`, counted per repository and prefix, and permanent."""

from collections.abc import Collection


def next_labels(prefix: str, used: Collection[str], count: int) -> list[str]:
    """`used`: all labels of the repository. A number is never given twice: the next one follows the highest."""
    numbers = (label.removeprefix(f"{prefix}-") for label in used if label.startswith(f"{prefix}-"))
    highest = max((int(number) for number in numbers if number.isascii() and number.isdigit()), default=0)
    return [f"{prefix}-{number:03d}" for number in range(highest + 1, highest + 1 + count)]
