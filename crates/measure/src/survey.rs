//! Everything that can be said about a table in one pass: class sizes, risks, and how far each promise would hold.
//!
//! # Idea
//!
//! An audit answers "does this hold"; a survey answers "how far does anything hold", without being asked for bounds. For each
//! sensitive attribute it finds, over all classes, the largest confidence, the smallest diversities, the largest distances to
//! the table's own distribution, and so on. The names of the fields are those that programs read.
//!
//! # Departures
//!
//! - `recursive_c_infimum_by_l`: a constant c must be strictly greater than the infimum; `None` when no constant is enough.
//! - `delta`: as published delta-disclosure is infinite as soon as a class lacks a value that the table has
//!   (`delta_strict_is_infinite`); the finite figures look at the values that are present.
//! - `classification_metric`: a class has one majority value even when several tie.
//!
//! # Cost
//!
//! One walk over the (class, value) pairs on all cores.

use denym_data::{Fraction, Hierarchy};

use crate::promises::{EntropyDiversity, RecursiveDiversity, TCloseness};
use crate::risk::{ClassRisk, class_risk};
use crate::{Classes, Histogram};

/// What a survey is told beside the classes.
#[derive(Debug, Clone, Default)]
pub struct SurveyOptions<'a> {
    /// Records that were left out before grouping; they count as misclassified.
    pub suppressed: u64,
    /// A taxonomy for each sensitive attribute that has one, by position; may be shorter than the attributes.
    pub taxonomies: Vec<Option<&'a Hierarchy>>,
    /// Size of the population that the table was drawn from, when that is known.
    pub population: Option<u64>,
}

/// What one walk found.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Records.
    pub records: u64,
    /// Distinct subjects.
    pub subjects: u64,
    /// Classes.
    pub classes: u64,
    /// Subjects of the smallest class; 0 when there is none.
    pub k: u64,
    /// Records of the smallest class.
    pub min_class: u64,
    /// Records of the largest class.
    pub max_class: u64,
    /// Mean records of a class.
    pub avg_class: f64,
    /// Chances of re-identification.
    pub risk: ClassRisk,
    /// One entry per sensitive attribute.
    pub sensitive: Vec<SensitiveSurvey>,
}

/// How far each promise about one sensitive attribute holds.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitiveSurvey {
    /// The attribute.
    pub attribute: String,
    /// Subjects of the smallest class.
    pub k: u64,
    /// Largest share of a class's subjects with one value.
    pub alpha: f64,
    /// Fewest distinct values in a class.
    pub distinct_l: u64,
    /// Smallest exponential of a class's entropy.
    pub entropy_l_real: f64,
    /// For l = 2, 3, 4 (as far as there are values): the infimum of the constants c that would do; `None` when none does.
    pub recursive_c_infimum_by_l: Vec<(u64, Option<f64>)>,
    /// Largest earth mover's distance to the table with equal distances.
    pub t_equal_distance: f64,
    /// The same with ordered distances; `None` when the values are not numbers.
    pub t_ordered_emd: Option<f64>,
    /// The same over the taxonomy; `None` without one.
    pub t_hierarchical: Option<f64>,
    /// Largest relative gain of a value's share over its share in the table.
    pub basic_beta: f64,
    /// Whether no value's relative gain exceeds min(`basic_beta`, -ln of its share in the table).
    pub enhanced_beta_bound_holds_at_beta_max: bool,
    /// Largest |ln(share in class / share in table)| of a value that the class has.
    pub delta_ln_present_values_only: f64,
    /// The same in bits.
    pub delta_log2_present_values_only: f64,
    /// Whether some class lacks a value of the table, so that delta-disclosure as published has no finite bound.
    pub delta_strict_is_infinite: bool,
    /// Share of records that are suppressed or not of their class's majority value.
    pub classification_metric_one_majority: f64,
    /// Mean over records of 1 / size of the record's class.
    pub avg_prosecutor_risk_records: f64,
}

/// Surveys the classes of a table.
pub fn survey(classes: &Classes, options: &SurveyOptions<'_>) -> Survey {
    let risk = class_risk(classes, options.population);
    let smallest = |counts: &[u64]| counts.iter().copied().min().unwrap_or(0);
    Survey {
        records: classes.total(),
        subjects: classes.people(),
        classes: classes.len() as u64,
        k: smallest(classes.subjects()),
        min_class: smallest(classes.records()),
        max_class: classes.records().iter().copied().max().unwrap_or(0),
        avg_class: ratio(classes.total(), classes.len() as u64),
        risk,
        sensitive: sensitive(classes, options),
    }
}

/// What a walk needs to know of one attribute.
struct Yardstick {
    /// Table records per value, as floating-point numbers.
    reference: Vec<f64>,
    total: f64,
    /// Values that occur in the table.
    values: usize,
    /// Largest ratio of shares that enhanced beta-likeness allows each value: 1 - ln(share).
    enhanced: Vec<f64>,
    equal: TCloseness,
    ordered: Option<TCloseness>,
    hierarchical: Option<TCloseness>,
}

/// The extremes seen so far.
#[derive(Clone)]
struct Extremes {
    alpha: f64,
    distinct: u64,
    entropy: f64,
    recursive: [f64; 3],
    equal: f64,
    ordered: f64,
    hierarchical: f64,
    /// Largest and smallest ratio of a value's share in a class to its share in the table.
    most: f64,
    least: f64,
    enhanced_holds: bool,
    lacks: bool,
    minority: u64,
}

impl Extremes {
    fn new() -> Extremes {
        Extremes {
            alpha: 0.0,
            distinct: u64::MAX,
            entropy: f64::INFINITY,
            recursive: [0.0; 3],
            equal: 0.0,
            ordered: 0.0,
            hierarchical: 0.0,
            most: 1.0,
            least: 1.0,
            enhanced_holds: true,
            lacks: false,
            minority: 0,
        }
    }

    fn join(&mut self, other: &Extremes) {
        self.alpha = self.alpha.max(other.alpha);
        self.distinct = self.distinct.min(other.distinct);
        self.entropy = self.entropy.min(other.entropy);
        for (mine, theirs) in self.recursive.iter_mut().zip(other.recursive) {
            *mine = mine.max(theirs);
        }
        self.equal = self.equal.max(other.equal);
        self.ordered = self.ordered.max(other.ordered);
        self.hierarchical = self.hierarchical.max(other.hierarchical);
        self.most = self.most.max(other.most);
        self.least = self.least.min(other.least);
        self.enhanced_holds &= other.enhanced_holds;
        self.lacks |= other.lacks;
        self.minority += other.minority;
    }

    fn see(&mut self, yard: &Yardstick, histogram: &Histogram<'_>, subjects: u64) {
        if histogram.total == 0 {
            return;
        }
        let largest = histogram.largest();
        self.alpha = self.alpha.max(ratio(largest, subjects));
        self.distinct = self.distinct.min(histogram.counts.len() as u64);
        self.entropy = self.entropy.min(EntropyDiversity::entropy(histogram));
        for (l, infimum) in (2..).zip(&mut self.recursive) {
            *infimum = infimum.max(RecursiveDiversity::infimum(histogram, l));
        }
        let distance = |closeness: &TCloseness| {
            let (work, denominator) = closeness.distance(histogram);
            work as f64 / denominator as f64
        };
        self.equal = self.equal.max(distance(&yard.equal));
        if let Some(ordered) = &yard.ordered {
            self.ordered = self.ordered.max(distance(ordered));
        }
        if let Some(hierarchical) = &yard.hierarchical {
            self.hierarchical = self.hierarchical.max(distance(hierarchical));
        }
        let scale = yard.total / histogram.total as f64;
        for &(code, count) in histogram.counts {
            let ratio = count as f64 * scale / yard.reference[code as usize];
            self.most = self.most.max(ratio);
            self.least = self.least.min(ratio);
            self.enhanced_holds &= ratio <= yard.enhanced[code as usize];
        }
        self.lacks |= histogram.counts.len() < yard.values;
        self.minority += histogram.total - largest;
    }
}

fn sensitive(classes: &Classes, options: &SurveyOptions<'_>) -> Vec<SensitiveSurvey> {
    let yards: Vec<Yardstick> = classes
        .attributes()
        .iter()
        .enumerate()
        .map(|(position, attribute)| {
            let reference = &attribute.reference;
            let total: u64 = reference.iter().sum();
            // The bound plays no part: only distances are read.
            let t = Fraction::ONE;
            let taxonomy = options.taxonomies.get(position).copied().flatten();
            Yardstick {
                reference: reference.iter().map(|&count| count as f64).collect(),
                total: total as f64,
                values: reference.iter().filter(|&&count| count > 0).count(),
                enhanced: reference
                    .iter()
                    .map(|&count| 1.0 - ratio(count, total).ln())
                    .collect(),
                equal: TCloseness::equal(position, t, reference),
                ordered: attribute
                    .dictionary
                    .kind()
                    .is_numeric()
                    .then(|| TCloseness::ordered(position, t, reference)),
                hierarchical: taxonomy
                    .map(|taxonomy| TCloseness::hierarchical(position, t, reference, taxonomy)),
            }
        })
        .collect();
    let extremes = classes.fold(
        || vec![Extremes::new(); yards.len()],
        |extremes, _, group| {
            for ((extremes, yard), histogram) in
                extremes.iter_mut().zip(&yards).zip(group.sensitive)
            {
                extremes.see(yard, histogram, group.subjects);
            }
        },
        |mut left, right| {
            for (left, right) in left.iter_mut().zip(&right) {
                left.join(right);
            }
            left
        },
    );
    let k = classes.subjects().iter().copied().min().unwrap_or(0);
    classes
        .attributes()
        .iter()
        .zip(&yards)
        .zip(&extremes)
        .map(|((attribute, yard), extremes)| {
            let none = extremes.distinct == u64::MAX;
            let basic_beta = extremes.most - 1.0;
            let delta = extremes.most.ln().max(-extremes.least.ln());
            SensitiveSurvey {
                attribute: attribute.name.clone(),
                k,
                alpha: extremes.alpha,
                distinct_l: if none { 0 } else { extremes.distinct },
                entropy_l_real: if none { 0.0 } else { extremes.entropy.exp() },
                recursive_c_infimum_by_l: (2..=(yard.values as u64).min(4))
                    .zip(extremes.recursive)
                    .map(|(l, infimum)| (l, infimum.is_finite().then_some(infimum)))
                    .collect(),
                t_equal_distance: extremes.equal,
                t_ordered_emd: yard.ordered.as_ref().map(|_| extremes.ordered),
                t_hierarchical: yard.hierarchical.as_ref().map(|_| extremes.hierarchical),
                basic_beta,
                enhanced_beta_bound_holds_at_beta_max: extremes.enhanced_holds,
                delta_ln_present_values_only: delta,
                delta_log2_present_values_only: delta / std::f64::consts::LN_2,
                delta_strict_is_infinite: extremes.lacks,
                classification_metric_one_majority: ratio(
                    extremes.minority + options.suppressed,
                    classes.total() + options.suppressed,
                ),
                avg_prosecutor_risk_records: ratio(classes.len() as u64, classes.total()),
            }
        })
        .collect()
}

/// `part / whole`, 0 when the whole is.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
