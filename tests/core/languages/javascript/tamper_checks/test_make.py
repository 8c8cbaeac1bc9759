"""The checks of JavaScript together."""

from dataclasses import replace

from reknit.core.languages.javascript import LANGUAGE
from reknit.core.languages.javascript.tamper_checks.make import MAX_FILE_CHARS, MAX_FILES, make
from reknit.core.languages.tamper_checks import make_checks
from reknit.core.tamper_checks.checks import Names, Targets, TargetTest

NAMES = Names("seed")
FILE = "test/price.test.js"
TEXT = 'test("discount", () => { assert.equal(discount(200, 10), 180); });\n'
TEST = TargetTest(f"{FILE}::discount", FILE)


def test_every_check_is_made_of_an_ordinary_test() -> None:
    made = make(Targets("node", (TEST,), {FILE: TEXT}, (FILE,)), NAMES)
    assert [probe.must for probe in made.probes] == ["pass", "fail", "error", "differ"]
    assert {probe.id.partition("::")[0] for probe in made.probes} == {*made.probe_files}
    assert made.harness is not None
    assert made.why_not == {}


def test_the_same_names_make_the_same_checks() -> None:
    targets = Targets("node", (TEST,), {FILE: TEXT}, (FILE,))
    assert make(targets, NAMES) == make(targets, NAMES) != make(targets, Names("other"))


def test_what_could_not_be_made_says_why() -> None:
    made = make(Targets("vitest", (TEST,), {FILE: "vi.mock('./x');"}), NAMES)
    assert made.probes == () and made.harness is None
    assert {*made.why_not} == {"canaries", "twins", "second-harness"}
    assert made.why_not["second-harness"].endswith("needs its runner: vi.mock")


def test_a_file_of_the_project_is_never_replaced() -> None:
    first = make(Targets("node", (TEST,), {FILE: TEXT}), NAMES)
    assert make(Targets("node", (TEST,), {FILE: TEXT}, tuple(first.probe_files)), NAMES).probes == ()


def test_large_files_and_many_files_have_no_probes() -> None:
    assert make(Targets("node", (TEST,), {FILE: TEXT + " " * MAX_FILE_CHARS}), NAMES).probes == ()
    tests = tuple(TargetTest(f"{number}.test.js::discount", f"{number}.test.js") for number in range(MAX_FILES + 2))
    made = make(Targets("node", tests, {test.file: TEXT for test in tests}), NAMES)
    assert len({probe.target for probe in made.probes}) == MAX_FILES


def test_the_runners_of_javascript_have_these_checks() -> None:
    targets = Targets("", (TEST,), {FILE: TEXT})
    checked = {each for each in LANGUAGE.runners if make_checks(replace(targets, runner=each), NAMES).probes}
    assert checked == {"node", "vitest", "jest", "mocha"}
