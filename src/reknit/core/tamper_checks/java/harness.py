"""The second harness for Java: the test class under another name, with assertions of ours and without JUnit."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.tamper_checks.checks import Harness, Targets
from reknit.core.tamper_checks.java.source import (
    JavaClass,
    JavaTarget,
    annotation_name,
    annotations,
    method_name,
    methods,
)
from reknit.core.tamper_checks.java.texts import CALL, DRIVER, FAILURE, assertions, filled
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.syntax import Edit, edited, end, of_kind, replaced

_PREPARING = frozenset({"ExtendWith", "RunWith", "Rule", "ClassRule", "TempDir", "RegisterExtension", "SpringBootTest"})
_EVERY, _ONCE = ("BeforeEach", "Before"), ("BeforeAll", "BeforeClass")
_AFTER = ("AfterEach", "After")
_OF_JUNIT = re.compile(r"org\.junit\b")
_LIBRARIES = re.compile(r"\b(?:implementation|api|compileOnly|compile)\b\s{0,9}[('\"]")
_FOREIGN = r"org\.(junit|mockito|assertj|hamcrest|testng)|static org\."


def make_harness(targets: Sequence[JavaTarget], given: Targets, names: Names) -> tuple[Harness | None, str]:
    """For the class with most targets. Or the reason why there is none."""
    classes = [target.of.file for target in targets]
    chosen = [target for target in targets if target.of.file == max(classes, key=classes.count)]
    if why := _why_not(chosen[0].of, given.files):
        return None, why
    made = _Program(chosen, given, names)
    ids = tuple(sorted(target.id for target in chosen))
    argv, hidden = ("sh", "-c", made.script()), (chosen[0].of.file,)
    return Harness(argv, ids, files=made.files(), hidden=hidden, unbuilt_exit=names.unbuilt_exit), ""


def _why_not(of: JavaClass, files: Mapping[str, str]) -> str:
    used = {annotation_name(text) for text in _all_annotations(of)}
    if used & _PREPARING:
        return "an extension prepares the tests"
    if of.declaration.field("superclass"):
        return "the test class extends another"
    if "/src/test/java/" not in f"/{of.file}":
        return "the tests are not in src/test/java"
    folder = _folder(of)
    builds = (files.get(posixpath.join(folder, name), "") for name in ("build.gradle", "build.gradle.kts"))
    return "its libraries are known to Gradle only" if any(map(_LIBRARIES.search, builds)) else ""


def _folder(of: JavaClass) -> str:
    """Of the module."""
    return f"/{of.file}".partition("/src/test/java/")[0].removeprefix("/")


def _all_annotations(of: JavaClass) -> Iterator[str]:
    return (node.text() for node in of_kind(of.root, "marker_annotation", "annotation"))


class _Program:
    def __init__(self, targets: Sequence[JavaTarget], given: Targets, names: Names) -> None:
        self._targets, self._given, self._names = targets, given, names
        self._of = targets[0].of
        self._folder = _folder(self._of)
        self._name, self._word = names.title("java class"), names.word("java folder")
        self._checks, self._failure = names.title("java checks"), names.title("java failure")

    def files(self) -> dict[str, str]:
        package = f"package {self._of.package};\n" if self._of.package else ""
        words = {"package": package, "Checks": self._checks, "Failure": self._failure}
        texts = {
            self._name: self._copy(),
            self._checks: filled(assertions(is_junit_4=self._of.is_junit_4), **words),
            self._failure: filled(FAILURE, **words),
        }
        return {posixpath.join(self._folder, self._word, f"{name}.java"): text for name, text in texts.items()}

    def _copy(self) -> str:
        of = self._of
        edits = [replaced(node, "") for path, node in of.imports.items() if _OF_JUNIT.match(path)]
        edits += self._renamed()
        title = of.declaration.field("name")
        known = {annotation_name(f"@{path}") for path in of.imports if _OF_JUNIT.match(path)}
        for node in of_kind(of.root, "marker_annotation", "annotation"):
            if "*" in known or annotation_name(node.text()) in known or _OF_JUNIT.match(node.text()[1:]):
                edits.append(replaced(node, ""))
        edits += [Edit(end(title), end(title), f" extends {self._checks}")] if title else []
        at = end(of.body) - 1
        edits.append(Edit(at, at, self._driver()))
        return edited(of.text, _outermost(edits))

    def _renamed(self) -> Iterator[Edit]:
        own = {"Assertions", "Assert"}
        for node in of_kind(self._of.root, "identifier", "type_identifier"):
            around = node.parent()
            if node.text() == self._of.name:
                yield replaced(node, self._name)
            elif node.text() in own and around and around.kind() == "method_invocation":
                yield replaced(node, self._checks)
        for number, target in enumerate(self._targets):
            name = target.method.field("name")
            yield from [replaced(name, self._method(number))] if name else []

    def _method(self, number: int) -> str:
        return f"{self._names.word('java method')}{number}"

    def _driver(self) -> str:
        every, after = self._prepared(_EVERY), self._prepared(_AFTER)
        calls = (
            filled(
                CALL,
                id=target.id,
                method=self._method(number),
                before="".join(f"            on.{name}();\n" for name in every),
                after="".join(f"            on.{name}();\n" for name in after),
            )
            for number, target in enumerate(self._targets)
        )
        mask = 1 + self._names.choice("java mask", 200)
        signs = (byte ^ (mask + at) % 256 for at, byte in enumerate(bytes.fromhex(self._names.nonce)))
        text = filled(
            DRIVER,
            calls="".join(calls),
            first="".join(f"        {name}();\n" for name in self._prepared(_ONCE)),
            signs=", ".join(map(str, signs)),
            mask=str(mask),
        )
        words = {use: self._names.word(f"java {use}") for use in ("count", "call", "out")}
        return filled(text, **words, Body=self._names.title("java body"), Name=self._name, Failure=self._failure)

    def _prepared(self, kinds: Sequence[str]) -> list[str]:
        return [
            method_name(method)
            for method in methods(self._of)
            if {annotation_name(text) for text in annotations(method)} & {*kinds}
        ]

    def script(self) -> str:
        """Build, remove the tests' text, and run where Maven would run them; Maven only finds libraries."""
        word = self._word
        name = f"{self._of.package}.{self._name}" if self._of.package else self._name
        helpers = f"$(grep -rLE {shlex.quote(_FOREIGN)} --include='*.java' src/test/java)"
        if self._needs_libraries:
            library = 'mvn -o -X compile | tr " " "\\n" | grep -A1 -xe -classpath | tail -1'
            build, path = f'place=$({library}) && test -n "$place"', '"$place"'
            sources = f"{word}/*.java {helpers}"
        else:
            build, path = f"mkdir -p {word}/made", f"{word}/made"
            sources = f"$(find src/main/java -name '*.java' ! -name module-info.java) {word}/*.java {helpers}"
        compiled = f"javac -nowarn -encoding UTF-8 -proc:none -cp {path} -d {word}/made {sources}"
        shown = f"{word}/made:src/main/resources:src/test/resources:{path}"
        folder = shlex.quote(f"./{self._folder}")
        return (
            f"{{ cd {folder} && {build} && mkdir -p {word}/made && {compiled} && rm -f {word}/*.java; }}"
            f" || exit {self._names.unbuilt_exit}; exec java -ea:{name} -cp {shown} {name}"
        )

    @property
    def _needs_libraries(self) -> bool:
        text = self._given.files.get(posixpath.join(self._folder, "pom.xml"), "")
        needs = [part.partition("</dependency>")[0] for part in text.split("<dependency>")[1:]]
        return "<parent>" in text or any("<scope>test</scope>" not in need for need in needs)


def _outermost(edits: Sequence[Edit]) -> list[Edit]:
    """Without those inside others: a name in an annotation that is removed."""
    wide = [edit for edit in edits if not edit.new]
    return [
        edit
        for edit in dict.fromkeys(edits)
        if not any(each.start <= edit.start and edit.end <= each.end and each != edit for each in wide)
    ]
