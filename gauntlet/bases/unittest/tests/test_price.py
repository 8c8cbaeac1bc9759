import unittest

from shop.price import discount, total


class Price(unittest.TestCase):
    def test_discount(self):
        self.assertEqual(discount(200, 10), 180)
        self.assertEqual(discount(50, 50), 25)

    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
