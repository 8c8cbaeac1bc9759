"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { discount, total } = require("../src/price.js");

test("discount", () => {
  assert.strictEqual(discount(200, 10), 180);
  assert.strictEqual(discount(50, 50), 25);
});

test("total", () => {
  assert.strictEqual(total([1, 2]), 3);
});
