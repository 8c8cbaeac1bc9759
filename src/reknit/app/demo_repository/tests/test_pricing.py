import unittest

from shop.pricing import discount, total


class PricingTest(unittest.TestCase):
    def test_discount_is_a_share(self) -> None:
        self.assertEqual(discount(200, 10), 180)

    def test_total_without_discount(self) -> None:
        self.assertEqual(total([1.5, 2.5]), 4.0)

    def test_no_discount_changes_nothing(self) -> None:
        self.assertEqual(discount(80, 0), 80)
