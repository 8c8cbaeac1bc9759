package shop

import "testing"

func TestDiscount(t *testing.T) {
	if got := Discount(200, 10); got != 180 {
		t.Fatalf("got %d", got)
	}
	if got := Discount(50, 50); got != 25 {
		t.Fatalf("got %d", got)
	}
}

func TestTotal(t *testing.T) {
	if Total([]int{1, 2}) != 3 {
		t.Fatal("total")
	}
}
