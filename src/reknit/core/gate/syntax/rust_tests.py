"""The tests inside one Rust source file: Rust keeps them next to the code, where no path protects them."""

import re
from collections import Counter
from collections.abc import Iterator

_ATTRIBUTES = r"(?:#\[[^\]]{0,200}\]\s*+){0,8}"
_TEST = re.compile(
    r"(?<![ \t])([ \t]*+)#\[(?:\w+::)*test(?:\([^\]]{0,200}\))?\]\s*+"
    + _ATTRIBUTES
    + r"(?:pub\s+)?(?:async\s+)?fn\s+(\w+)[^\n]*\n?"
)
_IGNORED = re.compile(r"#\[(?:ignore|should_panic)\b")
_MODULE = re.compile(r"^([ \t]*+)(" + _ATTRIBUTES + r")(?:pub(?:\([^)]{0,40}\))?\s+)?mod\s+\w+\s*\{", re.M)
_FOR_TESTS = re.compile(r"#\[cfg\([^\]]{0,100}\btest\b")
_CONDITION = re.compile(r"#!?\[cfg(?:_attr)?\s*\([^\]]{0,200}\]")
_INNER_CONDITION = re.compile(r"#!\[cfg\s*\([^\]]{0,200}\]")
_ITEM = re.compile(r"\b(?:fn|struct|enum|type|const|static|trait|mod|macro_rules!)\s+(\w+)")
_USED = re.compile(r"\buse\s++([^;]{1,300}+);")
_LAST_WORD = re.compile(r"\b([a-zA-Z_]\w*)\b(?!\s*(?:::|\bas\b))")


def removed(before: str, after: str) -> list[str]:
    """Names of the tests that are gone."""
    return sorted((Counter(_names(before)) - Counter(_names(after))).elements())


def ignored(before: str, after: str) -> int:
    """Number of added attributes that skip or invert a test."""
    return max(0, len(_IGNORED.findall(after)) - len(_IGNORED.findall(before)))


def conditions(before: str, after: str) -> list[str]:
    """Added attributes that compile tests only conditionally."""
    if not _TEST.search(before):
        return []
    return sorted(set(_conditions(after) - _conditions(before) - Counter({"#[cfg(test)]": len(after)})))


def lost_lines(before: str, after: str) -> int:
    """Number of lines of its test modules that are gone or changed."""
    return (_module_lines(before) - _module_lines(after)).total()


def changed(before: str, after: str) -> list[str]:
    """Names of the tests that are no longer identical: even one added line can be an early `return`."""
    still_there = frozenset(_names(after))
    other = Counter(_bodies(before)) - Counter(_bodies(after))
    return sorted({name for name, _body in other if name in still_there})


def redefined(before: str, after: str) -> list[str]:
    """Names that the tests used before and that their module now defines anew."""
    old = "\n".join(_modules(before))
    new = Counter(_defined("\n".join(_modules(after)))) - Counter(_defined(old))
    return sorted(set(new) & set(re.findall(r"\w+", old)))


def _names(text: str) -> list[str]:
    return [match[2] for match in _TEST.finditer(text)]


def _conditions(text: str) -> Counter[str]:
    return Counter(
        [
            *_INNER_CONDITION.findall(text),
            *(mark for module in _modules(text) for mark in _CONDITION.findall(module)),
            *(mark for match in _TEST.finditer(text) for mark in _CONDITION.findall(match[0])),
        ]
    )


def _modules(text: str) -> Iterator[str]:
    """Every module that is compiled for tests only, with its attributes."""
    for match in _MODULE.finditer(text):
        if _FOR_TESTS.search(match[2]):
            yield text[match.start() : _end(text, match.end(), match[1])]


def _module_lines(text: str) -> Counter[str]:
    lines = (line.strip() for module in _modules(text) for line in module.splitlines())
    return Counter(line for line in lines if line not in ("", "{", "}"))


def _bodies(text: str) -> Iterator[tuple[str, str]]:
    for match in _TEST.finditer(text):
        is_one_line = match[0].count("{") == match[0].count("}")
        end = match.end() if is_one_line else _end(text, match.end() - 1, match[1])
        yield match[2], " ".join(text[match.start() : end].split())


def _end(text: str, start: int, indent: str) -> int:
    """Where a block ends: at the closing brace with the indentation of its start."""
    end = text.find(f"\n{indent}}}", start)
    return len(text) if end < 0 else end


def _defined(text: str) -> Iterator[str]:
    yield from _ITEM.findall(text)
    for used in _USED.findall(text):
        yield from _LAST_WORD.findall(used)
