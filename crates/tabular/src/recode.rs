//! From levels to a recoding: which tuples are published together, and as what.

use denym_data::{Recoding, Unit};
use denym_measure::{Group, added, by_subjects};

use crate::class::{admitted, with_group};
use crate::frequency::{FrequencySet, Grouping};
use crate::keys::{Layout, MOST_WORDS};
use crate::request::Request;
use crate::setting::{Setting, verdicts};

/// The recoding that publishes every quasi-identifier at its level and suppresses classes that fail a promise.
///
/// Classes are numbered by their first tuple.
pub(crate) fn recode(request: &Request<'_>, levels: &[u8]) -> Recoding {
    let summary = request.summary;
    let q = levels.len();
    let nodes: Vec<&[u32]> = (0..q)
        .map(|d| {
            request.hierarchies[d].levels()[levels[d] as usize]
                .nodes
                .as_slice()
        })
        .collect();
    let members = classes(request, levels);
    let mut recoding = Recoding {
        unit: Unit::Tuple,
        class_of: vec![None; summary.tuples()],
        labels: (0..q)
            .map(|d| request.hierarchies[d].labels(levels[d] as usize))
            .collect(),
        published: vec![Vec::new(); q],
        levels: Some(levels.iter().map(|&level| level as usize).collect()),
    };
    // Classes are numbered by first tuple, here as there.
    let together = request
        .apart()
        .map(|setting| published(request, setting, levels));
    let mut class = 0;
    for (index, members) in members.iter().enumerate() {
        let admitted = match &together {
            Some(published) => published.get(index).copied().unwrap_or(false),
            None => class_is_admitted(request, members),
        };
        if !admitted {
            continue;
        }
        for (d, published) in recoding.published.iter_mut().enumerate() {
            published.push(nodes[d][summary.quasi[d][members[0] as usize] as usize]);
        }
        for &index in members {
            recoding.class_of[index as usize] = Some(class);
        }
        class += 1;
    }
    recoding
}

/// Which classes at `levels` are published when they have to be judged together.
fn published(request: &Request<'_>, setting: &Setting, levels: &[u8]) -> Vec<bool> {
    // Keys that do not fit were refused before the search began.
    let Ok(layout) = Layout::new(request.hierarchies) else {
        return Vec::new();
    };
    let set: FrequencySet<MOST_WORDS> = FrequencySet::finest(request, &layout, levels);
    verdicts(request, setting, &layout, levels, &set).published
}

/// The tuples of each class at `levels`, classes in the order of their first tuple.
fn classes(request: &Request<'_>, levels: &[u8]) -> Vec<Vec<u32>> {
    // Attribute by attribute: two tuples are alike if they were so far and have the same node here.
    let mut class_of = vec![0_u32; request.summary.tuples()];
    let mut count = 1;
    for (d, codes) in request.summary.quasi.iter().enumerate() {
        let nodes = &request.hierarchies[d].levels()[levels[d] as usize].nodes;
        let mut grouping: Grouping<1> = Grouping::default();
        for (class, &code) in class_of.iter_mut().zip(codes) {
            let pair = u64::from(*class) << 32 | u64::from(nodes[code as usize]);
            *class = grouping.add([pair], 0);
        }
        count = grouping.keys.len();
    }
    let mut members = vec![Vec::new(); count];
    for (index, &class) in class_of.iter().enumerate() {
        members[class as usize].push(index as u32);
    }
    members
}

/// Whether the class made of these tuples meets every promise.
pub(crate) fn class_is_admitted(request: &Request<'_>, members: &[u32]) -> bool {
    class_group(request, members, |group| admitted(request.promises, group))
}

/// The group made of these tuples.
pub(crate) fn class_group<T>(
    request: &Request<'_>,
    members: &[u32],
    judge: impl FnOnce(&Group<'_>) -> T,
) -> T {
    let summary = request.summary;
    let records = members.iter().map(|&t| summary.records[t as usize]).sum();
    let subjects = summary.subjects.as_ref().map(|subjects| {
        let mut all: Vec<u32> = members
            .iter()
            .flat_map(|&t| subjects.row(t as usize))
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all.len() as u64
    });
    let shown = summary.shown.iter().map(|rows| {
        by_subjects(
            members
                .iter()
                .flat_map(|&t| rows.row(t as usize))
                .copied()
                .collect(),
        )
    });
    let added_up = summary.sensitive.iter().map(|rows| {
        added(
            members
                .iter()
                .flat_map(|&t| rows.row(t as usize))
                .copied()
                .collect(),
        )
    });
    let histograms: Vec<Vec<(u32, u64)>> = if summary.shown.is_empty() {
        added_up.collect()
    } else {
        shown.collect()
    };
    with_group(
        records,
        subjects,
        histograms.iter().map(Vec::as_slice),
        judge,
    )
}
