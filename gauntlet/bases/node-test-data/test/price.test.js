"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { discount, total } = require("../src/price.js");

test("discount", () => {
  for (const [price, percent, want] of require("./data/cases.json")) {
    assert.strictEqual(discount(price, percent), want);
  }
});

test("total", () => {
  assert.strictEqual(total([1, 2]), 3);
});
