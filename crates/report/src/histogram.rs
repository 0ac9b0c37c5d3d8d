//! Histograms: numbers and ranges of numbers in bins of one width, before and after over the same axis.

use crate::{Bar, Count, number};

/// About so many bins; a column per year of age, at most.
const BINS: usize = 24;
/// A tail that is longer than so many times the rest is gathered in the last bin.
const TAIL: f64 = 1.5;
/// The share of the records that may be in one tail.
const IN_TAIL: f64 = 0.02;

/// Both sides in bins of one width.
pub(crate) struct Histogram {
    /// The bins, each with its share on every side; labels are where they begin.
    pub(crate) bars: Vec<Bar>,
    /// The share that has no place on the axis, on every side.
    pub(crate) elsewhere: Vec<f64>,
}

impl Histogram {
    /// The bins of `sides`; `None` where hardly anything is a number.
    pub(crate) fn new(sides: &[&[Count]]) -> Option<Histogram> {
        let totals: Vec<f64> = sides.iter().map(|side| total(side)).collect();
        let axis = Axis::of(sides.first()?, sides)?;
        let high = axis.high;
        let ticks = number::ticks(axis.low, high, BINS);
        let (first, width) = match ticks[..] {
            [first, second, ..] => (first, second - first),
            _ => return None,
        };
        // A value at the very end belongs to a bin as well.
        let bins = number::whole(((high - first) / width).floor()) + 1;
        let mut shares = vec![vec![0.0; sides.len()]; bins];
        let mut elsewhere = vec![0.0; sides.len()];
        for (side, counts) in sides.iter().enumerate() {
            for count in *counts {
                let share = count.count as f64 / totals[side];
                match count.span {
                    Some((from, to)) if from.is_finite() && to.is_finite() => {
                        spread(
                            &mut shares,
                            side,
                            ((from - first) / width, (to - first) / width),
                            share,
                        );
                    }
                    _ => elsewhere[side] += share,
                }
            }
        }
        let last = bins - 1;
        let bars = shares.into_iter().enumerate().map(|(bin, values)| {
            let from = first + bin as f64 * width;
            let mut label = number::decimal(from);
            if bin == last && axis.tails.1 {
                label.insert_str(0, "\u{2265} ");
            } else if bin == 0 && axis.tails.0 {
                label = format!("< {}", number::decimal(from + width));
            }
            Bar { label, values }
        });
        Some(Histogram {
            bars: bars.collect(),
            elsewhere,
        })
    }
}

fn total(side: &[Count]) -> f64 {
    let sum: u64 = side
        .iter()
        .map(|count| count.count)
        .fold(0, u64::saturating_add);
    sum.max(1) as f64
}

/// From where to where an axis goes, and which of its ends gather a tail.
struct Axis {
    low: f64,
    high: f64,
    tails: (bool, bool),
}

impl Axis {
    fn of(source: &[Count], sides: &[&[Count]]) -> Option<Axis> {
        let spans = || {
            let counts = sides.iter().flat_map(|side| side.iter());
            counts
                .filter_map(|count| count.span)
                .filter(|(from, to)| from.is_finite() && to.is_finite())
        };
        let low = spans().map(|span| span.0).fold(f64::INFINITY, f64::min);
        let high = spans().map(|span| span.1).fold(f64::NEG_INFINITY, f64::max);
        if low >= high || !(high - low).is_finite() {
            return None;
        }
        let mut numbers: Vec<(f64, f64, u64)> = source
            .iter()
            .filter_map(|count| count.span.map(|(from, to)| (from, to, count.count)))
            .filter(|(from, to, _)| from.is_finite() && to.is_finite())
            .collect();
        let most = total(source) * IN_TAIL;
        numbers.sort_by(|a, b| b.1.total_cmp(&a.1));
        let last = beyond(numbers.iter().map(|number| (number.1, number.2)), most);
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let first = beyond(numbers.iter().map(|number| (number.0, number.2)), most);
        let (first, last) = (first.unwrap_or(low), last.unwrap_or(high));
        // Each end is cut alone: a long tail on one side leaves the other as it is.
        let long = |whole: f64, rest: f64| rest > 0.0 && whole > TAIL * rest;
        let tails = (long(high - low, high - first), long(high - low, last - low));
        let both = !tails.0 && !tails.1 && long(high - low, last - first);
        Some(Axis {
            low: if tails.0 || both { first } else { low },
            high: if tails.1 || both { last } else { high },
            tails: (tails.0 || both, tails.1 || both),
        })
    }
}

/// The first number beyond which there are more than `most` records.
fn beyond(numbers: impl Iterator<Item = (f64, u64)>, most: f64) -> Option<f64> {
    let mut seen = 0.0;
    let mut numbers = numbers;
    let found = numbers.find(|(_, count)| {
        seen += *count as f64;
        seen > most
    });
    found.map(|(number, _)| number)
}

/// Adds a share to the bins that a range covers, evenly; what is beyond the ends goes to the first and the last.
fn spread(shares: &mut [Vec<f64>], side: usize, (from, to): (f64, f64), share: f64) {
    let last = shares.len() - 1;
    let bin = |at: f64| number::whole(at.max(0.0).floor()).min(last);
    let (start, end) = (bin(from), bin(to));
    // Rounding must not put the end of one bin into the next.
    let end = if end > start && to - end as f64 <= 1e-9 {
        end - 1
    } else {
        end
    };
    if start == end || to - from <= 1e-9 {
        shares[start][side] += share;
        return;
    }
    for (at, bin) in shares.iter_mut().enumerate().take(end + 1).skip(start) {
        let begin = if at == start {
            from.max(0.0)
        } else {
            at as f64
        };
        let finish = if at == end { to } else { (at + 1) as f64 };
        bin[side] += share * (finish - begin) / (to - from.max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(counts: &[(f64, f64, u64)]) -> Vec<Count> {
        let count = |&(from, to, count): &(f64, f64, u64)| Count {
            label: Some(String::new()),
            span: from.is_finite().then_some((from, to)),
            count,
        };
        counts.iter().map(count).collect()
    }

    fn sums(histogram: &Histogram) -> Vec<f64> {
        let bars = |side: usize| histogram.bars.iter().map(move |bar| bar.values[side]);
        (0..histogram.elsewhere.len())
            .map(|side| bars(side).sum::<f64>() + histogram.elsewhere[side])
            .collect()
    }

    #[test]
    fn bins_have_one_width_and_nothing_is_lost() {
        let before: Vec<(f64, f64, u64)> =
            (0..100).map(|n| (f64::from(n), f64::from(n), 1)).collect();
        let after = [(0.0, 50.0, 50), (50.0, 100.0, 40), (f64::NAN, 0.0, 10)];
        let (before, after) = (side(&before), side(&after));
        let found = Histogram::new(&[&before, &after]).unwrap();
        assert_eq!(found.bars[0].label, "0");
        assert_eq!(found.bars[1].label, "5");
        assert!(sums(&found).iter().all(|sum| (sum - 1.0).abs() < 1e-9));
        assert!((found.bars[0].values[0] - 0.05).abs() < 1e-9);
        assert!(
            (found.bars[0].values[1] - 0.05).abs() < 1e-9,
            "half of the range is evenly spread"
        );
        assert!((found.elsewhere[1] - 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_long_tail_does_not_flatten_the_rest() {
        let mut money: Vec<(f64, f64, u64)> = (0..200)
            .map(|n| (f64::from(n) * 50.0, f64::from(n) * 50.0, 1))
            .collect();
        money.push((800_000.0, 800_000.0, 1));
        let money = side(&money);
        let found = Histogram::new(&[&money]).unwrap();
        assert!(found.bars.len() > 10, "{}", found.bars.len());
        assert!(
            found
                .bars
                .last()
                .is_some_and(|bar| bar.label.starts_with('\u{2265}'))
        );
        assert!((sums(&found)[0] - 1.0).abs() < 1e-9);
        // And so does one on the other side.
        let debts: Vec<Count> = money
            .iter()
            .map(|count| Count {
                span: count.span.map(|(from, to)| (-to, -from)),
                ..count.clone()
            })
            .collect();
        let found = Histogram::new(&[&debts]).unwrap();
        assert!(found.bars.len() > 10, "{}", found.bars.len());
        assert!(
            found.bars[0].label.starts_with("< -"),
            "{}",
            found.bars[0].label
        );
        assert!((sums(&found)[0] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_number_or_none_has_no_histogram() {
        assert!(Histogram::new(&[&side(&[(5.0, 5.0, 9)])]).is_none());
        assert!(Histogram::new(&[&side(&[(f64::NAN, 0.0, 9)])]).is_none());
        assert!(Histogram::new(&[]).is_none());
        assert!(
            Histogram::new(&[&side(&[
                (f64::NEG_INFINITY, 1.0, 1),
                (0.0, f64::INFINITY, 1)
            ])])
            .is_none_or(|h| !h.bars.is_empty())
        );
    }
}
