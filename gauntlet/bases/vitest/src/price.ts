export function discount(price: number, percent: number): number {
  return price - percent;
}

export function total(items: number[]): number {
  return items.reduce((a, b) => a + b, 0);
}
