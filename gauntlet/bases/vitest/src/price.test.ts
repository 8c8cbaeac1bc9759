import { describe, expect, it } from "vitest";
import { discount, total } from "./price";

describe("price", () => {
  it("discount", () => {
    expect(discount(200, 10)).toBe(180);
    expect(discount(50, 50)).toBe(25);
  });
  it("total", () => {
    expect(total([1, 2])).toBe(3);
  });
});
