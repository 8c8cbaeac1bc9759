"""Builds the second harness for Java: the test class under another name, with our assertions and without JUnit."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.languages.java.tamper_checks.assertions import render_assertions
from reknit.core.languages.java.tamper_checks.source import (
    JavaClass,
    JavaTarget,
    find_annotations,
    find_methods,
    read_annotation_name,
)
from reknit.core.languages.programs import fill, read_program
from reknit.core.syntax import read_field
from reknit.core.tamper_checks.checks import Harness, Names, Targets
from reknit.core.tamper_checks.syntax import Edit, apply_edits, end_index, find_kind, replace_node

_PREPARING = frozenset({"ExtendWith", "RunWith", "Rule", "ClassRule", "TempDir", "RegisterExtension", "SpringBootTest"})
_EVERY, _ONCE = ("BeforeEach", "Before"), ("BeforeAll", "BeforeClass")
_AFTER = ("AfterEach", "After")
_OF_JUNIT = re.compile(r"org\.junit\b")
_LIBRARIES = re.compile(r"\b(?:implementation|api|compileOnly|compile)\b\s{0,9}[('\"]")
_RUN_TESTS = """
    private static void callTests(String start) throws Throwable {
CALLS    }
"""
_CALL = """        callTest(start, "ID", on -> {
BEFORE        }, on -> on.method(), on -> {
AFTER        });
"""
_FOREIGN = r"org\.(junit|mockito|assertj|hamcrest|testng)|static org\."


def make_harness(targets: Sequence[JavaTarget], inputs: Targets, names: Names) -> tuple[Harness | None, str]:
    """Return the harness for the class with most targets, or the reason why there is none."""
    classes = [target.test_class.file for target in targets]
    class_targets = [target for target in targets if target.test_class.file == max(classes, key=classes.count)]
    if why := _find_obstacle(class_targets[0].test_class, inputs.files):
        return None, why
    program = _Program(class_targets, inputs, names)
    ids = tuple(sorted(target.id for target in class_targets))
    argv, hidden = ("sh", "-c", program.build_script()), (class_targets[0].test_class.file,)
    return Harness(argv, ids, files=program.render_files(), hidden=hidden, unbuilt_exit=names.unbuilt_exit), ""


def _find_obstacle(test_class: JavaClass, files: Mapping[str, str]) -> str:
    annotations = find_kind(test_class.root, "marker_annotation", "annotation")
    used = {read_annotation_name(node.text()) for node in annotations}
    if used & _PREPARING:
        return "an extension prepares the tests"
    if test_class.declaration.field("superclass"):
        return "the test class extends another"
    if "/src/test/java/" not in f"/{test_class.file}":
        return "the tests are not in src/test/java"
    folder = _module_folder(test_class)
    builds = (files.get(posixpath.join(folder, name), "") for name in ("build.gradle", "build.gradle.kts"))
    return "its libraries are known to Gradle only" if any(map(_LIBRARIES.search, builds)) else ""


def _module_folder(test_class: JavaClass) -> str:
    """Return the folder of the Maven or Gradle module."""
    return f"/{test_class.file}".partition("/src/test/java/")[0].removeprefix("/")


class _Program:
    def __init__(self, targets: Sequence[JavaTarget], inputs: Targets, names: Names) -> None:
        self._targets, self._given, self._names = targets, inputs, names
        self._of = targets[0].test_class
        self._folder = _module_folder(self._of)
        self._name, self._word = names.make_title("java class"), names.make_word("java folder")
        self._checks, self._failure = names.make_title("java checks"), names.make_title("java failure")

    def render_files(self) -> dict[str, str]:
        package = f"package {self._of.package};\n" if self._of.package else ""
        words = {"Checks": self._checks, "Failure": self._failure}
        texts = {
            self._name: self._copy_class(),
            self._checks: package + fill(render_assertions(is_junit_4=self._of.is_junit_4), **words),
            self._failure: package + fill(read_program("java", "Failure.java"), **words),
        }
        return {posixpath.join(self._folder, self._word, f"{name}.java"): text for name, text in texts.items()}

    def _copy_class(self) -> str:
        of = self._of
        edits = [replace_node(node, "") for path, node in of.imports.items() if _OF_JUNIT.match(path)]
        edits += self._rename_class()
        title = of.declaration.field("name")
        junit_names = {read_annotation_name(f"@{path}") for path in of.imports if _OF_JUNIT.match(path)}
        for node in find_kind(of.root, "marker_annotation", "annotation"):
            if (
                "*" in junit_names
                or read_annotation_name(node.text()) in junit_names
                or _OF_JUNIT.match(node.text()[1:])
            ):
                edits.append(replace_node(node, ""))
        edits += [Edit(end_index(title), end_index(title), f" extends {self._checks}")] if title else []
        at = end_index(of.body) - 1
        edits.append(Edit(at, at, self._render_driver()))
        return apply_edits(of.text, _drop_inner_edits(edits))

    def _rename_class(self) -> Iterator[Edit]:
        own = {"Assertions", "Assert"}
        for node in find_kind(self._of.root, "identifier", "type_identifier"):
            around = node.parent()
            if node.text() == self._of.name:
                yield replace_node(node, self._name)
            elif node.text() in own and around and around.kind() == "method_invocation":
                yield replace_node(node, self._checks)
        for number, target in enumerate(self._targets):
            name = target.method.field("name")
            yield from [replace_node(name, self._method_name(number))] if name else []

    def _method_name(self, number: int) -> str:
        return f"{self._names.make_word('java method')}{number}"

    def _render_driver(self) -> str:
        before, after = (
            "".join(f"            on.{name}();\n" for name in self._find_annotated(kind)) for kind in (_EVERY, _AFTER)
        )
        words = {
            use: self._names.make_word(f"java {use}") for use in ("resultCount", "callTest", "callTests", "output")
        }
        calls = [f"        {name}();\n" for name in self._find_annotated(_ONCE)]
        for number, target in enumerate(self._targets):
            call = {"ID": target.id, "method": self._method_name(number), "BEFORE": before, "AFTER": after}
            calls.append(fill(_CALL, **call, callTest=words["callTest"]))
        mask = 1 + self._names.choose("java mask", 200)
        signs = (byte ^ (mask + at) % 256 for at, byte in enumerate(bytes.fromhex(self._names.nonce)))
        members = read_program("java", "TestClass.java").partition("{\n")[2].rpartition("}")[0]
        return fill(
            members + _RUN_TESTS,
            **words,
            TestBody=self._names.make_title("java body"),
            TestClass=self._name,
            Failure=self._failure,
            SIGNS=", ".join(map(str, signs)),
            MASK=str(mask),
            CALLS="".join(calls),
        )

    def _find_annotated(self, kinds: Sequence[str]) -> list[str]:
        return [
            read_field(method, "name")
            for method in find_methods(self._of)
            if {read_annotation_name(text) for text in find_annotations(method)} & {*kinds}
        ]

    def build_script(self) -> str:
        """Return a script that builds the harness, removes the tests' text, and runs in the folder of Maven.

        Maven itself is called only to find libraries.
        """
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
        class_path = f"{word}/made:src/main/resources:src/test/resources:{path}"
        folder = shlex.quote(f"./{self._folder}")
        return (
            f"{{ cd {folder} && {build} && mkdir -p {word}/made && {compiled} && rm -f {word}/*.java; }}"
            f" || exit {self._names.unbuilt_exit}; exec java -ea:{name} -cp {class_path} {name}"
        )

    @property
    def _needs_libraries(self) -> bool:
        text = self._given.files.get(posixpath.join(self._folder, "pom.xml"), "")
        needs = [part.partition("</dependency>")[0] for part in text.split("<dependency>")[1:]]
        return "<parent>" in text or any("<scope>test</scope>" not in need for need in needs)


def _drop_inner_edits(edits: Sequence[Edit]) -> list[Edit]:
    """Drop edits inside others, such as a name in a removed annotation."""
    wide = [edit for edit in edits if not edit.new]
    return [
        edit
        for edit in dict.fromkeys(edits)
        if not any(cut.start <= edit.start and edit.end <= cut.end and cut != edit for cut in wide)
    ]
