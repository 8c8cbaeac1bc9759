"""Builds the arguments with which a runner runs the chosen tests, and few others.

Each word of `TestCommand.select` is repeated for each value of its placeholder; it is left out if there are none.
"""

import re
from collections.abc import Callable, Sequence

from reknit.core.testing.command import SELECTION_WORD, WHOLE_WORD, TestCommand
from reknit.core.testing.reported import DOCUMENTATION, NESTED

MAX_SELECTION_BYTES = 100_000
"""Maximum size of one word and of all ids, in bytes; above it the whole suite runs."""
_MAX_LEVELS = 8
_SPECIAL_CHARACTERS = re.compile(r"([\\^$.*+?()\[\]{}|])")
_PLACEHOLDER = re.compile(r"\{[a-z ]{1,20}\}")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{0,500}")


def build_argv(command: TestCommand, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the command line for these tests; for all tests if there are none, or they cannot be chosen."""
    has_fitting_ids = bool(ids) and sum(map(_count_bytes, ids)) <= MAX_SELECTION_BYTES
    selection = _fill_placeholders(command.select, ids) if has_fitting_ids else ()
    if not selection or max(map(_count_bytes, selection)) > MAX_SELECTION_BYTES:
        words = [word.removeprefix(WHOLE_WORD) for word in command.argv if word != SELECTION_WORD]
        return tuple(words)
    replaces_files = any(not word.startswith("-") for word in selection)
    words_to_run = [word for word in command.argv if not (word.startswith(WHOLE_WORD) and replaces_files)]
    words = [word.removeprefix(WHOLE_WORD) for word in words_to_run]
    at = words.index(SELECTION_WORD) if SELECTION_WORD in words else len(words)
    return (*words[:at], *selection, *words[at + 1 :])


def _fill_placeholders(select: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
    words: list[str] = []
    for word in select:
        place = _PLACEHOLDER.search(word)
        list_values = _LIST_VALUES.get(place.group()) if place else None
        if place is None or list_values is None:
            words.append(word)
        else:
            words += [word.replace(place.group(), value) for value in list_values(ids)]
    return tuple(words)


def _count_bytes(word: str) -> int:
    return len(word.encode("utf-8", "surrogatepass"))


def _escape(text: str) -> str:
    """Escape the text for the regular expressions of JavaScript and Go."""
    return _SPECIAL_CHARACTERS.sub(r"\\\1", text)


def _list_files(ids: Sequence[str]) -> list[str]:
    return sorted({test.partition("::")[0] for test in ids})


def _list_names(ids: Sequence[str]) -> list[str]:
    """Return the names without files; none if an id is only a file, which runs as a whole."""
    names = [test.partition("::")[2] for test in ids]
    return sorted(set(names)) if all(names) else []


def _join_titles(ids: Sequence[str]) -> str:
    """Join nested titles with spaces, because runners match them so. A title may contain our separator too."""
    spaced = (_escape(name).replace(NESTED, "(?: >)? ") for name in _list_names(ids))
    return "|".join(spaced)


def _match_names(ids: Sequence[str]) -> list[str]:
    titles = _join_titles(ids)
    return [f"^({titles})$"] if titles else []


def _match_suites(ids: Sequence[str]) -> list[str]:
    """Match suites too: if a hook of a suite failed, the suite's name is the id."""
    titles = _join_titles(ids)
    return [f"^({titles})( |$)"] if titles else []


def _match_title_end(ids: Sequence[str]) -> list[str]:
    """Match the end: Playwright puts the project and the file before the titles."""
    titles = _join_titles(ids)
    return [f"(^| )({titles})$"] if titles else []


def _match_any_level(ids: Sequence[str]) -> list[str]:
    """Match every level: node compares each level on its own, and a subtest needs the tests around it."""
    levels: set[str] = set()
    for name in _list_names(ids):
        parts = name.split(NESTED)[:_MAX_LEVELS]
        ends = range(1, len(parts) + 1)
        levels |= {NESTED.join(parts[start:end]) for end in ends for start in range(end)} | {name}
    return [f"^({'|'.join(map(_escape, sorted(levels)))})$"] if levels else []


def _list_packages(ids: Sequence[str]) -> list[str]:
    """Return the packages as `go test` expects them: folders, or import paths, whose first part has a dot."""
    return [name if "." in name.partition("/")[0] else f"./{name}" for name in _list_files(ids)]


def _match_go_tests(ids: Sequence[str]) -> list[str]:
    """Match top-level tests; their subtests run with them."""
    tests = sorted({name.partition("/")[0] for name in _list_names(ids)})
    return [f"^({'|'.join(map(_escape, tests))})$"] if tests else []


def _choose_cargo_match(ids: Sequence[str]) -> list[str]:
    """Return the option for exact names; none for documentation tests, whose names contain line numbers."""
    has_names = bool(_list_names(ids)) and not any(map(_find_doc_prefix, ids))
    return ["--exact"] if has_names else []


def _list_cargo_names(ids: Sequence[str]) -> list[str]:
    return sorted({_find_doc_prefix(test) or test.partition("::")[2] for test in ids}) if _list_names(ids) else []


def _find_doc_prefix(test: str) -> str:
    """Return the beginning of a documentation test's own name; empty for any other test."""
    file, _, name = test.partition("::")
    return f"{file} - {name.removeprefix(DOCUMENTATION).strip()}" if name.startswith(DOCUMENTATION) else ""


def _split_method(test: str) -> tuple[str, str]:
    """Return class and method. The method is empty if it is a display name; the whole class then runs."""
    group, _, name = test.partition("::")
    plain = _IDENTIFIER.match(name)
    is_plain = plain and (plain.end() == len(name) or name[plain.end()] in "([{")
    return group, plain.group() if plain and is_plain else ""


def _join_maven_methods(ids: Sequence[str]) -> list[str]:
    methods: dict[str, set[str]] = {}
    for group, name in map(_split_method, ids):
        methods.setdefault(group, set()).add(name)
    words = (group if "" in names else f"{group}#{'+'.join(sorted(names))}" for group, names in sorted(methods.items()))
    return [",".join(words)]


_LIST_VALUES: dict[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "{id}": lambda ids: ids,
    "{file}": _list_files,
    "{file pattern}": lambda ids: [f"{_escape(file)}$" for file in _list_files(ids)],
    "{names}": _match_names,
    "{suite names}": _match_suites,
    "{title end}": _match_title_end,
    "{any names}": _match_any_level,
    "{tests}": _match_go_tests,
    "{package}": _list_packages,
    "{match}": _choose_cargo_match,
    "{name}": _list_cargo_names,
    "{methods}": _join_maven_methods,
    "{method}": lambda ids: sorted({".".join(filter(None, _split_method(test))) for test in ids}),
}
