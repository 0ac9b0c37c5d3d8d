//! The knee of a frontier: where giving up a little more stops paying.
//!
//! # Idea
//!
//! Both axes are stretched to 0..1. From the first to the last point of the frontier runs a straight line; the knee is the
//! point that lies farthest on the good side of it (less risk and less loss at once).
//!
//! # Reference
//!
//! V. Satopää et al., "Finding a 'kneedle' in a haystack", ICDCS Workshops 2011, without smoothing: points are exact here.

/// The position of the knee among points (risk, loss), both the smaller the better; `None` when the frontier has no bend.
pub(super) fn knee(points: &[(f64, f64)]) -> Option<usize> {
    let range = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let of = || points.iter().map(values);
        let low = of().fold(f64::INFINITY, f64::min);
        (low, of().fold(f64::NEG_INFINITY, f64::max) - low)
    };
    let (risk, width) = range(&|point| point.0);
    let (loss, height) = range(&|point| point.1);
    if points.len() < 3 || width <= 0.0 || height <= 0.0 {
        return None;
    }
    // The line runs from (0, 1) to (1, 0): below it the sum is less than one.
    let below = |point: &(f64, f64)| 1.0 - (point.0 - risk) / width - (point.1 - loss) / height;
    let mut best = (1e-9, None);
    for (position, point) in points.iter().enumerate() {
        if below(point) > best.0 {
            best = (below(point), Some(position));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::knee;

    #[test]
    fn the_corner_of_an_l_is_its_knee() {
        let points = [
            (1.0, 0.0),
            (0.5, 0.02),
            (0.1, 0.05),
            (0.08, 0.5),
            (0.0, 1.0),
        ];
        assert_eq!(knee(&points), Some(2));
    }

    #[test]
    fn a_straight_line_has_none() {
        assert_eq!(knee(&[(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]), None);
        assert_eq!(knee(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), None);
        assert_eq!(knee(&[(0.0, 1.0)]), None);
    }
}
