//! Mixed grain: one column shows labels of several levels, such as `35`, `30-39` and `*`.

use std::collections::{BTreeSet, HashMap};

use denym_data::{Column, Hierarchy};

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::After;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "mixed-grain",
    place: 100,
    severity: Severity::Note,
    about: About::Column,
    summary: "a column shows labels of several levels, which is hard to count with",
    advice: "say `grain = \"one-per-column\"` under `[release]` if the recipient counts by it, or `grain = \"mixed\"` if that is meant",
    limits: "labels that are ranges of the data's own values have no level: two of them are several grains",
    recipient: Some(
        "shows labels of several levels: a coarse one may hold what a fine one says too",
    ),
    look: Look::After(look),
};

fn look(view: &After<'_>) -> Vec<Found> {
    let Some(written) = view.fate.written else {
        return Vec::new();
    };
    // Who asks for it knows.
    if view.before.policy.release.mixed_grain {
        return Vec::new();
    }
    let columns = view.fate.hierarchies.iter();
    columns
        .filter_map(|(name, hierarchy)| Some((written.column(name)?, hierarchy)))
        .filter(|(column, hierarchy)| !has_one_grain(column, hierarchy))
        .map(|(column, _)| Found::on(&column.name, Said::new("finding.mixed-grain.reason")))
        .collect()
}

/// Whether one level has every label of the column; one label alone always is of one level.
fn has_one_grain(column: &Column, hierarchy: &Hierarchy) -> bool {
    let labels = column.dictionary.values();
    if labels.len() < 2 {
        return true;
    }
    let mut levels_of: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (level, of) in hierarchy.levels().iter().enumerate() {
        for label in of.labels.iter().flatten() {
            levels_of.entry(label).or_default().insert(level);
        }
    }
    let mut common: Option<BTreeSet<usize>> = None;
    for label in labels {
        let Some(levels) = levels_of.get(label) else {
            return false;
        };
        common = Some(match common {
            None => levels.clone(),
            Some(common) => &common & levels,
        });
    }
    common.is_none_or(|levels| !levels.is_empty())
}
