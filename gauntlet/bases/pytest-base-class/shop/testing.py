"""For the tests of those who use us."""

import unittest


class PriceCase(unittest.TestCase):
    currency = "EUR"
