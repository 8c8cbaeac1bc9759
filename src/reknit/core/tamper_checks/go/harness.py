"""The second harness for Go: the tests as ordinary functions of their package, called by a program beside it."""

import posixpath
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from reknit.core.tamper_checks.checks import Harness
from reknit.core.tamper_checks.go.probes import GoTarget
from reknit.core.tamper_checks.go.source import (
    TESTING,
    GoFile,
    functions,
    import_of,
    is_test_function,
    local_name,
)
from reknit.core.tamper_checks.go.texts import CALL, MAIN, REPORTER, filled
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.syntax import Edit, edited, end, of_kind, replaced, start

_NEVER = ("Short", "Verbose")
_PLATFORM = re.compile(r"_(?:linux|darwin|windows|freebsd|amd64|arm64|386|arm|linux_amd64|linux_arm64)$")
"""The end of a file's name by which Go leaves it out elsewhere."""
_CLAUSE = re.compile(r"package\s{1,99}\w{1,200}")


def make_harness(
    targets: Sequence[GoTarget], files: Sequence[GoFile], module: str, names: Names
) -> tuple[Harness | None, str]:
    """`targets`, `files`: of one package. Or the reason why there is none."""
    tests = [file for file in files if file.is_test]
    if why := _why_not(targets, files, module):
        return None, why
    made = _Program(targets, files, module, names)
    added = {**made.copies(tests), **made.support()}
    hidden = tuple(file.path for file in tests)
    ids = tuple(sorted(test for target in targets for test in target.ids))
    argv = ("sh", "-c", made.script(added))
    return Harness(argv, ids, files=added, hidden=hidden, unbuilt_exit=names.unbuilt_exit), ""


def _why_not(targets: Sequence[GoTarget], files: Sequence[GoFile], module: str) -> str:
    if not module:
        return "go.mod names no module"
    tests = [file for file in files if file.is_test]
    if any(name == "TestMain" for file in tests for name, _ in functions(file)):
        return "TestMain prepares the tests"
    if any(local_name(import_of(file, TESTING), TESTING) == "." for file in tests):
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
        self._word = names.word("go program")

    @property
    def _is_program(self) -> bool:
        return self._package == "main"

    def _type(self, *, is_outside: bool) -> str:
        """Not the same in both packages: a test may import the names of the other without its own."""
        return self._names.title("go outer reporter" if is_outside else "go reporter")

    def _entry(self, *, is_outside: bool) -> str:
        return self._names.title("go outer entry" if is_outside else "go entry")

    def _at(self, *parts: str) -> str:
        return posixpath.normpath(posixpath.join(self._folder, *parts))

    def copies(self, tests: Sequence[GoFile]) -> dict[str, str]:
        copies = {}
        for number, file in enumerate(tests):
            platform = _PLATFORM.search(file.path.removesuffix("_test.go"))
            name = f"{self._names.word('go file')}{number}{platform.group() if platform else ''}.go"
            copies[self._at(self._word, name) if file.is_outside else self._at(name)] = self._copy(file)
        return copies

    def _copy(self, file: GoFile) -> str:
        """The tests under other names, and a type of ours in the place of `testing.T`."""
        testing = local_name(import_of(file, TESTING), TESTING)
        own = self._type(is_outside=file.is_outside)
        edits = [*self._renamed(file), *_retyped(file, testing, own)]
        if testing and len(list(_uses(file, testing))) == sum(edit.new in (own, "false") for edit in edits):
            edits.append(_without_import(file))
        text = edited(file.text, edits)
        return _CLAUSE.sub("package main", text, count=1) if file.is_outside else text

    def _renamed(self, file: GoFile) -> Iterable[Edit]:
        names = {name for each in self._files for name, node in functions(each) if is_test_function(name, node)}
        for node in of_kind(file.root, "identifier"):
            if node.text() in names:
                yield replaced(node, self._name(node.text()))

    def _name(self, test: str) -> str:
        order = sorted({name for each in self._files for name, _ in functions(each)})
        return f"{self._names.word('go function')}{order.index(test)}"

    def support(self) -> dict[str, str]:
        outside = [target for target in self._targets if target.file.is_outside]
        inside = [target for target in self._targets if not target.file.is_outside]
        has_inside = any(file.is_test and not file.is_outside for file in self._files)
        has_outside = any(file.is_outside for file in self._files)
        added = {}
        if has_inside:
            added[self._at(f"{self._names.word('go support')}.go")] = self._reporter(
                inside, self._package, is_outside=False
            )
        if has_outside:
            added[self._at(self._word, f"{self._names.word('go support')}.go")] = self._reporter(
                outside, "main", is_outside=True
            )
        added[self._at(f"{self._word}.go") if self._is_program else self._at(self._word, "main.go")] = self._main(
            inside, outside
        )
        return {**added, **self._without_main()}

    def _reporter(self, targets: Sequence[GoTarget], package: str, *, is_outside: bool) -> str:
        calls = (filled(CALL, name=each.name, function=self._name(each.name)) for each in targets)
        text = filled(REPORTER, package=package, calls="".join(calls))
        return filled(
            text,
            T=self._type(is_outside=is_outside),
            plain=self._names.word("go plain"),
            first=self._names.word("go first"),
            Stop=self._names.title("go stop"),
            Entry=self._entry(is_outside=is_outside),
        )

    def _main(self, inside: Sequence[GoTarget], outside: Sequence[GoTarget]) -> str:
        wanted = (
            f"\t\t{_quoted(test.partition('::')[2])}: {_quoted(test)},\n" for each in self._targets for test in each.ids
        )
        calls, imports = [], ""
        if inside and self._is_program:
            calls.append(f"\t{self._entry(is_outside=False)}(emit)\n")
        elif inside:
            calls.append(f"\t{self._names.word('go import')}.{self._entry(is_outside=False)}(emit)\n")
            imports = f"\t{self._names.word('go import')} {_quoted(self._import)}\n"
        if outside:
            calls.append(f"\t{self._entry(is_outside=True)}(emit)\n")
        mask = 1 + self._names.choice("go mask", 200)
        sign = ", ".join(str(byte ^ (mask + at) % 256) for at, byte in enumerate(bytes.fromhex(self._names.nonce)))
        return filled(MAIN, imports=imports, sign=sign, mask=str(mask), wanted="".join(wanted), runs="".join(calls))

    def _without_main(self) -> Mapping[str, str]:
        """A program's own `main` under another name: the one of the harness takes its place."""
        changed = {}
        for file in self._files if self._is_program else ():
            mains = [node.field("name") for name, node in functions(file) if name == "main"]
            if any(mains) and not file.is_test:
                edits = [replaced(node, self._names.word("go main")) for node in mains if node]
                changed[file.path] = edited(file.text, edits)
        return changed

    def script(self, added: Mapping[str, str]) -> str:
        """Build, remove the tests' text, and run where `go test` would run them."""
        program = self._at(f"{self._word}.bin") if self._is_program else self._at(self._word, self._word)
        built = self._folder if self._is_program else self._at(self._word)
        own = {file.path for file in self._files}
        removed = " ".join(shlex.quote(path) for path in sorted(added) if path not in own)
        run = posixpath.relpath(program, self._folder)
        places = {"out": f"./{program}", "built": f"./{built}", "folder": f"./{self._folder}", "run": f"./{run}"}
        word = {name: shlex.quote(path) for name, path in places.items()}
        build = f"go build -buildvcs=false -o {word['out']} {word['built']}"
        built = f"{build} && rm -f {removed} && cd {word['folder']}"
        return f"{{ {built}; }} || exit {self._names.unbuilt_exit}; exec {word['run']}"


def _uses(file: GoFile, testing: str) -> Iterable[str]:
    """Every `testing.X`."""
    for node in of_kind(file.root, "qualified_type", "selector_expression"):
        package, _, name = node.text().partition(".")
        if package == testing:
            yield name


def _retyped(file: GoFile, testing: str, own: str) -> Iterable[Edit]:
    for node in of_kind(file.root, "qualified_type"):
        if testing and node.text() == f"{testing}.T":
            yield replaced(node, own)
    for node in of_kind(file.root, "call_expression"):
        if testing and node.text() in (f"{testing}.{name}()" for name in _NEVER):
            yield replaced(node, "false")


def _without_import(file: GoFile) -> Edit:
    specification = import_of(file, TESTING)
    around = specification.parent() if specification else None
    found = around if around and around.kind() == "import_declaration" else specification
    return Edit(start(found), end(found), "") if found else Edit(0, 0, "")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
