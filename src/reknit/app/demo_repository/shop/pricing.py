"""Prices of a small shop."""


def discount(price: float, percent: float) -> float:
    """The price after a discount, given in percent."""
    return price - percent


def total(prices: list[float], percent: float = 0) -> float:
    return round(sum(discount(price, percent) for price in prices), 2)
