import shop.Price;

public class PriceTest {
    public static void main(String[] args) {
        if (Price.total(1, 2) != 3) throw new AssertionError("total");
        if (Price.discount(200, 10) != 180) throw new AssertionError("discount " + Price.discount(200, 10));
        if (Price.discount(50, 50) != 25) throw new AssertionError("discount");
        System.out.println("ok");
    }
}
