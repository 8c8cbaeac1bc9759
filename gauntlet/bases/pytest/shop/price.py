"""Prices."""


def discount(price, percent):
    """The price less a percentage."""
    return price - percent


def total(items):
    return sum(items)
