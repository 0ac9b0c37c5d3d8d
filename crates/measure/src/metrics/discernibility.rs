//! Discernibility and average class size: what it costs that records can no longer be told apart.
//!
//! # Idea
//!
//! Each published record pays the size of its class, so a class pays its size squared; a suppressed record pays the size of the
//! whole table. DM* drops the special price of suppression: every class pays its square whether it is kept or
//! suppressed, which makes the metric grow with every generalization. `C_avg` is the mean class size in units of k: 1 is best.
//!
//! # Reference
//!
//! R. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005; DM* from K. El Emam et al., "A globally
//! optimal k-anonymity method for the de-identification of health data", JAMIA 2009; `C_avg` from K. LeFevre, D. DeWitt, R.
//! Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006. Survey section 4.1.

/// Sum of squared class sizes plus `total` per suppressed record.
pub fn discernibility(classes: &[u64], suppressed: u64, total: u64) -> u128 {
    squares(classes) + u128::from(suppressed) * u128::from(total)
}

/// Sum of squared class sizes, those of suppressed classes included.
pub fn discernibility_star(classes: &[u64], suppressed_classes: &[u64]) -> u128 {
    squares(classes) + squares(suppressed_classes)
}

/// Mean records of a class; 0 without classes.
pub fn average_class_size(classes: &[u64]) -> f64 {
    crate::survey::ratio(classes.iter().sum(), classes.len() as u64)
}

/// `C_avg`: mean records of a class in units of k; 0 without classes or with k = 0.
pub fn normalized_average_class_size(classes: &[u64], k: u64) -> f64 {
    if k == 0 {
        return 0.0;
    }
    average_class_size(classes) / k as f64
}

fn squares(classes: &[u64]) -> u128 {
    classes
        .iter()
        .map(|&size| u128::from(size) * u128::from(size))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases() {
        assert_eq!(discernibility(&[3, 4], 2, 9), 9 + 16 + 18);
        assert_eq!(discernibility_star(&[3, 4], &[2]), 29);
        assert!((normalized_average_class_size(&[3, 5], 2) - 2.0).abs() < 1e-12);
        assert_eq!(discernibility(&[], 0, 0), 0);
        assert!(average_class_size(&[]).abs() < 1e-12);
    }
}
