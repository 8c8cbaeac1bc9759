"""Test ids become the arguments with which a runner runs only these tests, or a few more.

Each word of `TestCommand.select` is used as often as its placeholder has values; with none, it is left out.
"""

import re
from collections.abc import Callable, Sequence

from reknit.core.testing.command import SELECTION_WORD, WHOLE_WORD, TestCommand
from reknit.core.testing.reported import DOCUMENTATION, NESTED

LONGEST_SELECTION = 100_000
"""Bytes of one word and of all ids; if there are more, the whole suite runs, which includes them."""
_MOST_LEVELS = 8
_SIGNS = re.compile(r"([\\^$.*+?()\[\]{}|])")
_PLACE = re.compile(r"\{[a-z ]{1,20}\}")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{0,500}")


def argv_for(command: TestCommand, ids: Sequence[str]) -> tuple[str, ...]:
    """The command line that runs these tests; all tests if there are none, or they cannot be chosen."""
    chosen = _arguments(command.select, ids) if ids and _size(ids) <= LONGEST_SELECTION else ()
    if not chosen or max(map(_bytes, chosen)) > LONGEST_SELECTION:
        words = [word.removeprefix(WHOLE_WORD) for word in command.argv if word != SELECTION_WORD]
        return tuple(words)
    replaces_files = any(not word.startswith("-") for word in chosen)
    kept = [word for word in command.argv if not (word.startswith(WHOLE_WORD) and replaces_files)]
    words = [word.removeprefix(WHOLE_WORD) for word in kept]
    at = words.index(SELECTION_WORD) if SELECTION_WORD in words else len(words)
    return (*words[:at], *chosen, *words[at + 1 :])


def _arguments(select: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
    words: list[str] = []
    for word in select:
        place = _PLACE.search(word)
        fill = _VALUES.get(place.group()) if place else None
        if place is None or fill is None:
            words.append(word)
        else:
            words += [word.replace(place.group(), value) for value in fill(ids)]
    return tuple(words)


def _size(ids: Sequence[str]) -> int:
    return sum(map(_bytes, ids))


def _bytes(word: str) -> int:
    return len(word.encode("utf-8", "surrogatepass"))


def _escaped(text: str) -> str:
    """For the regular expressions of JavaScript and Go."""
    return _SIGNS.sub(r"\\\1", text)


def _files(ids: Sequence[str]) -> list[str]:
    return sorted({test.partition("::")[0] for test in ids})


def _file_patterns(ids: Sequence[str]) -> list[str]:
    return [f"{_escaped(file)}$" for file in _files(ids)]


def _names(ids: Sequence[str]) -> list[str]:
    """Names alone, if every id has one: a file that could not be loaded is run whole."""
    found = [test.partition("::")[2] for test in ids]
    return sorted(set(found)) if all(found) else []


def _titles(ids: Sequence[str]) -> str:
    """Runners match a test by all its titles with spaces between them; a title may contain our separator too."""
    spaced = (_escaped(name).replace(NESTED, "(?: >)? ") for name in _names(ids))
    return "|".join(spaced)


def _name_pattern(ids: Sequence[str]) -> list[str]:
    titles = _titles(ids)
    return [f"^({titles})$"] if titles else []


def _suite_pattern(ids: Sequence[str]) -> list[str]:
    """A suite whose hook failed is an id too: all its tests."""
    titles = _titles(ids)
    return [f"^({titles})( |$)"] if titles else []


def _title_end(ids: Sequence[str]) -> list[str]:
    """Playwright puts the project and the file before the titles."""
    titles = _titles(ids)
    return [f"(^| )({titles})$"] if titles else []


def _any_names(ids: Sequence[str]) -> list[str]:
    """node compares each level on its own: a subtest needs the tests around it."""
    levels: set[str] = set()
    for name in _names(ids):
        parts = name.split(NESTED)[:_MOST_LEVELS]
        ends = range(1, len(parts) + 1)
        levels |= {NESTED.join(parts[start:end]) for end in ends for start in range(end)} | {name}
    return [f"^({'|'.join(map(_escaped, sorted(levels)))})$"] if levels else []


def _packages(ids: Sequence[str]) -> list[str]:
    """Folders of the module; a first part with a dot is an import path."""
    return [name if "." in name.partition("/")[0] else f"./{name}" for name in _files(ids)]


def _go_tests(ids: Sequence[str]) -> list[str]:
    """Top-level tests; their subtests run with them."""
    tests = sorted({name.partition("/")[0] for name in _names(ids)})
    return [f"^({'|'.join(map(_escaped, tests))})$"] if tests else []


def _cargo_match(ids: Sequence[str]) -> list[str]:
    """Documentation tests have a line number in their names, so no exact name of them is known."""
    has_names = bool(_names(ids)) and not any(map(_documented, ids))
    return ["--exact"] if has_names else []


def _cargo_names(ids: Sequence[str]) -> list[str]:
    return sorted({_documented(test) or test.partition("::")[2] for test in ids}) if _names(ids) else []


def _documented(test: str) -> str:
    """The beginning of a documentation test's own name; empty for any other test."""
    file, _, name = test.partition("::")
    return f"{file} - {name.removeprefix(DOCUMENTATION).strip()}" if name.startswith(DOCUMENTATION) else ""


def _method(test: str) -> tuple[str, str]:
    """Class and method; a method that is not a plain name (a display name, a parameter) is left to its class."""
    group, _, name = test.partition("::")
    plain = _IDENTIFIER.match(name)
    is_plain = plain and (plain.end() == len(name) or name[plain.end()] in "([{")
    return group, plain.group() if plain and is_plain else ""


def _gradle_methods(ids: Sequence[str]) -> list[str]:
    return sorted({".".join(filter(None, _method(test))) for test in ids})


def _maven_methods(ids: Sequence[str]) -> list[str]:
    methods: dict[str, set[str]] = {}
    for group, name in map(_method, ids):
        methods.setdefault(group, set()).add(name)
    words = (group if "" in names else f"{group}#{'+'.join(sorted(names))}" for group, names in sorted(methods.items()))
    return [",".join(words)]


_VALUES: dict[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "{id}": lambda ids: ids,
    "{file}": _files,
    "{file pattern}": _file_patterns,
    "{names}": _name_pattern,
    "{suite names}": _suite_pattern,
    "{title end}": _title_end,
    "{any names}": _any_names,
    "{tests}": _go_tests,
    "{package}": _packages,
    "{match}": _cargo_match,
    "{name}": _cargo_names,
    "{methods}": _maven_methods,
    "{method}": _gradle_methods,
}
