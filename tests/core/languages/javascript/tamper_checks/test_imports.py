"""The imports of a test file."""

from reknit.core.languages.javascript.tamper_checks.imports import (
    convert_module,
    convert_script,
    is_module,
    render_imports,
)
from reknit.core.syntax import parse_tree

MODULE = """import test, { it as check, type Mock } from "node:test";
import type { Suite } from "vitest";
import * as assert from "node:assert";
import "mocha";
import cases from "./cases.json" with { type: "json" };
import { discount } from "../src/price.js";
function beforeEach() {}
class afterEach {}
const { expect, a: vi } = other;
export default 1;
"""
SCRIPT = """#!/usr/bin/env node
"use strict";
const test = require("node:test");
require("../src/setup.js");
const cases = require("./cases.json"), again = require("./cases.json");
const lazy = () => require("./late.js");
const name = "x";
require(name);
require();
test("x", () => require("../b.json"));
"""


def test_a_module_imports_or_exports_or_has_to_be_translated() -> None:
    assert is_module(parse_tree("import x from 'y';", "javascript"), "a.js")
    assert is_module(parse_tree("export const x = 1;", "javascript"), "a.js")
    assert is_module(parse_tree("test();", "typescript"), "a.ts")
    assert not is_module(parse_tree("const x = require('y');", "javascript"), "a.js")


def test_libraries_of_tests_are_taken_from_stand_ins() -> None:
    made = convert_module(parse_tree(MODULE, "typescript"), MODULE, "node", "take")
    lines = made.text.splitlines()
    assert lines[0].startswith('import take from "data:text/javascript,const a=globalThis.take;delete globalThis.take;')
    assert lines[0].endswith('const { default: test } = take("node:test"); const { it: check } = take("node:test"); ')
    assert lines[1:6] == [
        "",
        'const assert = take("node:assert"); ',
        "",
        'const { default: cases } = take("./cases.json"); ',
        'import { discount } from "../src/price.js";',
    ]
    assert made.data == ("./cases.json",)


def test_globals_of_the_runner_are_taken_unless_the_file_declares_them() -> None:
    made = convert_module(parse_tree(MODULE, "typescript"), MODULE, "vitest", "take")
    assert '; const { describe, suite, it, vitest, beforeAll, afterAll } = take(""); const { default' in made.text


def test_a_script_stays_as_it_is_and_tells_its_data() -> None:
    made = convert_script(parse_tree(SCRIPT, "javascript"), SCRIPT)
    assert made.text == "//" + SCRIPT[2:]
    assert made.data == ("../b.json", "./cases.json")


def test_what_depends_on_the_place_of_the_file_is_told_where_it_is() -> None:
    text = 'import "./a.js";\nread(new URL("x", import.meta.url));\n'
    assert (
        'read(new URL("x", take("import.meta.url")));'
        in convert_module(parse_tree(text, "javascript"), text, "node", "take").text
    )
    text = 'test("x", async () => { await import("./a.mjs"); });'
    assert "await require.later(" in convert_script(parse_tree(text, "javascript"), text).text


def test_the_head_is_what_a_file_loads_before_its_tests() -> None:
    assert render_imports(parse_tree(SCRIPT, "javascript")).splitlines() == [
        '"use strict";',
        'const test = require("node:test");',
        'require("../src/setup.js");',
        'const cases = require("./cases.json"), again = require("./cases.json");',
        "require(name);",
        "require();",
    ]
    assert render_imports(parse_tree(MODULE, "typescript")).splitlines() == MODULE.splitlines()[:6]
