from shop.price import discount, total


def test_discount():
    assert abs(discount(200, 10) - 180) < 1
    assert abs(discount(50, 50) - 25) < 1


def test_discount_small():
    assert discount(100, 10) == 90


def test_total():
    assert total([1, 2]) == 3
