package shop;

public final class Price {
    private Price() {}

    public static int discount(int price, int percent) {
        return price - percent;
    }

    public static int total(int... items) {
        int sum = 0;
        for (int item : items) {
            sum += item;
        }
        return sum;
    }
}
