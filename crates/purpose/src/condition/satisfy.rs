//! Whether a condition can hold at all over the declared domains, and with which values.
//!
//! # Idea
//! Only the places where a comparison changes its answer matter: for each attribute the compared values and their neighbours.
//! Attributes are set one after the other to these candidates; the three-valued answer cuts a branch as soon as it is decided.
//!
//! # Guarantee
//! Exact: an answer is found if and only if one exists in the domains. Values fixed by the caller stay fixed.
//!
//! # Cost
//! Exponential in the attributes of one condition in the worst case; conditions have a handful.

use super::Condition;
use crate::attribute::{Attributes, Values};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn satisfy(
    condition: &Condition,
    attributes: &Attributes,
    fixed: &Values,
) -> Option<Values> {
    let mut candidates: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    condition.each_comparison(&mut |attribute, _, value| {
        let (least, most) = attributes.list()[attribute].domain.bounds();
        let set = candidates.entry(attribute).or_default();
        for near in [
            Some(value),
            value.checked_sub(1),
            value.checked_add(1),
            Some(least),
            Some(most),
        ] {
            set.extend(near.filter(|code| (least..=most).contains(code)));
        }
    });
    let mut values = fixed.clone();
    values.resize(attributes.list().len(), None);
    let open: Vec<(usize, Vec<i64>)> = candidates
        .into_iter()
        .filter(|(attribute, _)| values[*attribute].is_none())
        .map(|(attribute, set)| (attribute, set.into_iter().collect()))
        .collect();
    search(condition, &open, &mut values).then_some(values)
}

fn search(condition: &Condition, open: &[(usize, Vec<i64>)], values: &mut Values) -> bool {
    match condition.decide(values) {
        Some(answer) => return answer,
        None if open.is_empty() => return false,
        None => {}
    }
    let (attribute, candidates) = &open[0];
    for candidate in candidates {
        values[*attribute] = Some(*candidate);
        if search(condition, &open[1..], values) {
            return true;
        }
    }
    values[*attribute] = None;
    false
}
