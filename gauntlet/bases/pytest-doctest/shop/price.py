"""Prices."""


def discount(price, percent):
    """The price less a percentage.

    >>> discount(200, 10)
    180
    """
    return price - percent


def total(items):
    return sum(items)
