"use strict";
const assert = require("assert");
const { discount, total } = require("../src/price.js");

assert.equal(total([1, 2]), 3);
assert.equal(discount(200, 10), 180);
assert.equal(discount(50, 50), 25);
console.log("ok");
