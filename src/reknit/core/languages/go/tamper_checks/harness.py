"""Builds the second harness for Go: a program that calls the tests as ordinary functions of their package."""

import posixpath
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from reknit.core.languages.go.tamper_checks.source import (
    TESTING,
    GoFile,
    GoTarget,
    find_functions,
    find_import,
    find_local_name,
    is_test_function,
)
from reknit.core.languages.programs import fill, read_program
from reknit.core.tamper_checks.checks import Harness, Names
from reknit.core.tamper_checks.syntax import Edit, apply_edits, end_index, find_kind, replace_node, start_index

_NEVER = ("Short", "Verbose")
_PLATFORM = re.compile(r"_(?:linux|darwin|windows|freebsd|amd64|arm64|386|arm|linux_amd64|linux_arm64)$")
"""The end of a file's name by which Go leaves it out on other platforms."""
_CALL = '(&Reporter{name: "NAME", emit: emit}).call(function)'
_CLAUSE = re.compile(r"package\s{1,99}\w{1,200}")


def make_harness(
    targets: Sequence[GoTarget], files: Sequence[GoFile], module: str, names: Names
) -> tuple[Harness | None, str]:
    """Return the harness, or the reason why there is none. `targets`, `files`: of one package."""
    tests = [file for file in files if file.is_test]
    if why := _find_obstacle(targets, files, module):
        return None, why
    program = _Program(targets, files, module, names)
    added = {**program.copy_tests(tests), **program.render_support()}
    hidden = tuple(file.path for file in tests)
    ids = tuple(sorted(test for target in targets for test in target.ids))
    argv = ("sh", "-c", program.build_script(added))
    return Harness(argv, ids, files=added, hidden=hidden, unbuilt_exit=names.unbuilt_exit), ""


def _find_obstacle(targets: Sequence[GoTarget], files: Sequence[GoFile], module: str) -> str:
    if not module:
        return "go.mod names no module"
    tests = [file for file in files if file.is_test]
    if any(name == "TestMain" for file in tests for name, _ in find_functions(file)):
        return "TestMain prepares the tests"
    if any(find_local_name(find_import(file, TESTING), TESTING) == "." for file in tests):
        return "the names of the testing package are imported without its own"
    if any(target.file.is_outside for target in targets) and any(file.package == "main" for file in files):
        return "the tests of a program are in a package of their own"
    return ""


class _Program:
    def __init__(self, targets: Sequence[GoTarget], files: Sequence[GoFile], module: str, names: Names) -> None:
        self._targets, self._files, self._names = targets, files, names
        self._folder = targets[0].folder
        self._import = posixpath.normpath(posixpath.join(module, self._folder))
        self._package = next((file.package for file in files if not file.is_outside), "")
        self._word = names.make_word("go program")

    @property
    def _is_program(self) -> bool:
        return self._package == "main"

    def _reporter_name(self, *, is_outside: bool) -> str:
        """Return the name of the reporter; each package has its own, because one may import the other's names."""
        return self._names.make_title("go outer reporter" if is_outside else "go reporter")

    def _entry_name(self, *, is_outside: bool) -> str:
        return self._names.make_title("go outer entry" if is_outside else "go entry")

    def _path(self, *parts: str) -> str:
        return posixpath.normpath(posixpath.join(self._folder, *parts))

    def copy_tests(self, tests: Sequence[GoFile]) -> dict[str, str]:
        copies = {}
        for number, file in enumerate(tests):
            platform = _PLATFORM.search(file.path.removesuffix("_test.go"))
            name = f"{self._names.make_word('go file')}{number}{platform.group() if platform else ''}.go"
            copies[self._path(self._word, name) if file.is_outside else self._path(name)] = self._copy_file(file)
        return copies

    def _copy_file(self, file: GoFile) -> str:
        """Rename the tests, and replace `testing.T` by our own type."""
        testing = find_local_name(find_import(file, TESTING), TESTING)
        own = self._reporter_name(is_outside=file.is_outside)
        edits = [*self._rename_tests(file), *_replace_types(file, testing, own)]
        if testing and len(list(_find_uses(file, testing))) == sum(edit.new in (own, "false") for edit in edits):
            edits.append(_remove_import(file))
        text = apply_edits(file.text, edits)
        return _CLAUSE.sub("package main", text, count=1) if file.is_outside else text

    def _rename_tests(self, file: GoFile) -> Iterable[Edit]:
        names = {name for file in self._files for name, node in find_functions(file) if is_test_function(name, node)}
        for node in find_kind(file.root, "identifier"):
            if node.text() in names:
                yield replace_node(node, self._function_name(node.text()))

    def _function_name(self, test: str) -> str:
        order = sorted({name for file in self._files for name, _ in find_functions(file)})
        return f"{self._names.make_word('go function')}{order.index(test)}"

    def render_support(self) -> dict[str, str]:
        outside = [target for target in self._targets if target.file.is_outside]
        inside = [target for target in self._targets if not target.file.is_outside]
        has_inside = any(file.is_test and not file.is_outside for file in self._files)
        has_outside = any(file.is_outside for file in self._files)
        added = {}
        if has_inside:
            added[self._path(f"{self._names.make_word('go support')}.go")] = self._render_reporter(
                inside, self._package, is_outside=False
            )
        if has_outside:
            added[self._path(self._word, f"{self._names.make_word('go support')}.go")] = self._render_reporter(
                outside, "main", is_outside=True
            )
        added[self._path(f"{self._word}.go") if self._is_program else self._path(self._word, "main.go")] = (
            self._render_main(inside, outside)
        )
        return {**added, **self._rename_main()}

    def _render_reporter(self, targets: Sequence[GoTarget], package: str, *, is_outside: bool) -> str:
        reporter = self._reporter_name(is_outside=is_outside)
        calls = (
            fill(_CALL, Reporter=reporter, NAME=target.name, function=self._function_name(target.name))
            for target in targets
        )
        return fill(
            read_program("go", "reporter.go"),
            PACKAGE=package,
            CALLS="\n\t".join(calls),
            Reporter=reporter,
            plainName=self._names.make_word("go plain"),
            firstText=self._names.make_word("go first"),
            StopTest=self._names.make_title("go stop"),
            CallTests=self._entry_name(is_outside=is_outside),
        )

    def _render_main(self, inside: Sequence[GoTarget], outside: Sequence[GoTarget]) -> str:
        ids = (f"{_quote(test.partition('::')[2])}: {_quote(test)}" for target in self._targets for test in target.ids)
        calls, alias, imported = [], "_", '"os"'  # importing a package once more under no name changes nothing
        if inside and self._is_program:
            calls.append(f"{self._entry_name(is_outside=False)}(emit)")
        elif inside:
            alias, imported = self._names.make_word("go import"), _quote(self._import)
            calls.append(f"{alias}.{self._entry_name(is_outside=False)}(emit)")
        if outside:
            calls.append(f"{self._entry_name(is_outside=True)}(emit)")
        mask = 1 + self._names.choose("go mask", 200)
        sign = ", ".join(str(byte ^ (mask + at) % 256) for at, byte in enumerate(bytes.fromhex(self._names.nonce)))
        return fill(
            read_program("go", "main.go"),
            TESTS=alias,
            TESTS_PATH=imported[1:-1],
            SIGNS=sign,
            MASK=str(mask),
            WANTED=", ".join(ids),
            CALLS="\n\t".join(calls),
        )

    def _rename_main(self) -> Mapping[str, str]:
        """Rename the program's own `main`; that of the harness replaces it."""
        changed = {}
        for file in self._files if self._is_program else ():
            mains = [node.field("name") for name, node in find_functions(file) if name == "main"]
            if any(mains) and not file.is_test:
                edits = [replace_node(node, self._names.make_word("go main")) for node in mains if node]
                changed[file.path] = apply_edits(file.text, edits)
        return changed

    def build_script(self, added: Mapping[str, str]) -> str:
        """Return a script that builds the harness, removes the tests' text, and runs in the folder of `go test`."""
        program = self._path(f"{self._word}.bin") if self._is_program else self._path(self._word, self._word)
        built = self._folder if self._is_program else self._path(self._word)
        own = {file.path for file in self._files}
        removed = " ".join(shlex.quote(path) for path in sorted(added) if path not in own)
        run = posixpath.relpath(program, self._folder)
        places = {"out": f"./{program}", "built": f"./{built}", "folder": f"./{self._folder}", "run": f"./{run}"}
        word = {name: shlex.quote(path) for name, path in places.items()}
        build = f"go build -buildvcs=false -o {word['out']} {word['built']}"
        built = f"{build} && rm -f {removed} && cd {word['folder']}"
        return f"{{ {built}; }} || exit {self._names.unbuilt_exit}; exec {word['run']}"


def _find_uses(file: GoFile, testing: str) -> Iterable[str]:
    """Yield the name `X` of every `testing.X`."""
    for node in find_kind(file.root, "qualified_type", "selector_expression"):
        package, _, name = node.text().partition(".")
        if package == testing:
            yield name


def _replace_types(file: GoFile, testing: str, own: str) -> Iterable[Edit]:
    for node in find_kind(file.root, "qualified_type"):
        if testing and node.text() == f"{testing}.T":
            yield replace_node(node, own)
    for node in find_kind(file.root, "call_expression"):
        if testing and node.text() in (f"{testing}.{name}()" for name in _NEVER):
            yield replace_node(node, "false")


def _remove_import(file: GoFile) -> Edit:
    specification = find_import(file, TESTING)
    around = specification.parent() if specification else None
    declaration = around if around and around.kind() == "import_declaration" else specification
    return Edit(start_index(declaration), end_index(declaration), "") if declaration else Edit(0, 0, "")


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
