//! A set of subjects that an adversary cannot tell apart: the one thing a promise is judged on.

use denym_data::Code;

/// How often each value of one sensitive attribute occurs in a group.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    /// (value, count) in ascending order of value; every count is positive.
    pub counts: &'a [(Code, u64)],
    /// Sum of the counts.
    pub total: u64,
}

impl<'a> Histogram<'a> {
    /// The histogram with these counts, in ascending order of value.
    pub fn new(counts: &'a [(Code, u64)]) -> Self {
        debug_assert!(counts.is_sorted_by(|a, b| a.0 < b.0), "values ascend");
        debug_assert!(
            counts.iter().all(|&(_, count)| count > 0),
            "counts are positive"
        );
        Histogram {
            counts,
            total: counts.iter().map(|&(_, count)| count).sum(),
        }
    }

    /// The largest count of any value.
    pub fn largest(&self) -> u64 {
        self.counts
            .iter()
            .map(|&(_, count)| count)
            .max()
            .unwrap_or(0)
    }

    /// The count of `value`.
    pub fn count(&self, value: Code) -> u64 {
        self.counts
            .binary_search_by_key(&value, |&(value, _)| value)
            .map_or(0, |index| self.counts[index].1)
    }
}

/// Subjects that are indistinguishable under some knowledge.
///
/// Everything a promise looks at is here, so that no promise needs to know how the group came about. What a promise needs
/// beyond sizes rides on the same two fields: a guarding node per record is one more histogram (over the column that
/// names the nodes), and so are the values of Y in (X,Y)-anonymity.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// Records in the group.
    pub records: u64,
    /// Distinct subjects; equals `records` when every record is a subject of its own.
    pub subjects: u64,
    /// One histogram per sensitive attribute, in the table's order. With a subject column a value counts once per
    /// subject that shows it, so a count never exceeds `subjects`.
    pub sensitive: &'a [Histogram<'a>],
    /// People of the population that look like this group, when a population is known.
    pub population: Option<u64>,
}

impl<'a> Group<'a> {
    /// A group without a population.
    pub fn new(records: u64, subjects: u64, sensitive: &'a [Histogram<'a>]) -> Self {
        Group {
            records,
            subjects,
            sensitive,
            population: None,
        }
    }

    /// The same group with the number of people of the population that look like it.
    #[must_use]
    pub fn with_population(self, population: u64) -> Self {
        Group {
            population: Some(population),
            ..self
        }
    }

    /// The histogram of the sensitive attribute at `position`; an empty one when the group has none there.
    pub fn histogram(&self, position: usize) -> Histogram<'a> {
        self.sensitive.get(position).copied().unwrap_or(Histogram {
            counts: &[],
            total: 0,
        })
    }
}

/// Counts of equal values added up, ascending.
pub fn added(mut pairs: Vec<(Code, u64)>) -> Vec<(Code, u64)> {
    pairs.sort_unstable_by_key(|&(value, _)| value);
    pairs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    pairs
}

/// How many subjects show each value, ascending, from (value, subject) pairs.
pub fn by_subjects(mut pairs: Vec<(Code, u32)>) -> Vec<(Code, u64)> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|run| (run[0].0, run.len() as u64))
        .collect()
}
