"""The words by which other files mention a file: its name, or what an import of it looks like."""

import posixpath
import re
from collections.abc import Iterator

from reknit.core.gate.base_facts import BaseFacts
from reknit.core.gate.test_evidence import holds_only_checks, imports_a_test_library, runs_programs
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import (
    is_code,
    is_config,
    is_in_test_folder,
    is_prose,
    is_python,
    is_recorded_expectation,
)
from reknit.core.repository.usual_files import is_settings, is_usual

_JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_JAVA_ROOTS = ("src/main/java", "src/test/java", "src/main/kotlin", "src/test/kotlin", "src")
SHORTEST_FOLDER = 3
_AROUND_ENDINGS = (("*", ""), ("}", ""), ('"', '"'), ("'", "'"))
_TEMPLATES = re.compile(
    r"(?:[^/]+/)*?(?:[^/]*[-_.])?(?:templates?|skeletons?|scaffold(?:s|ing)?|boilerplates?|blueprints?|archetype-resources|stubs|starters?)(?=/)",
    re.IGNORECASE,
)


def words_to_ask(change: Change, facts: BaseFacts) -> tuple[str, ...]:
    """For all changed files about which base's other files have something to say."""
    return tuple(dict.fromkeys(word for file in change.files for word in _words(file, facts)))


def _words(file: FileChange, facts: BaseFacts) -> Iterator[str]:
    if file.before == file.after:
        return
    if not is_usual(file.path) or is_settings(file.path) or (is_config(file.path) and "/" in file.path):
        yield from literal_words(file.path)
    if file.before is None:
        if is_python(file.path) or file.path.endswith((".java", ".kt")):
            yield from import_words(file.path)
        if is_in_test_folder(file.path) or is_recorded_expectation(file.path):
            yield from use_words(file.path, facts)
    elif is_data(file.path) or may_support_tests(file):
        yield from (*use_words(file.path, facts), *(pattern_words(file.path) if is_data(file.path) else ()))


def may_support_tests(file: FileChange) -> bool:
    """Whether a code file holds what helpers of tests hold; who uses it decides."""
    path, text = file.path, file.text_before
    return is_code(path) and (
        imports_a_test_library(path, text) or holds_only_checks(path, text) or runs_programs(text)
    )


def is_data(path: str) -> bool:
    is_text_for_people = is_prose(path) and not path.lower().endswith(".txt")
    return not is_code(path) and not is_config(path) and not is_text_for_people


def use_words(path: str, facts: BaseFacts) -> tuple[str, ...]:
    """By which another file names this one in order to use it."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    if not is_code(path):
        return (name, f'"{stem}"', f"'{stem}'", *_folder_words(folder, facts))
    if is_python(path):
        return _python_words(path)
    if name.lower().endswith(_JS):
        last = posixpath.basename(folder) if stem == "index" else stem
        return (f'/{last}"', f"/{last}'", f"/{name}")
    if name.endswith(".go"):
        return (f'/{posixpath.basename(folder)}"',) if folder else ()
    package = posixpath.basename(folder)
    return (f"{package}.{stem}", f" {stem}.", f"({stem}.", f"extends {stem}")


def pattern_words(path: str) -> tuple[str, ...]:
    """Return how code names files whose names it computes: `*.sql`, `name + ".sql"`, `f"{name}.sql"`."""
    ending = posixpath.splitext(path)[1]
    return tuple(before + ending + after for before, after in _AROUND_ENDINGS) if ending else ()


def literal_words(path: str) -> tuple[str, ...]:
    """By which a program names a file in order to read it: at the end of a string, or by its folder of templates."""
    name, folder = posixpath.basename(path), posixpath.basename(template_folder(path))
    folders = (f"{folder}/", f'"{folder}"', f"'{folder}'") if folder else ()
    return (f'"{name}"', f"'{name}'", f'/{name}"', f"/{name}'", *folders)


def template_folder(path: str) -> str:
    """The first folder of the path that holds templates by its name; empty: there is none."""
    match = _TEMPLATES.match(path)
    return match[0] if match else ""


def import_words(path: str) -> tuple[str, ...]:
    """By which another file imports what a new file would take the place of: a module, or a class with its package."""
    if is_python(path):
        name = posixpath.basename(path.removesuffix("/__init__.py")).removesuffix(".py")
        return (f"import {name}", f"from {name} import", f"from {name}.")
    return (qualified_name(path),)


def qualified_name(path: str) -> str:
    """`org.junit.jupiter.api.Assertions`, from the path of a Java file."""
    inside = posixpath.splitext(path)[0]
    for root in _JAVA_ROOTS:
        before, found, after = inside.partition(f"{root}/")
        if found and (not before or before.endswith("/")):
            return after.replace("/", ".")
    return inside.replace("/", ".")


def _python_words(path: str) -> tuple[str, ...]:
    inside = path.removesuffix("/__init__.py").removesuffix(".py").removeprefix("src/")
    folder, name = posixpath.split(inside)
    package = posixpath.basename(folder)
    relative = (f".{name} import", f". import {name}")
    if not package:
        return (f"import {name}", f"from {name} import", *relative)
    return (f"{package}.{name}", f"{package} import {name}", *relative)


def _folder_words(folder: str, facts: BaseFacts) -> tuple[str, ...]:
    """Of a folder that holds nothing but data, which is often read as a whole."""
    name = posixpath.basename(folder)
    inside = (path for path in facts.near if posixpath.dirname(path) == folder)
    if len(name) < SHORTEST_FOLDER or any(map(is_code, inside)):
        return ()
    return (f"{name}/", f'"{name}"', f"'{name}'")
