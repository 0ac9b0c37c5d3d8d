//! The table an adversary has who joins two releases: who is in both, who arrived, who left.

use denym_data::paths::{Attribute, Doublet, Paths};
use hashbrown::HashMap;

use super::Earlier;
use crate::error::Error;
use crate::recoding::Rows;

/// Presence of a subject: the class the adversary sees it in.
pub(super) const BOTH: &str = "both";
pub(super) const ARRIVED: &str = "arrived";
const LEFT: &str = "left";

/// The table an adversary has who joins both releases: united paths, and presence as a quasi-identifier.
pub(super) fn join(earlier: &Earlier, released: &Paths, kept: &[usize]) -> Result<Paths, Error> {
    let old = earlier.released;
    if earlier
        .record_of
        .iter()
        .flatten()
        .any(|&r| r as usize >= old.len())
        || kept.len() != released.len()
        || kept.iter().any(|&record| record >= earlier.record_of.len())
    {
        return Err(Error::BadOption {
            what: "the records of the two releases do not fit each other",
        });
    }
    let words = Words::new(released, old);
    let mut lists: Vec<Vec<u32>> = Vec::new();
    let mut presence: Vec<&str> = Vec::new();
    let mut from: Vec<(bool, usize)> = Vec::new();
    let mut continued = vec![false; old.len()];
    for (row, &record) in kept.iter().enumerate() {
        let mut list: Vec<u32> = released
            .record(row)
            .iter()
            .map(|&i| words.new[i as usize])
            .collect();
        match earlier.record_of[record] {
            Some(before) => {
                continued[before as usize] = true;
                list.extend(
                    old.record(before as usize)
                        .iter()
                        .map(|&i| words.old[i as usize]),
                );
                presence.push(BOTH);
            }
            None => presence.push(ARRIVED),
        }
        list.sort_unstable();
        list.dedup();
        lists.push(list);
        from.push((true, row));
    }
    for row in (0..old.len()).filter(|&row| !continued[row]) {
        lists.push(
            old.record(row)
                .iter()
                .map(|&i| words.old[i as usize])
                .collect(),
        );
        presence.push(LEFT);
        from.push((false, row));
    }
    let rows = Rows::from_lists(lists.iter().map(Vec::as_slice));
    let mut joint = Paths::from_codes(
        words.locations,
        words.times,
        words.doublets,
        rows.starts,
        rows.items,
    )?;
    joint = joint.with_quasi(Attribute::from_labels("presence", presence.iter().copied()))?;
    let columns = |paths: &Paths, quasi: bool| -> Vec<Attribute> {
        if quasi {
            paths.quasi().to_vec()
        } else {
            paths.sensitive().to_vec()
        }
    };
    for quasi in [false, true] {
        let (new, old) = (columns(released, quasi), columns(old, quasi));
        for column in &new {
            let before = old.iter().find(|o| o.name == column.name);
            let labels = from.iter().map(|&(is_new, row)| match (is_new, before) {
                (true, _) => column.values[column.codes[row] as usize].as_str(),
                (false, Some(before)) => before.values[before.codes[row] as usize].as_str(),
                (false, None) => "",
            });
            let joined = Attribute::from_labels(&column.name, labels);
            joint = if quasi {
                joint.with_quasi(joined)?
            } else {
                joint.with_sensitive(joined)?
            };
        }
    }
    Ok(joint)
}

/// One dictionary of the doublets of two tables, by label.
pub(super) struct Words {
    pub(super) locations: Vec<String>,
    pub(super) times: Vec<String>,
    pub(super) doublets: Vec<Doublet>,
    pub(super) new: Vec<u32>,
    pub(super) old: Vec<u32>,
}

impl Words {
    pub(super) fn new(new: &Paths, old: &Paths) -> Self {
        let united = |a: &[String], b: &[String]| -> (Vec<String>, Vec<u32>) {
            let mut labels = a.to_vec();
            let mut code: HashMap<String, u32> = labels.iter().cloned().zip(0..).collect();
            let of_b = b
                .iter()
                .map(|label| {
                    *code.entry_ref(label.as_str()).or_insert_with(|| {
                        labels.push(label.clone());
                        labels.len() as u32 - 1
                    })
                })
                .collect();
            (labels, of_b)
        };
        let (locations, old_location) = united(new.locations(), old.locations());
        let (times, old_time) = united(new.times(), old.times());
        let moved: Vec<Doublet> = old
            .doublets()
            .iter()
            .map(|d| Doublet {
                time: old_time[d.time as usize],
                location: old_location[d.location as usize],
            })
            .collect();
        let mut doublets: Vec<Doublet> = new.doublets().iter().chain(&moved).copied().collect();
        doublets.sort_unstable();
        doublets.dedup();
        let place = |d: &Doublet| doublets.partition_point(|known| known < d) as u32;
        Self {
            new: new.doublets().iter().map(place).collect(),
            old: moved.iter().map(place).collect(),
            locations,
            times,
            doublets,
        }
    }
}
