"""The tests inside one Rust source file: Rust keeps them beside the code, where no path protects them."""

import re
from collections import Counter

_TEST = re.compile(
    r"#\[(?:\w+::)*test(?:\([^\]]{0,200}\))?\]\s*(?:#\[[^\]]{0,200}\]\s*){0,8}(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"
)
_IGNORED = re.compile(r"#\[(?:ignore|should_panic)\b")
_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:pub\s+)?mod\s+\w+\s*\{")


def removed(before: str, after: str) -> list[str]:
    """Names of the tests that are gone."""
    return sorted((Counter(_TEST.findall(before)) - Counter(_TEST.findall(after))).elements())


def ignored(before: str, after: str) -> int:
    """How many marks were added that skip a test or turn it round."""
    return max(0, len(_IGNORED.findall(after)) - len(_IGNORED.findall(before)))


def lost_lines(before: str, after: str) -> int:
    """How many lines of its test module are gone or changed."""
    old, new = _module_lines(before), _module_lines(after)
    return (old - new).total()


def _module_lines(text: str) -> Counter[str]:
    start = _MODULE.search(text)
    if start is None:
        return Counter()
    end = text.find("\n}", start.end())  # a brace in the first column closes a module at the top level
    lines = (line.strip() for line in text[start.start() : end].splitlines())
    return Counter(line for line in lines if line not in ("", "{", "}"))
