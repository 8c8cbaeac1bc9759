"""Builds the second harness for Rust: the tests as ordinary functions of their crate, built without `cfg(test)`.

The text of the tests is in a separate file that the crate does not know, and is removed before the tests run.
"""

import posixpath
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reknit.core.languages.programs import fill, read_program
from reknit.core.languages.rust.tamper_checks.manifest import (
    NAME,
    CargoPackage,
    add_program,
    add_test_dependencies,
    find_package,
)
from reknit.core.languages.rust.tamper_checks.source import RustModule, RustTarget, find_attributes
from reknit.core.tamper_checks.checks import Harness, Names, Targets
from reknit.core.tamper_checks.syntax import Edit, Node, apply_edits, end_index, find_kind, replace_node, start_index

_MACROS = ("assert", "assert_eq", "assert_ne", "panic")
_CALL = """    run("ID", function);
"""
_CALL_OF_RESULT = """    run("ID", || {
        if let Err(problem) = function() {
            ::std::panic!("Error: {:?}", problem);
        }
    });
"""
_ENTRY = """
#[doc(hidden)]
#[allow(warnings)]
pub fn entry(run: &mut dyn FnMut(&'static str, fn())) {
CALLS}
"""


def make_harness(targets: Sequence[RustTarget], inputs: Targets, names: Names) -> tuple[Harness | None, str]:
    """Return the harness for the crate with most targets, or the reason why there is none."""
    callable_ = [target for target in targets if not _expects_panic(target)]
    if not callable_:
        return None, "the tests expect a panic"
    ((root, _),) = Counter(target.modules[0].file for target in callable_).most_common(1)
    package = find_package(root, inputs.files)
    if package is None:
        return None, "Cargo.toml names no package"
    crate_targets = [target for target in callable_ if target.modules[0].file == root]
    crate = _Crate(crate_targets, package, inputs, names)
    crate.build()
    ids = tuple(sorted(target.id for target in crate_targets))
    argv, hidden = ("sh", "-c", crate.build_script()), tuple(sorted(crate.hidden))
    return Harness(argv, ids, files=crate.files, hidden=hidden, unbuilt_exit=names.unbuilt_exit), ""


def _expects_panic(target: RustTarget) -> bool:
    return any(text.startswith("#[should_panic") for text, _ in find_attributes(target.function))


def _qualify_macros(container: Node) -> Iterator[Edit]:
    """Yield edits that select the assertions of the standard library, even if others have the same names."""
    for macro in find_kind(container, "macro_invocation"):
        macro_name = macro.field("macro")
        if macro_name and macro_name.text() in _MACROS:
            yield replace_node(macro_name, f"::std::{macro_name.text()}")


@dataclass
class _Changes:
    """Changes to one module."""

    module: RustModule
    parent: tuple[str, ...]
    calls: list[str] = field(default_factory=list)
    is_of_tests: bool = False


class _Crate:
    def __init__(self, targets: Sequence[RustTarget], package: CargoPackage, inputs: Targets, names: Names) -> None:
        self._targets, self._package, self._inputs, self._names = targets, package, inputs, names
        self._root = targets[0].modules[0]
        self._word, self._entry = names.make_word("rust program"), names.make_word("rust entry")
        self._edits: dict[str, list[Edit]] = {}
        self.files: dict[str, str] = {}
        self.hidden: set[str] = set()

    @property
    def _is_library(self) -> bool:
        return posixpath.basename(self._root.file) == "lib.rs"

    @property
    def _is_outside(self) -> bool:
        """Return True if it is a crate in `tests/`, which becomes an example."""
        return self._root.file.startswith(posixpath.join(self._package.folder, "tests/"))

    def _join(self, *parts: str) -> str:
        return posixpath.join(self._package.folder, *parts)

    def build(self) -> None:
        modules = self._collect_modules()
        for changes in modules.values():
            self._add_entry(changes)
        for changes in modules.values():
            if changes.module.item:
                self._redeclare(changes, changes.module.item)
        self._finish()

    def _collect_modules(self) -> dict[tuple[str, ...], _Changes]:
        """Return the changes by module path, deepest first."""
        changes: dict[tuple[str, ...], _Changes] = {}
        for number, target in enumerate(self._targets):
            names = tuple(module.name for module in target.modules)
            for length, module in enumerate(target.modules, start=1):
                changes.setdefault(names[:length], _Changes(module, names[: length - 1]))
            changes[names].calls.append(self._convert_test(target, number))
            changes[names].is_of_tests = True
        *below, _root = sorted(changes, key=len, reverse=True)
        for names in below:
            changes[names[:-1]].calls.append(f"    {self._choose_module_name(changes[names])}::{self._entry}(run);\n")
        return dict(sorted(changes.items(), key=lambda item: -len(item[0])))

    def _convert_test(self, target: RustTarget, number: int) -> str:
        """Turn the test into an ordinary function, and return the code that calls it."""
        function = f"{self._names.make_word('rust function')}_{number}"
        name = target.function.field("name")
        edits = self._edits.setdefault(target.module.file, [])
        edits += [replace_node(node, "") for text, node in find_attributes(target.function) if text == "#[test]"]
        edits += [replace_node(name, function)] if name else []
        text = _CALL_OF_RESULT if target.function.field("return_type") else _CALL
        return fill(text, ID=target.id, function=function)

    def _choose_module_name(self, changes: _Changes) -> str:
        return self._names.make_word("rust module") if changes.is_of_tests else changes.module.name

    def _add_entry(self, changes: _Changes) -> None:
        module = changes.module
        at = end_index(module.container) - 1 if module.is_inline else len(module.text)
        text = fill(_ENTRY, entry=self._entry, CALLS="".join(changes.calls))
        edits = self._edits.setdefault(module.file, [])
        edits.append(Edit(at, at, text))
        if changes.is_of_tests:
            edits += [edit for edit in _qualify_macros(module.container) if edit not in edits]

    def _redeclare(self, changes: _Changes, item: Node) -> None:
        """Give a module of tests another name and a separate file, and remove its `#[cfg(test)]`."""
        module = changes.module
        parent = next(
            modules for modules in self._list_module_paths() if tuple(part.name for part in modules) == changes.parent
        )[-1]
        edits = self._edits[parent.file]
        edits += [replace_node(node, "") for text, node in find_attributes(item) if text == "#[cfg(test)]"]
        name = item.field("name")
        if not changes.is_of_tests or name is None:
            return
        new = self._choose_module_name(changes)
        if not self._is_library or (module.is_inline and parent.is_inline):
            edits.append(replace_node(name, new))
            return
        path = posixpath.join(
            posixpath.dirname(module.file), f"{self._names.make_word('rust file')}{len(self.files)}.rs"
        )
        first, last = (
            (start_index(module.container) + 1, end_index(module.container) - 1) if module.is_inline else (0, None)
        )
        text = module.text[first:last]
        own = self._edits[module.file]
        inside = [edit for edit in own if first <= edit.start and (last is None or edit.end <= last)]
        own[:] = [edit for edit in own if edit not in inside]
        self.files[path] = apply_edits(text, inside, offset=first)
        if not module.is_inline:
            self.hidden.add(module.file)
        place = posixpath.relpath(path, posixpath.dirname(parent.file))
        edits.append(replace_node(item, f'#[allow(warnings)]\n#[path = "{place}"]\nmod {new};'))

    def _list_module_paths(self) -> list[tuple[RustModule, ...]]:
        return [target.modules[:length] for target in self._targets for length in range(1, len(target.modules) + 1)]

    def _finish(self) -> None:
        texts = {module.file: module.text for modules in self._list_module_paths() for module in modules}
        if not self._is_library and not self._is_outside:
            mains = (item for item in self._root.container.children() if item.kind() == "function_item")
            names = [name for item in mains if (name := item.field("name")) and name.text() == "main"]
            self._edits[self._root.file] += [replace_node(name, self._names.make_word("rust main")) for name in names]
        if self._is_outside:
            self._edits[self._root.file] += self._locate_modules()
        changed = {path: apply_edits(texts[path], self._edits[path]) for path in texts if path not in self.hidden}
        root = changed.pop(self._root.file)
        self.files |= changed
        if self._is_library:
            self.files[self._root.file] = root
            self.files[self._program] = f"#![allow(warnings)]\n{self._render_main(f'{self._package.library}::')}"
            self._add_packages()
            return
        self.hidden.add(self._root.file)
        self.files[self._program] = root + self._render_main("")
        if not self._is_outside:
            path = posixpath.relpath(self._program, self._package.folder or ".")
            self.files[self._join(NAME)] = add_program(self._package.text, self._word, path)

    @property
    def _program(self) -> str:
        if self._is_library or self._is_outside:
            return self._join("examples", f"{self._word}.rs")
        return posixpath.join(posixpath.dirname(self._root.file), f"{self._word}.rs")

    def _add_packages(self) -> None:
        texts = " ".join(self.files.values())
        if any(name.replace("-", "_") in texts for name in self._package.dev_dependencies):
            self.files[self._join(NAME)] = add_test_dependencies(self._package.text, self._package.dev_dependencies)

    def _locate_modules(self) -> list[Edit]:
        """Return edits that make `mod common;` of `tests/` work from `examples/` too."""
        edits = []
        for item in self._root.container.children():
            name = item.field("name") if item.kind() == "mod_item" and not item.field("body") else None
            place = posixpath.join(posixpath.dirname(self._root.file), name.text()) if name else ""
            paths = [path for path in (f"{place}.rs", f"{place}/mod.rs") if path in self._inputs.tracked]
            if paths:
                path = posixpath.relpath(paths[0], self._join("examples"))
                edits.append(Edit(start_index(item), start_index(item), f'#[path = "{path}"]\n'))
        return edits

    def _render_main(self, path: str) -> str:
        mask = 1 + self._names.choose("rust mask", 200)
        signs = (byte ^ (mask + at) % 256 for at, byte in enumerate(bytes.fromhex(self._names.nonce)))
        return fill(
            read_program("rust", "main.rs"),
            run_tests=f"{path}{self._entry}",
            MASK=str(mask),
            SIGNS=", ".join(map(str, signs)),
            escape_text=self._names.make_word("rust escape"),
        )

    def build_script(self) -> str:
        """Return a shell script that builds the harness, removes the tests' text, and runs the tests.

        They run in the folder that `cargo test` would use. The build has no debug assertions, because code could use
        them to detect a test; overflow still panics.
        """
        is_example = self._is_library or self._is_outside
        profile = f"profile.dev.package.{self._package.name}"
        words = [
            *("cargo", "build", "-q", "--offline", "--manifest-path", f"./{self._join(NAME)}"),
            *("--example" if is_example else "--bin", self._word),
            *("--config", f"{profile}.debug-assertions=false", "--config", f"{profile}.overflow-checks=true"),
        ]
        built = f"debug/{'examples/' if is_example else ''}{self._word}"
        folder = shlex.quote(f"./{self._package.folder}")
        own = {*self._inputs.tracked, *self._inputs.files}
        removed = " ".join(shlex.quote(path) for path in sorted(self.files) if path not in own)
        return (
            f'{{ place="${{CARGO_TARGET_DIR:-target}}" && {shlex.join(words)} --target-dir "$place"'
            f' && cp "$place/{built}" {folder}/{self._word} && rm -f {removed}'
            f" && cd {folder}; }} || exit {self._names.unbuilt_exit}; exec ./{self._word}"
        )
