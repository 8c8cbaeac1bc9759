"use strict";
const assert = require("assert");
const { discount, total } = require("../src/price.js");

assert.strictEqual(total([1, 2]), 3);
assert.strictEqual(discount(200, 10), 180);
assert.strictEqual(discount(50, 50), 25);
console.log("ok");
