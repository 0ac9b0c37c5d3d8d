//! What candidates have in common: homogeneity, skewness, background-knowledge and proximity attacks on sensitive values.
//!
//! # Idea
//!
//! The adversary need not know which candidate is the victim's record if they all say the same (homogeneity), say
//! something far likelier than for people at large (skewness), say the same once a few values are ruled out by other
//! knowledge (background knowledge), or lie close together on a numeric scale (proximity).
//!
//! # Reference
//!
//! Survey section 2.2, Example 2.6. Machanavajjhala et al., TKDD 1(1), 2007 (homogeneity, background knowledge);
//! Li, Li, Venkatasubramanian, ICDE 2007 (skewness); Li, Tao, Xiao, SIGMOD 2008 (proximity).
//!
//! # Cost
//!
//! One histogram per distinct set of matching classes.

use super::linkage::Linkage;
use crate::catalogue::known;
use crate::{Coverage, Error, Evidence};
use std::collections::BTreeMap;

/// What an adversary may conclude about one person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inferred {
    /// The person, by row of the external table.
    pub person: u32,
    /// The sensitive code concluded.
    pub value: u32,
    /// Share of the candidates that support it.
    pub confidence: f64,
    /// How many times likelier than among all records.
    pub gain: f64,
}

/// Everybody of whom a sensitive value follows with at least `confidence` (1 for certain), and the evidence.
///
/// # Errors
///
/// When there is not one sensitive code per published row, or `confidence` is not a probability.
pub fn homogeneity(
    linkage: &Linkage,
    sensitive: &[u32],
    confidence: f64,
) -> Result<(Vec<Inferred>, Evidence), Error> {
    probability(confidence)?;
    attack(linkage, sensitive, "homogeneity", |inferred, _| {
        inferred.confidence >= confidence
    })
}

/// Everybody for whom some sensitive value is at least `gain` times likelier than among all records.
///
/// # Errors
///
/// As [`homogeneity`].
pub fn skewness(
    linkage: &Linkage,
    sensitive: &[u32],
    gain: f64,
) -> Result<(Vec<Inferred>, Evidence), Error> {
    attack(linkage, sensitive, "skewness", |inferred, _| {
        inferred.gain >= gain
    })
}

/// Everybody of whom a value follows with at least `confidence` once any `rule_out` other values are known to be wrong.
///
/// # Errors
///
/// As [`homogeneity`].
pub fn background_knowledge(
    linkage: &Linkage,
    sensitive: &[u32],
    rule_out: usize,
    confidence: f64,
) -> Result<(Vec<Inferred>, Evidence), Error> {
    probability(confidence)?;
    attack(
        linkage,
        sensitive,
        "background-knowledge",
        |inferred, histogram| {
            let mut others: Vec<u64> = histogram
                .iter()
                .filter(|(value, _)| **value != inferred.value)
                .map(|(_, &count)| count)
                .collect();
            others.sort_unstable_by(|a, b| b.cmp(a));
            let left: u64 = others.iter().skip(rule_out).sum();
            let own = histogram[&inferred.value];
            own as f64 >= confidence * (own + left) as f64
        },
    )
}

/// For each person the value with the best case against that person among those that `succeeds` accepts.
fn attack(
    linkage: &Linkage,
    sensitive: &[u32],
    name: &str,
    succeeds: impl Fn(&Inferred, &BTreeMap<u32, u64>) -> bool,
) -> Result<(Vec<Inferred>, Evidence), Error> {
    let histograms = linkage.histograms(sensitive)?;
    let mut overall: BTreeMap<u32, u64> = BTreeMap::new();
    for &value in sensitive {
        *overall.entry(value).or_insert(0) += 1;
    }
    let records = sensitive.len() as f64;
    let worst: Vec<Option<Inferred>> = histograms
        .iter()
        .map(|histogram| {
            let total: u64 = histogram.values().sum();
            let cases = histogram.iter().map(|(&value, &count)| {
                let confidence = count as f64 / total as f64;
                Inferred {
                    person: 0,
                    value,
                    confidence,
                    gain: confidence * records / overall[&value] as f64,
                }
            });
            let cases = cases.filter(|inferred| succeeds(inferred, histogram));
            cases.max_by(|a, b| {
                a.confidence
                    .total_cmp(&b.confidence)
                    .then(a.gain.total_cmp(&b.gain))
                    .then(b.value.cmp(&a.value))
            })
        })
        .collect();
    let mut found = Vec::new();
    let mut matched = 0;
    for person in 0..linkage.people() {
        let set = linkage.set_of(person);
        matched += u64::from(!histograms[set].is_empty());
        if let Some(case) = worst[set] {
            found.push(Inferred {
                person: person as u32,
                ..case
            });
        }
    }
    let evidence = Evidence::new(
        known(name),
        found.len() as u64,
        matched,
        Coverage::Exhaustive,
    );
    Ok((found, evidence))
}

/// The tightest conclusion about a numeric sensitive value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The person, by row of the external table.
    pub person: u32,
    /// The value in the middle of the range.
    pub around: f64,
    /// Share of the candidates within `epsilon` of it.
    pub confidence: f64,
}

/// Everybody of whom a range of `epsilon` around one candidate's value holds more than `confidence` of the candidates.
///
/// # Errors
///
/// When there is not one value per published row, or `confidence` is not a probability.
pub fn proximity(
    linkage: &Linkage,
    sensitive: &[f64],
    epsilon: f64,
    confidence: f64,
) -> Result<(Vec<Range>, Evidence), Error> {
    probability(confidence)?;
    linkage.same_rows("sensitive", sensitive.len())?;
    let worst: Vec<Option<(f64, f64)>> = linkage.per_set(|classes| {
        let rows = classes
            .iter()
            .flat_map(|&class| &linkage.classes()[class as usize]);
        let mut values: Vec<f64> = rows.map(|&row| sensitive[row as usize]).collect();
        values.sort_unstable_by(f64::total_cmp);
        let (mut low, mut high) = (0, 0);
        let mut best: Option<(f64, f64)> = None;
        for &middle in &values {
            while values[low] < middle - epsilon {
                low += 1;
            }
            while high < values.len() && values[high] <= middle + epsilon {
                high += 1;
            }
            let share = (high - low) as f64 / values.len() as f64;
            if best.is_none_or(|(_, most)| share > most) {
                best = Some((middle, share));
            }
        }
        best
    });
    let mut found = Vec::new();
    let mut matched = 0;
    for person in 0..linkage.people() {
        if let Some((around, share)) = worst[linkage.set_of(person)] {
            matched += 1;
            if share > confidence {
                found.push(Range {
                    person: person as u32,
                    around,
                    confidence: share,
                });
            }
        }
    }
    let evidence = Evidence::new(
        known("proximity"),
        found.len() as u64,
        matched,
        Coverage::Exhaustive,
    );
    Ok((found, evidence))
}

fn probability(confidence: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&confidence) {
        Ok(())
    } else {
        Err(Error::OutOfRange {
            what: "confidence",
            range: "between 0 and 1",
        })
    }
}
