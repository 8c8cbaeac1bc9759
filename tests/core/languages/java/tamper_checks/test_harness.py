"""Tests of reknit.core.languages.java.tamper_checks.harness. The programs are run by hand: CI has no Java."""

import re

import pytest

from reknit.core.languages.java.tamper_checks.harness import make_harness
from reknit.core.languages.java.tamper_checks.source import find_target
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Harness, Names, Targets
from reknit.core.tamper_checks.syntax import is_fully_parsed

NAMES = Names("seed")
PLACEHOLDERS = re.compile(
    r"\b(AFTER|BEFORE|CALLS|Checks|Failure|ID|IS_JUNIT_4|MASK|MESSAGE|SIGNS|Test(Body|Class)|callTests?|output|resultCount)\b"
)
CLASS, CHECKS, FAILURE = (NAMES.make_title(f"java {use}") for use in ("class", "checks", "failure"))
FOLDER, METHOD = NAMES.make_word("java folder"), NAMES.make_word("java method")
FILE = "src/test/java/shop/PriceTest.java"
TEXT = """package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("PriceTest")
class PriceTest {
    PriceTest() {}

    @BeforeAll static void begin() {}

    @BeforeEach void prepare() {}

    @AfterEach void end() {}

    @Test
    @SuppressWarnings("x")
    void a() {
        assertEquals(3, Price.f());
        Assertions.assertEquals(3, Price.f());
    }

    @Test
    void b() {}
}
"""
POM = "<project><dependency>{}</dependency></project>"


def _made(text: str = TEXT, *ids: str, **files: str) -> tuple[Harness | None, str]:
    given = {FILE: text, **files}
    targets = [target for test in ids or ("shop.PriceTest::a",) if (target := find_target(test, given))]
    return make_harness(targets, Targets("maven", (), given, tuple(given)), NAMES)


def _harness(text: str = TEXT, *ids: str, **files: str) -> Harness:
    made, why = _made(text, *ids, **files)
    assert made and not why
    assert all(
        is_fully_parsed(parse_tree(text, "java")) and not PLACEHOLDERS.search(text) for text in made.files.values()
    )
    return made


def _copy(made: Harness) -> str:
    return made.files[f"{FOLDER}/{CLASS}.java"]


def test_the_class_has_another_name_and_other_assertions() -> None:
    made = _harness()
    assert made.hidden == (FILE,)
    assert made.tests == ("shop.PriceTest::a",)
    assert sorted(made.files) == sorted(f"{FOLDER}/{name}.java" for name in (CLASS, CHECKS, FAILURE))
    text = _copy(made)
    assert f"class {CLASS} extends {CHECKS} {{\n    {CLASS}() {{}}" in text
    assert f"{CHECKS}.assertEquals(3, Price.f());" in text
    assert "import java.util.List;" in text
    assert made.files[f"{FOLDER}/{CHECKS}.java"].startswith("package shop;\n")


def test_nothing_of_junit_is_left() -> None:
    text = _copy(_harness())
    assert "junit" not in text and "@Test" not in text and "@DisplayName" not in text
    assert '@SuppressWarnings("x")' in text
    wide = TEXT.replace("import org.junit.jupiter.api.Test;", "import org.junit.jupiter.api.*;")
    assert "@" not in _copy(_harness(wide))
    full = TEXT.replace("@Test\n    void b", "@org.junit.jupiter.api.Test\n    void b")
    assert "junit" not in _copy(_harness(full))


def test_tests_are_called_with_what_prepares_them() -> None:
    text = _copy(_harness(TEXT, "shop.PriceTest::a", "shop.PriceTest::b"))
    assert f"void {METHOD}0()" in text and f"void {METHOD}1()" in text
    assert "        begin();\n" in text
    call = f"""(start, "shop.PriceTest::b", on -> {{
            on.prepare();
        }}, on -> on.{METHOD}1(), on -> {{
            on.end();
        }});"""
    assert call in text


def test_the_nonce_is_hidden() -> None:
    text = _copy(_harness())
    assert NAMES.nonce not in text
    signs = text.partition("int[] signs = {")[2].partition("}")[0].split(", ")
    mask = int(text.partition("signs[at] ^ (")[2].partition(" ")[0])
    assert bytes(int(sign) ^ (mask + at) % 256 for at, sign in enumerate(signs)).hex() == NAMES.nonce


@pytest.mark.parametrize(
    ("pom", "has_libraries"),
    [
        pytest.param("", False, id="no-pom"),
        pytest.param(POM.format("<scope>test</scope>"), False, id="libraries-of-tests"),
        pytest.param(POM.format("<version>1</version>"), True, id="libraries-of-the-product"),
        pytest.param("<project><parent></parent></project>", True, id="a-parent"),
    ],
)
def test_libraries_are_asked_of_maven_only_if_there_are_some(pom: str, has_libraries: bool) -> None:
    script = _harness(**{"pom.xml": pom}).argv[2]
    assert ("mvn -o -X compile" in script) is has_libraries
    assert ("find src/main/java" in script) is not has_libraries


def test_the_text_is_removed_before_it_runs() -> None:
    made = _harness()
    assert made.argv[:2] == ("sh", "-c")
    built, _, run = made.argv[2].partition("; exec java ")
    assert built.endswith(f" && rm -f {FOLDER}/*.java; }} || exit {made.unbuilt_exit}")
    assert run.startswith(f"-ea:shop.{CLASS} -cp {FOLDER}/made:"), "as ordinary code is started, but for the tests"
    assert made.argv[2].startswith("{ cd ./ && ") and made.argv[2].endswith(f" shop.{CLASS}")


def test_a_class_without_a_package_in_a_module() -> None:
    text = "import org.junit.Test;\n\npublic class BareTest {\n    @Test public void a() {}\n}\n"
    files = {"part/src/test/java/BareTest.java": text}
    made = _harness(TEXT, "BareTest::a", **files)
    assert f"part/{FOLDER}/{CLASS}.java" in made.files
    assert made.argv[2].startswith("{ cd ./part && ") and made.argv[2].endswith(f" {CLASS}")
    assert made.files[f"part/{FOLDER}/{FAILURE}.java"].startswith("\npublic class")


def test_the_class_with_most_targets_is_called() -> None:
    other = TEXT.replace("PriceTest", "OtherTest")
    ids = ("shop.OtherTest::a", "shop.PriceTest::a", "shop.PriceTest::b")
    made = _harness(TEXT, *ids, **{"src/test/java/shop/OtherTest.java": other})
    assert made.tests == ("shop.PriceTest::a", "shop.PriceTest::b")


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        pytest.param(
            TEXT.replace("class PriceTest", "@ExtendWith(X.class)\nclass PriceTest"),
            {},
            "an extension prepares the tests",
            id="an-extension",
        ),
        pytest.param(
            TEXT.replace("class PriceTest {", "class PriceTest extends Base {"),
            {},
            "the test class extends another",
            id="another-class",
        ),
        pytest.param(
            TEXT,
            {"build.gradle": "dependencies { implementation 'a:b:1' }"},
            "its libraries are known to Gradle only",
            id="gradle",
        ),
    ],
)
def test_why_there_is_none(text: str, files: dict[str, str], expected: str) -> None:
    assert _made(text, **files) == (None, expected)


def test_a_test_may_be_elsewhere() -> None:
    made, why = _made(TEXT, "BareTest::a", **{"tests/BareTest.java": "class BareTest { @Test void a() {} }"})
    assert (made, why) == (None, "the tests are not in src/test/java")
