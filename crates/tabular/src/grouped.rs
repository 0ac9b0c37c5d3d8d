//! Classes given as lists of tuples: their loss, what they are published as, and whether that is a solution.

use std::collections::HashMap;

use denym_data::Unit;

use crate::cover::{Cover, Covers};
use crate::figures;
use crate::partition::{Axis, HEAD, Rows, publish};
use crate::recode::class_is_admitted;
use crate::{Error, Request, Solution};

/// Tuples with the tables that say what it costs to publish some of them together.
pub(crate) struct Tuples<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) covers: Covers<'a>,
    /// Codes of each tuple, side by side.
    codes: Vec<u32>,
    pub(crate) q: usize,
}

impl<'a> Tuples<'a> {
    pub(crate) fn new(request: &'a Request<'a>) -> Tuples<'a> {
        let summary = request.summary;
        let q = summary.quasi.len();
        let mut codes = Vec::with_capacity(q * summary.tuples());
        for tuple in 0..summary.tuples() {
            codes.extend(summary.quasi.iter().map(|column| column[tuple]));
        }
        Tuples {
            request,
            covers: Covers::new(request),
            codes,
            q,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.request.summary.tuples()
    }

    pub(crate) fn codes(&self, tuple: u32) -> &[u32] {
        &self.codes[tuple as usize * self.q..][..self.q]
    }

    pub(crate) fn records(&self, tuple: u32) -> u64 {
        self.request.summary.records[tuple as usize]
    }

    pub(crate) fn weight(&self, tuples: &[u32]) -> u64 {
        tuples.iter().map(|&tuple| self.records(tuple)).sum()
    }

    /// The cover of one tuple.
    pub(crate) fn single(&self, tuple: u32) -> Cover {
        Cover {
            codes: self.codes(tuple).to_vec(),
            levels: vec![0; self.q],
        }
    }

    /// The cover of some tuples.
    pub(crate) fn cover(&self, tuples: &[u32]) -> Cover {
        let mut cover = self.single(tuples[0]);
        for &tuple in tuples {
            self.widen(&mut cover, tuple);
        }
        cover
    }

    pub(crate) fn widen(&self, cover: &mut Cover, tuple: u32) {
        let codes = self.codes(tuple);
        self.covers.widen(cover, |d| codes[d]);
    }

    pub(crate) fn admits(&self, tuples: &[u32]) -> bool {
        class_is_admitted(self.request, tuples)
    }
}

/// Refuses limits on levels where a solver does not work on levels.
pub(crate) fn refuse_limits(request: &Request<'_>) -> Result<(), Error> {
    let narrow = (0..request.hierarchies.len())
        .any(|d| request.range(d) != (0, request.hierarchies[d].height() - 1));
    if narrow {
        return Err(Error::LimitsNotHonoured);
    }
    Ok(())
}

/// The solution that publishes these classes; all other tuples are suppressed.
///
/// Classes that would be published alike are one class to everybody else, so they are put together and judged again.
/// `None` when too much is suppressed then, or nothing is left.
pub(crate) fn solution_of(
    request: &Request<'_>,
    mut classes: Vec<Vec<u32>>,
    axes: &[Axis],
) -> Option<Solution> {
    for class in &mut classes {
        class.sort_unstable();
    }
    classes.sort_by_key(|class| class[0]);
    let first = recoding_of(request, &classes, axes);
    let mut place: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut merged: Vec<Vec<u32>> = Vec::new();
    for (class, tuples) in classes.iter().enumerate() {
        let key: Vec<u32> = first.published.iter().map(|labels| labels[class]).collect();
        let next = merged.len();
        let at = *place.entry(key).or_insert(next);
        if at == next {
            merged.push(tuples.clone());
        } else {
            merged[at].extend(tuples);
        }
    }
    merged.retain(|class| class_is_admitted(request, class));
    for class in &mut merged {
        class.sort_unstable();
    }
    let solution = figures::solution(request, recoding_of(request, &merged, axes));
    let suppressed = solution.statistics.suppressed;
    (suppressed <= request.budget() && !merged.is_empty()).then_some(solution)
}

fn recoding_of(request: &Request<'_>, classes: &[Vec<u32>], axes: &[Axis]) -> denym_data::Recoding {
    let summary = request.summary;
    let stride = HEAD + summary.quasi.len();
    let mut cells = Vec::new();
    let mut parts = Vec::with_capacity(classes.len());
    for class in classes {
        parts.push(class.len());
        for &tuple in class {
            cells.extend([tuple, 1]);
            cells.extend(summary.quasi.iter().map(|codes| codes[tuple as usize]));
        }
    }
    publish(request, Unit::Tuple, axes, &Rows { cells, stride }, &parts)
}
