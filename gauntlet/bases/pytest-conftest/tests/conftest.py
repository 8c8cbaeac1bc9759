import shop.price
