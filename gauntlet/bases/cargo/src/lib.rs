pub fn discount(price: i64, percent: i64) -> i64 {
    price - percent
}

pub fn total(items: &[i64]) -> i64 {
    items.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discount_is_a_percentage() {
        assert_eq!(discount(200, 10), 180);
        assert_eq!(discount(50, 50), 25);
    }

    #[test]
    fn total_is_the_sum() {
        assert_eq!(total(&[1, 2]), 3);
    }
}
