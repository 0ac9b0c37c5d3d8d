//! A release onto an earlier one: new records join published groups, safe against whoever compares the two.
//!
//! # Guarantee
//!
//! A group gains nobody, or new records that keep every promise among themselves: what the difference of the two releases
//! shows is a group like any other. New records that find no such company wait; they are not published.

use std::path::Path;

use denym_data::Table;
use denym_microdata::cluster::{self, Records};
use serde::{Deserialize, Serialize};

use super::Search;
use super::admission::values;
use super::unconcerned::{self, Unconcerned};
use crate::Error;
use crate::plan::Plan;

/// Which records are published together; it stays with the steward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Published {
    /// The quasi-identifiers.
    quasi_identifiers: Vec<String>,
    /// A check sum over the records, in the order of the source.
    records: String,
    /// The group of each record; `None` when it is not published.
    group_of: Vec<Option<u32>>,
}

impl Published {
    /// These groups; [`Published::describe`] says of which records.
    pub(super) fn new(group_of: Vec<Option<u32>>) -> Published {
        Published {
            quasi_identifiers: Vec::new(),
            records: String::new(),
            group_of,
        }
    }

    /// Notes which records the groups are of.
    pub(super) fn describe(&mut self, plan: &Plan, table: &Table) {
        self.quasi_identifiers = plan.quasi_names();
        self.records = checksum(plan, table, self.group_of.len());
    }
}

/// The groups of an earlier release, and the records that came since.
pub(super) struct Earlier {
    groups: Vec<Vec<u32>>,
    new: Vec<u32>,
}

/// The earlier release in `bundle`, whose records must be the first ones of `table`.
pub(super) fn read(bundle: &Path, plan: &Plan, table: &Table) -> Result<Earlier, Error> {
    let path = bundle.join("steward").join("groups.json");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the groups of the earlier release", &path, &error))?;
    let published: Published = serde_json::from_str(&text).map_err(|_| Error::Bundle {
        what: "its groups cannot be read",
        path: path.clone(),
    })?;
    if published.quasi_identifiers != plan.quasi_names() {
        return Err(Error::Argument {
            what: "the earlier release has other quasi-identifiers".into(),
            help: "use the policy of the earlier release, with the data that grew since".into(),
        });
    }
    let old = published.group_of.len();
    if old > table.records() || checksum(plan, table, old) != published.records {
        return Err(Error::Argument {
            what: "the first records of the data are not those of the earlier release".into(),
            help: "append new records to the end of the earlier data and change nothing else"
                .into(),
        });
    }
    let count = published
        .group_of
        .iter()
        .flatten()
        .max()
        .map_or(0, |&group| group as usize + 1);
    let mut groups = vec![Vec::new(); count];
    let mut new = Vec::new();
    for (row, group) in published.group_of.iter().enumerate() {
        match group {
            Some(group) => groups[*group as usize].push(row as u32),
            None => new.push(row as u32),
        }
    }
    groups.retain(|group| !group.is_empty());
    new.extend(old as u32..table.records() as u32);
    Ok(Earlier { groups, new })
}

/// The groups after new records joined.
pub(super) struct Inserted {
    pub(super) groups: Vec<Vec<u32>>,
    pub(super) group_of: Vec<Option<u32>>,
    pub(super) waiting: u64,
    pub(super) unconcerned: Option<Unconcerned>,
}

/// Lets new records join the groups that the policy's rule picks for them, a company at a time.
pub(super) fn insert(
    search: &Search<'_>,
    records: &Records,
    earlier: &Earlier,
) -> Result<Inserted, Error> {
    let columns = &search.plan.columns;
    // The crate counts values of one attribute; every promise on every attribute is asked below.
    let sensitive: Vec<u32> = columns.sensitive.first().map_or_else(
        || (0..records.len() as u32).collect(),
        |&position| search.table.columns()[position].codes.clone(),
    );
    // People who do not mind are no company for those who do: they come after, to groups that gained anyway.
    let mut minds = vec![true; records.len()];
    let unconcerned = unconcerned::rows(search);
    for &row in &unconcerned {
        minds[row as usize] = false;
    }
    let (new, others): (Vec<u32>, Vec<u32>) =
        earlier.new.iter().partition(|&&row| minds[row as usize]);
    let inserted = cluster::insert(
        records,
        &earlier.groups,
        &new,
        &sensitive,
        search.admission.k,
        values(search.plan).min(search.admission.k),
        search.plan.policy.release.microdata.insertion,
    )?;
    let mut groups = Vec::with_capacity(inserted.clusters.len());
    for (old, grown) in earlier.groups.iter().zip(inserted.clusters) {
        let came = &grown[old.len()..];
        let joined =
            came.is_empty() || (search.admission.admits(came) && search.admission.admits(&grown));
        groups.push(if joined { grown } else { old.clone() });
    }
    for row in others {
        let gained = earlier.groups.iter().zip(&groups).enumerate();
        let best = gained
            .filter(|(_, (old, grown))| {
                let with = |rows: &[u32]| search.admission.admits(&[rows, &[row]].concat());
                grown.len() > old.len() && with(&grown[old.len()..]) && with(grown)
            })
            .filter_map(|(number, (_, grown))| {
                let extent = records.extent(grown)?;
                Some((records.increase(&extent, row), number))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, number)) = best {
            groups[number].push(row);
        }
    }
    let mut group_of = vec![None; search.table.records()];
    for (number, group) in groups.iter().enumerate() {
        for &row in group {
            group_of[row as usize] = Some(number as u32);
        }
    }
    let waiting = group_of.iter().filter(|group| group.is_none()).count() as u64;
    let concerned = |group: &Vec<u32>| group.iter().filter(|&&row| minds[row as usize]).count();
    let figures = Unconcerned {
        records: unconcerned.len() as u64,
        smallest_group: groups.iter().map(concerned).min().unwrap_or(0) as u64,
    };
    Ok(Inserted {
        groups,
        group_of,
        waiting,
        unconcerned: (!unconcerned.is_empty()).then_some(figures),
    })
}

/// A check sum (FNV-1a, 128 bits) over the first `records` records, column by column: it finds mistakes, not malice.
fn checksum(plan: &Plan, table: &Table, records: usize) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let mut sum: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    let mut add = |byte: u8| sum = (sum ^ u128::from(byte)).wrapping_mul(PRIME);
    for &position in &plan.columns.released {
        let column = &table.columns()[position];
        for row in 0..records.min(table.records()) {
            match column.text(row) {
                Some(text) => text.bytes().for_each(&mut add),
                None => add(0xFE),
            }
            add(0xFF);
        }
    }
    format!("{sum:032x}")
}
