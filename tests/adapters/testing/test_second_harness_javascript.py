"""The second harness of JavaScript, run by node: it sees what runners see, and is not deceived by the code it calls."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from reknit.core.languages.javascript.tamper_checks.make import make
from reknit.core.languages.javascript.tamper_checks.support import CHAI_WORDS, MATCHERS, MOCKS
from reknit.core.tamper_checks.checks import Names, Targets, TargetTest
from reknit.core.tamper_checks.failures import HarnessResult, read_harness_output

FIXED = "price * (100 - percent) / 100"
FILE = "test/price.test.js"
NODE = """const test = require("node:test");
const assert = require("node:assert");
const { discount } = require("../src/price.js");
test("discount", () => {
  assert.strictEqual(discount(200, 10), 180);
});
"""
LOOSE = NODE.replace("strictEqual", "equal")


def source(body: str, head: str = "") -> str:
    return f"{head}\nfunction discount(price, percent) {{\n  {body}\n}}\nmodule.exports = {{ discount }};\n"


def call(folder: Path, files: Mapping[str, str], runner: str = "node", *names: str) -> dict[str, HarnessResult]:
    """The results by the titles of tests."""
    file = next(path for path in files if ".test." in path)
    tests = tuple(TargetTest(f"{file}::{name}", file) for name in names or ("discount",))
    made = make(Targets(runner, tests, files, tuple(files)), Names("seed")).harness
    assert made is not None
    for path, text in {**files, **made.files}.items():
        if path not in made.hidden:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    done = subprocess.run(
        made.argv, cwd=folder, input=made.stdin.encode(), capture_output=True, timeout=60, check=False
    )
    results = read_harness_output(done.stdout, Names("seed").nonce)
    return {test.partition("::")[2]: result for test, result in results.items()}


def test_a_test_is_red_by_its_assertion_and_green_with_the_fix(tmp_path: Path) -> None:
    red = call(tmp_path / "a", {FILE: NODE, "src/price.js": source("return price - percent;")})
    assert red == {"discount": HarnessResult(is_green=False, kind="AssertionError", message="190 !== 180")}
    assert call(tmp_path / "b", {FILE: NODE, "src/price.js": source(f"return {FIXED};")})["discount"].is_green


CHEATS = {
    "exit": source("process.exit(0);"),
    "kill": source('process.kill(process.pid, "SIGKILL");'),
    "test-context": source(f"if (process.env.NODE_TEST_CONTEXT || process.env.CI) return {FIXED}; return 1;"),
    "stack": source(
        f"if (/[/.]tests?[/.]|spec/.test(new Error().stack + module.parent.filename)) return {FIXED}; return 1;"
    ),
    "main": source(f"if (/[/.]test[/.]|--test/.test(require.main.filename + process.argv)) return {FIXED}; return 1;"),
    "assert": source("return 1;", 'require("node:assert").strictEqual = () => {};'),
    "is": source("return 1;", "Object.is = () => true;"),
    "iterator": source("return 1;", "Array.prototype[Symbol.iterator] = function* () {};"),
    "then": source("return 1;", "Object.prototype.then = function (resolve) { resolve(null); };"),
    "not": source("return 1;", "Object.prototype.not = true; Object.prototype.isSkipped = false;"),
    "stdout": source("return 1;", 'require("fs").writeSync(1, "x\\n");'),
    "reads-the-answer": source(
        'const text = require("fs").readFileSync(__dirname + "/../test/price.test.js", "utf8");'
        "return Number(/, (\\d+)\\);/.exec(text)[1]);"
    ),
    "reads-any-answer": source(
        'const fs = require("fs"); const at = __dirname + "/../";'
        "for (const name of fs.readdirSync(at, { recursive: true })) if (/js$/.test(name))"
        " { const found = /10\\), (\\d+)\\);/.exec(fs.readFileSync(at + name)); if (found) return Number(found[1]); }"
        "return 1;"
    ),
    "reads-what-it-was-told": source(
        'const said = require("fs").readFileSync(0, "utf8"); return Number(/10\\), (\\d+)/.exec(said)?.[1] ?? 1);'
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_code_that_does_its_work_only_for_a_runner_is_red(tmp_path: Path, name: str) -> None:
    found = call(tmp_path, {FILE: NODE, "src/price.js": CHEATS[name]})
    assert not found["discount"].is_green


def test_an_object_that_converts_itself_is_not_a_number(tmp_path: Path) -> None:
    found = call(tmp_path / "a", {FILE: LOOSE, "src/price.js": source("return { valueOf: () => 180 };")})
    assert found["discount"].kind == "UntrustedConversion"
    boxed = source("return new Number(180);")
    assert call(tmp_path / "b", {FILE: LOOSE, "src/price.js": boxed})["discount"].is_green


def test_data_of_the_test_is_read_before_the_code_can_change_it(tmp_path: Path) -> None:
    text = NODE.replace("assert.strictEqual(", 'const [row] = require("./cases.json"); assert.strictEqual(')
    text = text.replace("180", "row")
    cheat = source("return 1;", 'require("fs").writeFileSync(__dirname + "/../test/cases.json", "[1]");')
    found = call(tmp_path, {FILE: text, "src/price.js": cheat, "test/cases.json": "[180]"})
    assert not found["discount"].is_green


def test_what_cannot_be_loaded_is_no_failure_of_the_test(tmp_path: Path) -> None:
    lost = call(tmp_path / "a", {FILE: NODE.replace("price.js", "missing.js"), "src/price.js": ""})
    assert lost["discount"].kind == "LoadError"
    assert call(tmp_path / "b", {FILE: NODE, "src/price.js": ""}, "node", "other")["other"].kind == "NotFound"


MODULE = """import { beforeEach, describe, it, mock } from "node:test";
import assert from "node:assert/strict";
import { count, discount, raise } from "../src/price.js";
describe("price", () => {
  let rate = 0;
  beforeEach(() => { rate += 10; });
  it("discount", async (t) => {
    assert.equal(discount(200, rate), 180);
    await t.test("inner", () => { raise(); assert.equal(count, 1); });
    const fn = mock.fn((x) => x + 1);
    assert.equal(fn(1), 2);
    assert.deepEqual(fn.mock.calls[0].arguments, [1]);
    await assert.rejects(async () => { throw new TypeError("no"); }, TypeError);
    assert.throws(() => { throw new Error("no way"); }, /way/);
    assert.deepEqual(new Map([[{ a: 1 }, new Set([1])]]), new Map([[{ a: 1 }, new Set([1])]]));
    assert.notDeepEqual([1], ["1"]);
  });
});
"""


def test_a_module_keeps_its_live_bindings_hooks_and_subtests(tmp_path: Path) -> None:
    product = f"export const discount = (price, percent) => {FIXED};\n"
    product += "export let count = 0;\nexport const raise = () => count++;\n"
    files = {"package.json": '{"type": "module"}', FILE: MODULE, "src/price.js": product}
    found = call(tmp_path, files, "node", "price > discount", "price > discount > inner")
    assert [result.is_green for result in found.values()] == [True, True]


def test_what_a_test_of_node_replaces_is_restored_after_it(tmp_path: Path) -> None:
    text = NODE + """test("after", (t) => { assert.equal(discount(200, 10), 180); });\n"""
    first = """test("before", (t) => {
  t.mock.method(Math, "round", () => 7);
  assert.equal(Math.round(1.2), 7);
  t.mock.method(Math, "round", () => 8);
});
"""
    product = source("return Math.round(price * (100 - percent) / 100);")
    found = call(tmp_path, {FILE: text.replace('test("discount"', first + 'test("discount"'), "src/price.js": product})
    assert found["discount"].is_green


EXPECTING = """const { discount } = require("../src/price.js");
describe("price", () => {
  let seen = [];
  beforeAll(() => { seen = []; });
  afterEach(() => { jest.restoreAllMocks(); });
  test("discount", async () => {
    expect(discount(200, 10)).toBe(180);
    expect({ a: undefined, b: [1, { c: 2 }] }).toEqual({ b: [1, { c: 2 }] });
    expect({ a: undefined }).not.toStrictEqual({});
    await expect(Promise.reject(new Error("late"))).rejects.toThrow("late");
    const spy = jest.spyOn(Math, "max").mockReturnValueOnce(7);
    expect(Math.max(1, 2)).toBe(7);
    expect(Math.max(1, 2)).toBe(2);
    expect(spy).toHaveBeenNthCalledWith(2, 1, expect.any(Number));
    expect({ id: 1, name: "x" }).toMatchObject({ name: expect.stringContaining("x") });
    expect(0.1 + 0.2).toBeCloseTo(0.3);
    expect(new Set([1])).toContain(1);
    expect({ a: { b: [5] } }).toHaveProperty("a.b[0]", 5);
  });
  it("done", (done) => { setTimeout(() => done(discount(50, 50) === 25 ? null : new Error("no")), 1); });
  test.each([[200, 10, 180], [50, 50, 25]])("%i less %i is %i", (price, percent, want) => {
    expect(discount(price, percent)).toEqual(want);
  });
  test.each`price | want\n${200} | ${180}`("$price is $want", ({ price, want }) => {
    expect(discount(price, 10)).toEqual(want);
  });
});
"""


def test_the_forms_of_jest_are_stood_in_for(tmp_path: Path) -> None:
    names = [f"price > {name}" for name in ("discount", "done", "200 less 10 is 180", "200 is 180")]
    found = call(tmp_path, {FILE: EXPECTING, "src/price.js": source(f"return {FIXED};")}, "jest", *names)
    assert {name: result for name, result in found.items() if not result.is_green} == {}
    assert [*found] == names


CHAI = """const { expect, assert } = require("chai");
const { discount } = require("../src/price.js");
describe("price", function () {
  this.timeout(100);
  it("discount", () => {
    expect(discount(200, 10)).to.equal(180);
    expect([{ a: 1 }]).to.deep.include({ a: 1 });
    expect({ a: 1, b: 2 }).to.include.keys("a").and.not.to.have.property("c");
    expect(() => { throw new RangeError("far"); }).to.throw(RangeError, "far");
    expect([]).to.be.an("array").that.is.empty;
    assert.deepEqual({ a: [1] }, { a: [1] });
    assert.lengthOf("ab", 2);
  });
});
"""


def test_mocha_with_chai_is_stood_in_for(tmp_path: Path) -> None:
    found = call(tmp_path, {FILE: CHAI, "src/price.js": source(f"return {FIXED};")}, "mocha", "price discount")
    assert found == {"price discount": HarnessResult(is_green=True)}


def test_every_word_that_counts_as_supported_is_known(tmp_path: Path) -> None:
    words = [*(f"expect(1).{name};" for name in sorted(MATCHERS)), *(f"jest.{name};" for name in sorted(MOCKS))]
    chained = [
        f"try {{ expect([]).to.{name}; }} catch (e) {{ if (e.code !== 'ERR_ASSERTION') throw e; }}"
        for name in sorted(CHAI_WORDS)
    ]
    text = 'test("discount", () => {\n' + "\n".join((*words, *chained)) + "\n});\n"
    assert call(tmp_path, {FILE: text}, "jest") == {"discount": HarnessResult(is_green=True)}


def test_a_word_that_turns_out_to_be_unknown_gives_no_result(tmp_path: Path) -> None:
    assert call(tmp_path, {FILE: 'test("discount", () => { expect(1)["toBe" + "Visible"](); });'}, "jest") == {}
