"""The second harness for Rust: the tests as ordinary functions of their crate, which is built without `cfg(test)`.

Their text is in a file of its own, so that the files of the crate cannot include it, and is removed before they run.
"""

import posixpath
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reknit.core.tamper_checks.checks import Harness, Targets
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.rust.manifest import NAME, CargoPackage, package_of, with_needs_of_tests, with_program
from reknit.core.tamper_checks.rust.source import RustModule, RustTarget, attributes
from reknit.core.tamper_checks.rust.texts import CALL, CALL_OF_RESULT, ENTRY, MAIN, filled
from reknit.core.tamper_checks.syntax import Edit, Node, edited, end, of_kind, replaced, start

_MACROS = ("assert", "assert_eq", "assert_ne", "panic")


def make_harness(targets: Sequence[RustTarget], given: Targets, names: Names) -> tuple[Harness | None, str]:
    """For the crate with most targets. Or the reason why there is none."""
    callable_ = [target for target in targets if not _expects_panic(target)]
    if not callable_:
        return None, "the tests expect a panic"
    ((root, _),) = Counter(target.way[0].file for target in callable_).most_common(1)
    package = package_of(root, given.files)
    if package is None:
        return None, "Cargo.toml names no package"
    chosen = [target for target in callable_ if target.way[0].file == root]
    made = _Crate(chosen, package, given, names)
    made.build()
    ids = tuple(sorted(target.id for target in chosen))
    argv, hidden = ("sh", "-c", made.script()), tuple(sorted(made.hidden))
    return Harness(argv, ids, files=made.files, hidden=hidden, unbuilt_exit=names.unbuilt_exit), ""


def _expects_panic(target: RustTarget) -> bool:
    return any(text.startswith("#[should_panic") for text, _ in attributes(target.function))


def _standard_macros(container: Node) -> Iterator[Edit]:
    """The assertions of the language itself, whatever else has their names."""
    for macro in of_kind(container, "macro_invocation"):
        called = macro.field("macro")
        if called and called.text() in _MACROS:
            yield replaced(called, f"::std::{called.text()}")


@dataclass
class _Changes:
    """To one module."""

    module: RustModule
    parent: tuple[str, ...]
    calls: list[str] = field(default_factory=list)
    is_of_tests: bool = False


class _Crate:
    def __init__(self, targets: Sequence[RustTarget], package: CargoPackage, given: Targets, names: Names) -> None:
        self._targets, self._package, self._given, self._names = targets, package, given, names
        self._root = targets[0].way[0]
        self._word, self._entry = names.word("rust program"), names.word("rust entry")
        self._edits: dict[str, list[Edit]] = {}
        self.files: dict[str, str] = {}
        self.hidden: set[str] = set()

    @property
    def _is_library(self) -> bool:
        return posixpath.basename(self._root.file) == "lib.rs"

    @property
    def _is_outside(self) -> bool:
        """In `tests/`: a crate of its own, which becomes an example."""
        return self._root.file.startswith(posixpath.join(self._package.folder, "tests/"))

    def _at(self, *parts: str) -> str:
        return posixpath.join(self._package.folder, *parts)

    def build(self) -> None:
        modules = self._modules()
        for changes in modules.values():
            self._change(changes)
        for changes in modules.values():
            if changes.module.item:
                self._declare(changes, changes.module.item)
        self._finish()

    def _modules(self) -> dict[tuple[str, ...], _Changes]:
        """By their way, deepest first."""
        found: dict[tuple[str, ...], _Changes] = {}
        for number, target in enumerate(self._targets):
            way = tuple(module.name for module in target.way)
            for length, module in enumerate(target.way, start=1):
                found.setdefault(way[:length], _Changes(module, way[: length - 1]))
            found[way].calls.append(self._take_out(target, number))
            found[way].is_of_tests = True
        *below, _root = sorted(found, key=len, reverse=True)
        for way in below:
            found[way[:-1]].calls.append(f"    {self._new_name(found[way])}::{self._entry}(run);\n")
        return dict(sorted(found.items(), key=lambda item: -len(item[0])))

    def _take_out(self, target: RustTarget, number: int) -> str:
        """The test becomes a function; how it is called."""
        function = f"{self._names.word('rust function')}_{number}"
        name = target.function.field("name")
        edits = self._edits.setdefault(target.module.file, [])
        edits += [replaced(node, "") for text, node in attributes(target.function) if text == "#[test]"]
        edits += [replaced(name, function)] if name else []
        text = CALL_OF_RESULT if target.function.field("return_type") else CALL
        return filled(text, id=target.id, function=function)

    def _new_name(self, changes: _Changes) -> str:
        return self._names.word("rust module") if changes.is_of_tests else changes.module.name

    def _change(self, changes: _Changes) -> None:
        module = changes.module
        at = end(module.container) - 1 if module.is_inline else len(module.text)
        text = filled(ENTRY, entry=self._entry, calls="".join(changes.calls))
        edits = self._edits.setdefault(module.file, [])
        edits.append(Edit(at, at, text))
        if changes.is_of_tests:
            edits += [edit for edit in _standard_macros(module.container) if edit not in edits]

    def _declare(self, changes: _Changes, item: Node) -> None:
        """A module of tests has another name and a file of its own, and is part of every build."""
        module = changes.module
        parent = next(way for way in self._ways() if tuple(each.name for each in way) == changes.parent)[-1]
        edits = self._edits[parent.file]
        edits += [replaced(node, "") for text, node in attributes(item) if text == "#[cfg(test)]"]
        name = item.field("name")
        if not changes.is_of_tests or name is None:
            return
        new = self._new_name(changes)
        if not self._is_library or (module.is_inline and parent.is_inline):
            edits.append(replaced(name, new))
            return
        path = posixpath.join(posixpath.dirname(module.file), f"{self._names.word('rust file')}{len(self.files)}.rs")
        first, last = (start(module.container) + 1, end(module.container) - 1) if module.is_inline else (0, None)
        text = module.text[first:last]
        own = self._edits[module.file]
        inside = [edit for edit in own if first <= edit.start and (last is None or edit.end <= last)]
        own[:] = [edit for edit in own if edit not in inside]
        self.files[path] = edited(text, inside, offset=first)
        if not module.is_inline:
            self.hidden.add(module.file)
        place = posixpath.relpath(path, posixpath.dirname(parent.file))
        edits.append(replaced(item, f'#[allow(warnings)]\n#[path = "{place}"]\nmod {new};'))

    def _ways(self) -> list[tuple[RustModule, ...]]:
        return [target.way[:length] for target in self._targets for length in range(1, len(target.way) + 1)]

    def _finish(self) -> None:
        texts = {module.file: module.text for way in self._ways() for module in way}
        if not self._is_library and not self._is_outside:
            mains = (item for item in self._root.container.children() if item.kind() == "function_item")
            names = [name for item in mains if (name := item.field("name")) and name.text() == "main"]
            self._edits[self._root.file] += [replaced(name, self._names.word("rust main")) for name in names]
        if self._is_outside:
            self._edits[self._root.file] += self._found_modules()
        changed = {path: edited(texts[path], self._edits[path]) for path in texts if path not in self.hidden}
        root = changed.pop(self._root.file)
        self.files |= changed
        if self._is_library:
            self.files[self._root.file] = root
            self.files[self._program] = f"#![allow(warnings)]\n{self._main(f'{self._package.library}::')}"
            self._need_packages()
            return
        self.hidden.add(self._root.file)
        self.files[self._program] = root + self._main("")
        if not self._is_outside:
            path = posixpath.relpath(self._program, self._package.folder or ".")
            self.files[self._at(NAME)] = with_program(self._package.text, self._word, path)

    @property
    def _program(self) -> str:
        if self._is_library or self._is_outside:
            return self._at("examples", f"{self._word}.rs")
        return posixpath.join(posixpath.dirname(self._root.file), f"{self._word}.rs")

    def _need_packages(self) -> None:
        texts = " ".join(self.files.values())
        if any(name.replace("-", "_") in texts for name in self._package.needs):
            self.files[self._at(NAME)] = with_needs_of_tests(self._package.text, self._package.needs)

    def _found_modules(self) -> list[Edit]:
        """`mod common;` of `tests/` is found from `examples/` too."""
        edits = []
        for item in self._root.container.children():
            name = item.field("name") if item.kind() == "mod_item" and not item.field("body") else None
            place = posixpath.join(posixpath.dirname(self._root.file), name.text()) if name else ""
            found = [path for path in (f"{place}.rs", f"{place}/mod.rs") if path in self._given.tracked]
            if found:
                path = posixpath.relpath(found[0], self._at("examples"))
                edits.append(Edit(start(item), start(item), f'#[path = "{path}"]\n'))
        return edits

    def _main(self, path: str) -> str:
        mask = 1 + self._names.choice("rust mask", 200)
        signs = (byte ^ (mask + at) % 256 for at, byte in enumerate(bytes.fromhex(self._names.nonce)))
        text = filled(MAIN, path=path, entry=self._entry, mask=str(mask), signs=", ".join(map(str, signs)))
        return filled(text, said=self._names.word("rust said"))

    def script(self) -> str:
        """Build, remove the tests' text, and run where `cargo test` would run them.

        Without debug assertions, by which code could tell a test from use; overflow still panics.
        """
        is_example = self._is_library or self._is_outside
        profile = f"profile.dev.package.{self._package.name}"
        words = [
            *("cargo", "build", "-q", "--offline", "--manifest-path", f"./{self._at(NAME)}"),
            *("--example" if is_example else "--bin", self._word),
            *("--config", f"{profile}.debug-assertions=false", "--config", f"{profile}.overflow-checks=true"),
        ]
        built = f"debug/{'examples/' if is_example else ''}{self._word}"
        folder = shlex.quote(f"./{self._package.folder}")
        own = {*self._given.tracked, *self._given.files}
        removed = " ".join(shlex.quote(path) for path in sorted(self.files) if path not in own)
        return (
            f'{{ place="${{CARGO_TARGET_DIR:-target}}" && {shlex.join(words)} --target-dir "$place"'
            f' && cp "$place/{built}" {folder}/{self._word} && rm -f {removed}'
            f" && cd {folder}; }} || exit {self._names.unbuilt_exit}; exec ./{self._word}"
        )
