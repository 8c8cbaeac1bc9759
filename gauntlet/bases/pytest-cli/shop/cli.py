import sys

from shop.price import discount


def main(argv):
    print(discount(int(argv[0]), int(argv[1])))
