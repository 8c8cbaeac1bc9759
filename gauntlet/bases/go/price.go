package shop

// Discount is the price less a percentage.
func Discount(price, percent int) int {
	return price - percent
}

// Total is the sum.
func Total(items []int) int {
	sum := 0
	for _, item := range items {
		sum += item
	}
	return sum
}
