"""Canaries and twins of JavaScript."""

import pytest

from reknit.core.languages.javascript.tamper_checks.make import MAX_TWINS, make_probes
from reknit.core.languages.javascript.tamper_checks.source import title_path, title_separator
from reknit.core.tamper_checks.checks import Names, TargetTest

NAMES = Names("seed")
FILE = "test/price.test.js"
TEXT = """const assert = require("node:assert");
const { discount } = require("../src/price.js");

describe("price", () => {
  it("discount", () => {
    assert.equal(discount(200, 10), 180);
    assert.equal(discount(50, 50), 25);
    assert.equal(discount(0, 50), 0x0);
  });
  it("other", () => {
    assert.equal(discount(1, 0), 1);
  });
});
"""
DISCOUNT = TargetTest(f"{FILE}::price > discount", FILE)
OTHER = TargetTest(f"{FILE}::price > other", FILE)


def test_three_canaries_compare_as_the_file_does() -> None:
    made = make_probes(FILE, TEXT, [DISCOUNT], "node", NAMES)
    canaries = [probe for probe in made.probes if probe.must != "differ"]
    assert [probe.must for probe in canaries] == ["pass", "fail", "error"]
    (path,) = {probe.id.partition("::")[0] for probe in canaries}
    assert path.endswith(".test.js") and path != FILE
    text = made.files[path]
    assert text.startswith('const assert = require("node:assert");\nconst { discount } = require("../src/price.js");\n')
    for probe, body in zip(
        canaries, ("assert.equal(2, 2)", "assert.equal(1, 2)", 'throw new Error("no")'), strict=True
    ):
        assert f'it("{probe.id.partition("::")[2]}", () => {{\n  {body};\n}});' in text
        assert probe.target == DISCOUNT.id


def test_a_twin_expects_one_other_value() -> None:
    made = make_probes(FILE, TEXT, [DISCOUNT, OTHER], "node", NAMES)
    twins = [probe for probe in made.probes if probe.must == "differ"]
    assert [(probe.target, probe.id.partition("::")[2]) for probe in twins] == [
        (DISCOUNT.id, "price > discount"),
        (DISCOUNT.id, "price > discount"),
        (OTHER.id, "price > other"),
    ]
    first, second = (made.files[twins[at].id.partition("::")[0]] for at in (0, 1))
    assert first == TEXT.replace("180", "1549").replace("0), 1)", "0), 1012)")
    assert second == TEXT.replace("25)", "1084)")


def test_a_target_has_a_few_twins() -> None:
    lines = "\n".join(f"assert.equal(discount({number}), 7);" for number in range(10))
    text = f'test("discount", () => {{\n{lines}\n}});'
    made = make_probes(FILE, text, [TargetTest(f"{FILE}::discount", FILE)], "node", NAMES)
    assert sum(probe.must == "differ" for probe in made.probes) == MAX_TWINS


def test_mocha_names_a_test_by_titles_with_spaces() -> None:
    made = make_probes(FILE, TEXT, [TargetTest(f"{FILE}::price discount", FILE)], "mocha", NAMES)
    assert {probe.id.partition("::")[2] for probe in made.probes if probe.must == "differ"} == {"price discount"}
    assert (title_separator("mocha"), title_separator("jest")) == (" ", " > ")


def test_a_title_that_is_used_twice_has_no_twin() -> None:
    text = 'test("a", () => { assert.equal(f(), 1); });\n' * 2
    made = make_probes(FILE, text, [TargetTest(f"{FILE}::a", FILE)], "node", NAMES)
    assert [probe.must for probe in made.probes] == ["pass", "fail", "error"]


def test_without_a_comparison_nothing_is_known_to_fail_but_an_error() -> None:
    made = make_probes(FILE, 'test("a", () => {});', [TargetTest(f"{FILE}::a", FILE)], "node", NAMES)
    assert [probe.must for probe in made.probes] == ["pass", "error"]


def test_an_assertion_of_the_context_needs_it() -> None:
    text = 'test("a", (t) => { t.assert.equal(f(), 1); });'
    made = make_probes(FILE, text, [TargetTest(f"{FILE}::a", FILE)], "node", NAMES)
    assert any("(t) => {\n  t.assert.equal(1, 2);" in text for text in made.files.values())


def test_without_a_plain_test_there_are_no_canaries() -> None:
    made = make_probes(FILE, "run(all);", [DISCOUNT], "node", NAMES)
    assert made == ((), {})


@pytest.mark.parametrize(
    ("test", "expected"),
    [("a.js::b > c", "b > c"), ("a.js", ""), ("other.js::b", None)],
)
def test_the_name_of_a_test_is_what_follows_its_file(test: str, expected: str | None) -> None:
    assert title_path(TargetTest(test, "a.js")) == expected
