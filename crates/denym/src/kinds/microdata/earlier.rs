//! Which records were published together: written for the steward, and read for a release onto that one.

use std::path::Path;

use denym_data::Table;
use denym_microdata::tables::EarlierGroups;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::plan::Plan;

/// Which records are published together; it stays with the steward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PublishedGroups {
    /// The quasi-identifiers.
    quasi_identifiers: Vec<String>,
    /// A check sum over the records, in the order of the source.
    records: String,
    /// The group of each record; `None` when it is not published.
    group_of: Vec<Option<u32>>,
}

impl PublishedGroups {
    /// These groups of the records of `table`.
    pub(crate) fn new(plan: &Plan, table: &Table, group_of: &[Option<u32>]) -> PublishedGroups {
        PublishedGroups {
            quasi_identifiers: plan.quasi.clone(),
            records: checksum(plan, table, group_of.len()),
            group_of: group_of.to_vec(),
        }
    }
}

/// The earlier release in `bundle`, whose records must be the first ones of `table`.
pub(super) fn read(bundle: &Path, plan: &Plan, table: &Table) -> Result<EarlierGroups, Error> {
    let path = bundle.join("steward").join("groups.json");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the groups of the earlier release", &path, &error))?;
    let published: PublishedGroups = serde_json::from_str(&text).map_err(|_| Error::Bundle {
        what: "its groups cannot be read",
        path: path.clone(),
    })?;
    if published.quasi_identifiers != plan.quasi {
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
    Ok(EarlierGroups::new(&published.group_of, table.records()))
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
