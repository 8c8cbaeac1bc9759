"use strict";

function discount(price, percent) {
  return price - percent;
}

function total(items) {
  return items.reduce((a, b) => a + b, 0);
}

module.exports = { discount, total };
