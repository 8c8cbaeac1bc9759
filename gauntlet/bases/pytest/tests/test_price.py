from shop.price import discount, total


def test_discount():
    assert discount(200, 10) == 180
    assert discount(50, 50) == 25


def test_discount_small():
    assert discount(100, 10) == 90


def test_total():
    assert total([1, 2]) == 3
