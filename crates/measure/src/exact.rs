//! Comparisons of products that do not fit into 128 bits, so that a bound is never decided by rounding.

use std::cmp::Ordering;

/// Compares `a * b` with `c * d` exactly.
pub(crate) fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => wide(a, b).cmp(&wide(c, d)),
    }
}

/// The product as (high, low) halves of 256 bits.
fn wide(a: u128, b: u128) -> (u128, u128) {
    const MASK: u128 = u64::MAX as u128;
    let (a1, a0) = (a >> 64, a & MASK);
    let (b1, b0) = (b >> 64, b & MASK);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let cross = a0 * b1 + (middle & MASK);
    let high = a1 * b1 + (middle >> 64) + (cross >> 64);
    (high, (cross << 64) | (low & MASK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_largest_product_is_right() {
        assert_eq!(wide(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
        assert_eq!(
            compare_products(u128::MAX, 3, u128::MAX, 2),
            Ordering::Greater
        );
        assert_eq!(compare_products(1 << 100, 6, 1 << 101, 3), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn wide_agrees_with_narrow(a: u64, b: u64) {
            prop_assert_eq!(wide(a.into(), b.into()), (0, u128::from(a) * u128::from(b)));
        }

        #[test]
        fn scaling_both_sides_changes_nothing(a in 0_u128..1000, b in 0_u128..1000, c in 0_u128..1000, d in 0_u128..1000) {
            let scale = 1_u128 << 110;
            prop_assert_eq!(compare_products(a * scale, b << 80, c * scale, d << 80), (a * b).cmp(&(c * d)));
        }
    }
}
