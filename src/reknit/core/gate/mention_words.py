"""Lists the words by which other files mention a file: its name, or an import of it."""

import posixpath
import re
from collections.abc import Iterator

from reknit.core.gate.scope import BaseFacts
from reknit.core.gate.test_evidence import holds_only_checks, imports_a_test_library, runs_programs
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.file_kinds import is_settings, is_usual
from reknit.core.repository.paths import (
    is_code,
    is_config,
    is_in_test_folder,
    is_prose,
    is_python,
    is_recorded_expectation,
)

_JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_JAVA_ROOTS = ("src/main/java", "src/test/java", "src/main/kotlin", "src/test/kotlin", "src")
SHORTEST_FOLDER = 3
_AROUND_ENDINGS = (("*", ""), ("}", ""), ('"', '"'), ("'", "'"))
_TEMPLATES = re.compile(
    r"(?:[^/]+/)*?(?:[^/]*[-_.])?(?:templates?|skeletons?|scaffold(?:s|ing)?|boilerplates?|blueprints?|archetype-resources|stubs|starters?)(?=/)",
    re.IGNORECASE,
)


def collect_words(change: Change, facts: BaseFacts) -> tuple[str, ...]:
    """Return the words by which files of base may mention the changed files."""
    return tuple(dict.fromkeys(word for file in change.files for word in _collect_file_words(file, facts)))


def _collect_file_words(file: FileChange, facts: BaseFacts) -> Iterator[str]:
    if file.before == file.after:
        return
    if not is_usual(file.path) or is_settings(file.path) or (is_config(file.path) and "/" in file.path):
        yield from list_literal_words(file.path)
    if file.before is None:
        if is_python(file.path) or file.path.endswith((".java", ".kt")):
            yield from list_import_words(file.path)
        if is_in_test_folder(file.path) or is_recorded_expectation(file.path):
            yield from list_use_words(file.path, facts)
    elif is_data(file.path) or may_support_tests(file):
        yield from (*list_use_words(file.path, facts), *(list_pattern_words(file.path) if is_data(file.path) else ()))


def may_support_tests(file: FileChange) -> bool:
    """Return True if a code file looks like a test helper; the files that use it decide if it is one."""
    path, text = file.path, file.text_before
    return is_code(path) and (
        imports_a_test_library(path, text) or holds_only_checks(path, text) or runs_programs(text)
    )


def is_data(path: str) -> bool:
    """Return True if a file is neither code, configuration nor prose."""
    is_text_for_people = is_prose(path) and not path.lower().endswith(".txt")
    return not is_code(path) and not is_config(path) and not is_text_for_people


def list_use_words(path: str, facts: BaseFacts) -> tuple[str, ...]:
    """Return the words by which other files use this one."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    if not is_code(path):
        return (name, f'"{stem}"', f"'{stem}'", *_list_folder_words(folder, facts))
    if is_python(path):
        return _list_python_words(path)
    if name.lower().endswith(_JS):
        last = posixpath.basename(folder) if stem == "index" else stem
        return (f'/{last}"', f"/{last}'", f"/{name}")
    if name.endswith(".go"):
        return (f'/{posixpath.basename(folder)}"',) if folder else ()
    package = posixpath.basename(folder)
    return (f"{package}.{stem}", f" {stem}.", f"({stem}.", f"extends {stem}")


def list_pattern_words(path: str) -> tuple[str, ...]:
    """Return the words by which code computes names of such files: `*.sql`, `name + ".sql"`, `f"{name}.sql"`."""
    ending = posixpath.splitext(path)[1]
    return tuple(before + ending + after for before, after in _AROUND_ENDINGS) if ending else ()


def list_literal_words(path: str) -> tuple[str, ...]:
    """Return the words by which a program opens a file: its name at the end of a string, or its template folder."""
    name, folder = posixpath.basename(path), posixpath.basename(find_template_folder(path))
    folders = (f"{folder}/", f'"{folder}"', f"'{folder}'") if folder else ()
    return (f'"{name}"', f"'{name}'", f'/{name}"', f"/{name}'", *folders)


def find_template_folder(path: str) -> str:
    """Return the first folder of the path that holds templates by its name; empty: there is none."""
    match = _TEMPLATES.match(path)
    return match[0] if match else ""


def list_import_words(path: str) -> tuple[str, ...]:
    """Return the words that import a module or class of the new file's name, which it would replace."""
    if is_python(path):
        name = posixpath.basename(path.removesuffix("/__init__.py")).removesuffix(".py")
        return (f"import {name}", f"from {name} import", f"from {name}.")
    return (to_qualified_name(path),)


def to_qualified_name(path: str) -> str:
    """Return `org.junit.jupiter.api.Assertions` from the path of a Java file."""
    inside = posixpath.splitext(path)[0]
    for root in _JAVA_ROOTS:
        before, separator, after = inside.partition(f"{root}/")
        if separator and (not before or before.endswith("/")):
            return after.replace("/", ".")
    return inside.replace("/", ".")


def _list_python_words(path: str) -> tuple[str, ...]:
    inside = path.removesuffix("/__init__.py").removesuffix(".py").removeprefix("src/")
    folder, name = posixpath.split(inside)
    package = posixpath.basename(folder)
    relative = (f".{name} import", f". import {name}")
    if not package:
        return (f"import {name}", f"from {name} import", *relative)
    return (f"{package}.{name}", f"{package} import {name}", *relative)


def _list_folder_words(folder: str, facts: BaseFacts) -> tuple[str, ...]:
    """Return the words for a folder without code: programs often read such a folder as a whole."""
    name = posixpath.basename(folder)
    inside = (path for path in facts.near if posixpath.dirname(path) == folder)
    if len(name) < SHORTEST_FOLDER or any(map(is_code, inside)):
        return ()
    return (f"{name}/", f'"{name}"', f"'{name}'")
