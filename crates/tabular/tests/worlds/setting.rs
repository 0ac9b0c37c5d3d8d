//! Small tables whose every source can be tried: fixed quasi-identifiers, every assignment of sensitive values.

use std::collections::BTreeMap;

use denym_data::{Column, Decimal, Fraction, Hierarchy, SplitMix64, Summary, Unit};
use denym_measure::promises::{
    Absent, AlphaK, Base, BetaLikeness, Confidence, DeltaDisclosure, DisclosureRecursive,
    DistinctDiversity, EntropyDiversity, EpsilonM, KAnonymity, KeAnonymity, Likeness,
    RecursiveDiversity, TCloseness, XyPrivacy,
};
use denym_measure::{Group, Histogram, Promise};
use denym_tabular::{Objective, Request, Solution};
use denym_testkit::summarize::summarize;
use denym_testkit::worlds::{Belief, Release, counts};

/// Values that a sensitive attribute may have.
pub(crate) const VALUES: u32 = 3;
/// The promised k.
pub(crate) const K: u64 = 2;

/// A published record: its labels and its sensitive value.
pub(crate) type Row = (Vec<String>, u32);

/// People by their quasi-identifiers, one of four ages and one of two sexes.
pub(crate) struct People {
    pub(crate) columns: Vec<Column>,
    pub(crate) hierarchies: Vec<Hierarchy>,
    /// The quasi-identifiers of each person as one number.
    pub(crate) tuples: Vec<u32>,
}

impl People {
    /// People with these (age, sex).
    pub(crate) fn new(tuples: &[(u32, u32)]) -> People {
        let column = |name: &str, texts: &[&str], codes: Vec<u32>| Column {
            codes,
            ..Column::from_texts(name, texts.iter().map(|text| Some(*text)))
        };
        let tree = |rows: &[&[&str]]| {
            let rows: Vec<Vec<Option<String>>> = rows
                .iter()
                .map(|row| row.iter().map(|text| Some((*text).to_owned())).collect())
                .collect();
            Hierarchy::from_labels(&rows)
        };
        People {
            columns: vec![
                column(
                    "age",
                    &["20", "30", "40", "50"],
                    tuples.iter().map(|t| t.0).collect(),
                ),
                column("sex", &["f", "m"], tuples.iter().map(|t| t.1).collect()),
            ],
            hierarchies: vec![
                tree(&[
                    &["20", "young", "*"],
                    &["30", "young", "*"],
                    &["40", "old", "*"],
                    &["50", "old", "*"],
                ]),
                tree(&[&["f", "*"], &["m", "*"]]),
            ],
            tuples: tuples.iter().map(|t| t.0 * 2 + t.1).collect(),
        }
    }

    /// `n` people drawn with a fixed seed.
    pub(crate) fn drawn(n: usize, seed: u64) -> People {
        let mut random = SplitMix64::new(seed);
        let tuples: Vec<(u32, u32)> = (0..n)
            .map(|_| (random.below(4) as u32, random.below(2) as u32))
            .collect();
        People::new(&tuples)
    }

    /// What a solver sees when people have these values.
    pub(crate) fn summary(&self, values: &[u32]) -> Summary {
        let texts: Vec<String> = (0..VALUES).map(|value| value.to_string()).collect();
        let secret = Column {
            codes: values.to_vec(),
            ..Column::from_texts("secret", texts.iter().map(|text| Some(text.as_str())))
        };
        let quasi: Vec<&Column> = self.columns.iter().collect();
        summarize(&quasi, &[&secret], None)
    }

    /// What a reader sees of a solution: labels beside values, and the reference that some promises publish.
    pub(crate) fn release(
        &self,
        solution: &Solution,
        values: &[u32],
        beside: Vec<u64>,
    ) -> Release<Row, Vec<u64>> {
        let recoding = &solution.recoding;
        // Records are numbered by tuple, and within a tuple in the order of the table.
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&person| (self.tuples[person], person));
        let mut distinct = self.tuples.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let unit = |person: usize| match recoding.unit {
            Unit::Tuple => distinct.binary_search(&self.tuples[person]).ok(),
            Unit::Record => order.iter().position(|&other| other == person),
        };
        let row = |person: usize| {
            let class = recoding.class_of[unit(person)?]? as usize;
            let labels = recoding.labels.iter().zip(&recoding.published);
            let texts = labels.map(|(labels, published)| {
                let text = labels.texts[published[class] as usize].as_deref();
                text.unwrap_or_default().to_owned()
            });
            Some((texts.collect(), values[person]))
        };
        Release {
            shown: (0..values.len()).map(row).collect(),
            beside,
        }
    }
}

/// How often each value occurs.
pub(crate) fn histogram(values: &[u32]) -> Vec<u64> {
    let mut counts = vec![0; VALUES as usize];
    for &value in values {
        counts[value as usize] += 1;
    }
    counts
}

/// A promise on the sensitive attribute, made for the source it is judged against.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&[u64]) -> Box<dyn Promise>,
    /// Whether the certificate carries the counts of all source records.
    pub(crate) reference: bool,
}

fn fraction(numerator: u64, denominator: u64) -> Fraction {
    Fraction::new(numerator, denominator).expect("a fraction")
}

fn numbers() -> Vec<Option<Decimal>> {
    (0..VALUES)
        .map(|value| Some(Decimal::whole(i64::from(value))))
        .collect()
}

const fn plain(name: &'static str, make: fn(&[u64]) -> Box<dyn Promise>) -> Kind {
    Kind {
        name,
        make,
        reference: false,
    }
}

const fn against_all(name: &'static str, make: fn(&[u64]) -> Box<dyn Promise>) -> Kind {
    Kind {
        name,
        make,
        reference: true,
    }
}

/// Every promise on sensitive values, in every reading that a policy can ask for.
pub(crate) const KINDS: [Kind; 16] = [
    plain("l-diversity", |_| {
        Box::new(DistinctDiversity { attribute: 0, l: 2 })
    }),
    plain("entropy l-diversity", |_| {
        Box::new(EntropyDiversity {
            attribute: 0,
            l: fraction(19, 10),
        })
    }),
    plain("recursive l-diversity", |_| {
        Box::new(RecursiveDiversity {
            attribute: 0,
            c: fraction(3, 2),
            l: 2,
        })
    }),
    plain("recursive l-diversity, floor", |_| {
        Box::new(DisclosureRecursive::negative(
            0,
            fraction(2, 1),
            2,
            [1],
            fraction(1, 4),
            [0],
        ))
    }),
    plain("confidence", |_| {
        Box::new(Confidence::of_all(0, fraction(1, 2)))
    }),
    plain("confidence in one value", |_| {
        Box::new(Confidence::of_values(0, [(0, fraction(1, 2))]))
    }),
    plain("alpha-k-anonymity", |_| {
        Box::new(AlphaK {
            attribute: 0,
            alpha: fraction(1, 2),
            k: K,
        })
    }),
    plain("xy-privacy", |_| {
        Box::new(XyPrivacy {
            k: K,
            confidence: Confidence::of_values(0, [(0, fraction(1, 3))]),
        })
    }),
    against_all("t-closeness", |all| {
        Box::new(TCloseness::equal(0, fraction(1, 3), all))
    }),
    against_all("t-closeness, ordered", |all| {
        Box::new(TCloseness::ordered(0, fraction(1, 4), all))
    }),
    against_all("beta-likeness", |all| {
        Box::new(BetaLikeness::new(0, fraction(1, 1), Likeness::Basic, all))
    }),
    against_all("beta-likeness, enhanced", |all| {
        Box::new(BetaLikeness::new(
            0,
            fraction(1, 1),
            Likeness::Enhanced,
            all,
        ))
    }),
    against_all("delta-disclosure", |all| {
        Box::new(DeltaDisclosure::new(
            0,
            fraction(1, 1),
            Base::E,
            Absent::Breaks,
            all,
        ))
    }),
    plain("k-e-anonymity", |_| {
        Box::new(KeAnonymity::new(0, 2, Decimal::whole(2), &numbers()))
    }),
    plain("epsilon-m-anonymity", |_| {
        Box::new(EpsilonM::new(0, Decimal::whole(1), 2, &numbers()))
    }),
    // The strictest of the first kind: classes that just pass are the easiest to reason back from.
    plain("l-diversity, all values", |_| {
        Box::new(DistinctDiversity { attribute: 0, l: 3 })
    }),
];

/// The request for these people, with `promises` and a share that may be suppressed.
pub(crate) fn request<'a>(
    people: &'a People,
    summary: &'a Summary,
    promises: &'a [Box<dyn Promise>],
    suppress_at_most: Fraction,
) -> Request<'a> {
    Request {
        summary,
        hierarchies: &people.hierarchies,
        promises,
        objective: Objective::Loss,
        suppress_at_most,
        limits: None,
        setting: None,
        weights: None,
    }
}

/// k-anonymity alone, or with a promise on values.
pub(crate) fn promised(kind: Option<&Kind>, values: &[u32]) -> Vec<Box<dyn Promise>> {
    let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: K })];
    promises.extend(kind.map(|kind| (kind.make)(&histogram(values))));
    promises
}

/// Whether a promise on values admits what is believed.
pub(crate) fn admits(promise: &dyn Promise, believed: &BTreeMap<u32, f64>) -> bool {
    // Beliefs have shares but no size: one of a single world must not look like a group of one.
    let counts: Vec<(u32, u64)> = counts(believed)
        .into_iter()
        .map(|(value, count)| (value, count * 1000))
        .collect();
    let histogram = [Histogram::new(&counts)];
    let all = histogram[0].total;
    promise.admits(&Group::new(all, all, &histogram))
}

/// Whether a belief is within one in k for every link, and within the promise on values.
pub(crate) fn keeps<W: AsRef<[u32]>>(kind: Option<&Kind>, belief: &Belief<'_, W>) -> bool {
    // A millionth of slack, since weights are sums of fractions.
    if belief.link > 1.0 / K as f64 + 1e-6 {
        return false;
    }
    let Some(kind) = kind else {
        return true;
    };
    let all = if kind.reference {
        histogram(belief.witness.as_ref())
    } else {
        Vec::new()
    };
    let promise = (kind.make)(&all);
    let nothing_known: BTreeMap<u32, f64> = (0..VALUES).map(|value| (value, 1.0)).collect();
    // Of people who are not published nothing was promised, but the release must not be what breaks it.
    admits(promise.as_ref(), &belief.values)
        || !belief.published && !admits(promise.as_ref(), &nothing_known)
}
