from shop.price import discount, total
from shop.testing import PriceCase


class TestPrice(PriceCase):
    def test_discount(self):
        self.assertEqual(discount(200, 10), 180)
        self.assertEqual(discount(50, 50), 25)

    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
