import csv
import pathlib

from shop.price import discount, total


def test_discount():
    with open(pathlib.Path(__file__).parent.parent / "data" / "cases.csv") as file:
        for price, percent, want in csv.reader(file):
            assert discount(int(price), int(percent)) == int(want)


def test_total():
    assert total([1, 2]) == 3
