#!/usr/bin/env node
const { discount } = require("../src/price.js");
console.log(discount(+process.argv[2], +process.argv[3]));
