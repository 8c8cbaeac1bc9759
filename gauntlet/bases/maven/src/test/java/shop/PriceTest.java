package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PriceTest {
    @Test
    void discount() {
        assertEquals(180, Price.discount(200, 10));
        assertEquals(25, Price.discount(50, 50));
    }

    @Test
    void total() {
        assertEquals(3, Price.total(1, 2));
    }
}
