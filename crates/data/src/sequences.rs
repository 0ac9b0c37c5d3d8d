//! Sequences of subjects: time-ordered doublets (location, time) as codes, one record per subject.
//!
//! ```text
//! record 0   a1 > d2 > b3        items   [0 2 5 | 5 7 | ...]     ids into `doublets`
//! record 1   b3 > e4             starts  [0 3 5 ...]
//! ```
//!
//! A doublet id orders by time, then by location, so the items of a record are strictly
//! increasing and "the smaller time, then the smaller location" is simply "the smaller id".
//! A record costs four bytes, a doublet four bytes, an attribute four bytes per record:
//! ten million records of the papers' shape fit in 200 MB.

mod builder;
mod cells;
mod columns;
mod error;
mod events;
mod gps;
mod points;
mod publish;
mod read;
mod sets;
mod times;
mod unused;
mod wide;

pub use builder::PathsBuilder;
pub use columns::{Columns, Form, SEPARATOR};
pub use error::PathsError;
pub use gps::{Edges, Grid};
pub use publish::Published;
pub use read::{SequenceTable, Wanted};
pub use times::seconds;
pub use wide::split_doublet;

/// One (location, time) pair, as codes of [`Sequences::locations`] and [`Sequences::times`].
///
/// The order is by time, then by location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Doublet {
    /// Code of the time; a smaller code is earlier.
    pub time: u32,
    /// Code of the location.
    pub location: u32,
}

/// An attribute beside the path: one code per record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Column name.
    pub name: String,
    /// Label of each code.
    pub values: Vec<String>,
    /// Code of each record.
    pub codes: Vec<u32>,
}

impl Attribute {
    /// Codes the labels of one column, in order of first appearance.
    pub fn from_labels<'a>(name: &str, labels: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known = hashbrown::HashMap::new();
        let mut values = Vec::new();
        let codes = labels
            .into_iter()
            .map(|label| {
                *known.entry_ref(label).or_insert_with(|| {
                    values.push(label.to_owned());
                    values.len() as u32 - 1
                })
            })
            .collect();
        Self {
            name: name.to_owned(),
            values,
            codes,
        }
    }

    /// The code of a label, if it occurs.
    pub fn code(&self, label: &str) -> Option<u32> {
        self.values
            .iter()
            .position(|value| value == label)
            .map(|code| code as u32)
    }
}

/// The paths (or item sets) of a table of subjects, with their sensitive attributes and quasi-identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequences {
    locations: Vec<String>,
    times: Vec<String>,
    doublets: Vec<Doublet>,
    starts: Vec<u32>,
    items: Vec<u32>,
    sensitive: Vec<Attribute>,
    quasi: Vec<Attribute>,
}

impl Sequences {
    /// Assembles paths from codes.
    ///
    /// `doublets` must be sorted without repeats, `starts` must run from 0 to `items.len()`,
    /// and the items of a record must be strictly increasing doublet ids.
    pub fn from_codes(
        locations: Vec<String>,
        times: Vec<String>,
        doublets: Vec<Doublet>,
        starts: Vec<u32>,
        items: Vec<u32>,
    ) -> Result<Self, PathsError> {
        let sorted = doublets.windows(2).all(|pair| pair[0] < pair[1]);
        let known = doublets
            .iter()
            .all(|d| (d.time as usize) < times.len() && (d.location as usize) < locations.len());
        let framed = starts.first() == Some(&0)
            && starts.last().map(|&end| end as usize) == Some(items.len())
            && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if !sorted || !known || !framed {
            return Err(PathsError::BadCodes);
        }
        for (row, pair) in starts.windows(2).enumerate() {
            let record = &items[pair[0] as usize..pair[1] as usize];
            let increasing = record.windows(2).all(|two| two[0] < two[1]);
            if !increasing || record.last().is_some_and(|&d| d as usize >= doublets.len()) {
                return Err(PathsError::BadRecord { row });
            }
        }
        Ok(Self {
            locations,
            times,
            doublets,
            starts,
            items,
            sensitive: Vec::new(),
            quasi: Vec::new(),
        })
    }

    /// Adds a sensitive attribute.
    pub fn with_sensitive(mut self, attribute: Attribute) -> Result<Self, PathsError> {
        self.check_length(&attribute)?;
        self.sensitive.push(attribute);
        Ok(self)
    }

    /// Adds a quasi-identifier: an attribute the adversary knows besides the doublets.
    pub fn with_quasi(mut self, attribute: Attribute) -> Result<Self, PathsError> {
        self.check_length(&attribute)?;
        self.quasi.push(attribute);
        Ok(self)
    }

    fn check_length(&self, attribute: &Attribute) -> Result<(), PathsError> {
        let coded = attribute
            .codes
            .iter()
            .all(|&code| (code as usize) < attribute.values.len());
        if attribute.codes.len() == self.len() && coded {
            Ok(())
        } else {
            Err(PathsError::AttributeLength {
                attribute: attribute.name.clone(),
                found: attribute.codes.len(),
                records: self.len(),
            })
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Label of each location code; of each item, where there are no times.
    pub fn locations(&self) -> &[String] {
        &self.locations
    }

    /// Label of each time code, in the order of time.
    pub fn times(&self) -> &[String] {
        &self.times
    }

    /// The distinct doublets, ordered by time, then location; a record holds indices into it.
    pub fn doublets(&self) -> &[Doublet] {
        &self.doublets
    }

    /// The doublet ids of one record, in time order.
    #[inline]
    pub fn record(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// All records in source order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.starts
            .windows(2)
            .map(|pair| &self.items[pair[0] as usize..pair[1] as usize])
    }

    /// A table of some of these records, in the order of `records`, each with the doublets that `shown` gives it; attributes
    /// go along.
    pub fn of_records<'a, Row: Copy + TryInto<usize>>(
        &self,
        records: &[Row],
        shown: impl Fn(usize) -> &'a [u32],
    ) -> Result<Self, PathsError> {
        let row = |&record: &Row| record.try_into().unwrap_or(usize::MAX);
        let mut starts = Vec::with_capacity(records.len() + 1);
        starts.push(0);
        let mut items = Vec::with_capacity(self.items.len());
        for record in records {
            items.extend_from_slice(shown(row(record)));
            let end = u32::try_from(items.len()).map_err(|_| PathsError::TooMany {
                what: "doublets in the records",
            })?;
            starts.push(end);
        }
        let pick = |column: &Attribute| Attribute {
            name: column.name.clone(),
            values: column.values.clone(),
            codes: records.iter().map(|r| column.codes[row(r)]).collect(),
        };
        let mut found = Self::from_codes(
            self.locations.clone(),
            self.times.clone(),
            self.doublets.clone(),
            starts,
            items,
        )?;
        found.sensitive = self.sensitive.iter().map(pick).collect();
        found.quasi = self.quasi.iter().map(pick).collect();
        Ok(found)
    }

    /// Number of doublets over all records: N(T) of the distortion ratio.
    pub fn instances(&self) -> usize {
        self.items.len()
    }

    /// The sensitive attributes.
    pub fn sensitive(&self) -> &[Attribute] {
        &self.sensitive
    }

    /// The quasi-identifiers beside the path.
    pub fn quasi(&self) -> &[Attribute] {
        &self.quasi
    }

    /// The id of a doublet, if it occurs.
    pub fn id_of(&self, location: &str, time: &str) -> Option<u32> {
        let location = self.locations.iter().position(|l| l == location)? as u32;
        let time = self.times.iter().position(|t| t == time)? as u32;
        self.doublets
            .binary_search(&Doublet { time, location })
            .ok()
            .map(|id| id as u32)
    }

    /// The label of a doublet: an item without a time as it is, `d2` when it reads back unambiguously, else `Central@14`.
    pub fn label(&self, id: u32) -> String {
        let doublet = self.doublets[id as usize];
        wide::join_doublet(
            &self.locations[doublet.location as usize],
            &self.times[doublet.time as usize],
        )
    }

    /// The wide form of one record, doublets joined by `>`.
    pub fn cell(&self, row: usize) -> String {
        let labels: Vec<String> = self.record(row).iter().map(|&id| self.label(id)).collect();
        labels.join(">")
    }
}
