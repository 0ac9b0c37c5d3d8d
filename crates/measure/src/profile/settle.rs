//! What columns say of each other: one of them tells people apart, numbers go together, and few are known to anybody.

use denym_data::{Kind, Role};

use super::ColumnProfile;
use crate::recognize::Meaning;

/// Quasi-identifiers beyond which columns are left out of a draft: nobody knows so much of another person, and every further column
/// makes all others coarser.
pub const MOST_QUASI: usize = 10;

/// Distinct values from which on a column of whole numbers is a quantity rather than a code.
const QUANTITY: usize = 10;

/// Why a draft does not publish a column; what is given up first comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Nothing says what it is.
    Unknown,
    /// A number that nearly every record has for itself.
    NearlyUnique,
    /// The postal code says as much.
    Implied,
    /// What only acquaintances see.
    Rarely,
}

impl LeftOut {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            LeftOut::Unknown => {
                "left out, as nothing says what it is and many columns are known already: give it a role to publish it"
            }
            LeftOut::NearlyUnique => {
                "left out, as nearly every record has its own number: give it a role to publish it"
            }
            LeftOut::Implied => {
                "left out, as the postal code says as much: give it a role to publish it"
            }
            LeftOut::Rarely => {
                "left out, as few know it of another person: give it a role to publish it"
            }
        }
    }
}

/// Settles what no column can say alone; `true` when all that would be published is numbers.
pub(super) fn settle(columns: &mut [ColumnProfile]) -> bool {
    one_subject(columns);
    own_numbers(columns);
    let numbers = all_numbers(columns);
    if numbers {
        for column in columns.iter_mut().filter(|column| is_published(column)) {
            column.role = Role::QuasiIdentifier;
            // No range is published of a number whose place a mean takes.
            column.reasons.truncate(1);
            column
                .reasons
                .push("all columns are numbers, so groups of people publish their means".into());
        }
    } else {
        leave_out(columns);
    }
    numbers
}

/// Only one column can say whose records belong together: the first whose values come back, among those of people.
fn one_subject(columns: &mut [ColumnProfile]) {
    let is_subject = |column: &ColumnProfile| column.role == Role::Subject;
    let first = columns.iter().position(is_subject);
    let name = first.map(|at| columns[at].name.clone());
    for (at, column) in columns.iter_mut().enumerate() {
        if Some(at) != first && column.role == Role::Subject {
            column.role = Role::Identifier;
            if let Some(name) = &name {
                column.reasons.push(format!(
                    "`{name}` says already whose records belong together"
                ));
            }
        }
    }
    // Where nobody is numbered, an official number that comes back tells people apart.
    let official = |column: &ColumnProfile| {
        column.recognized.meaning() == Some(Meaning::OfficialNumber)
            && column.role == Role::Identifier
            && column.missing == 0
            && column.distinction < 1.0
    };
    if first.is_none()
        && let Some(column) = columns.iter_mut().find(|column| official(column))
    {
        column.role = Role::Subject;
        column
            .reasons
            .push("values come back in several records, as people do".into());
    }
}

/// In a table of nothing but numbers, one that every record has for itself is a quantity, unless it was given out one by one.
fn own_numbers(columns: &mut [ColumnProfile]) {
    let is_number = |column: &ColumnProfile| {
        column.distinct < 2 || matches!(column.kind, Kind::Integer | Kind::Decimal)
    };
    if !columns.iter().all(is_number) {
        return;
    }
    for column in columns {
        let unknown = column.recognized.told.is_none() && column.recognized.pattern.is_none();
        if column.role == Role::Identifier && unknown && !column.dense {
            column.role = Role::QuasiIdentifier;
        }
    }
}

fn is_published(column: &ColumnProfile) -> bool {
    matches!(column.role, Role::QuasiIdentifier | Role::Sensitive)
}

/// Whether there are two or more columns to publish and every one is a quantity without gaps.
fn all_numbers(columns: &[ColumnProfile]) -> bool {
    let is_quantity = |column: &ColumnProfile| {
        let of_place = matches!(
            column.recognized.meaning(),
            Some(Meaning::PostalCode | Meaning::Latitude | Meaning::Longitude | Meaning::Time)
        );
        matches!(column.kind, Kind::Integer | Kind::Decimal)
            && column.distinct >= QUANTITY
            && column.missing == 0
            && !of_place
    };
    let published = || columns.iter().filter(|column| is_published(column));
    published().count() >= 2
        && published().all(is_quantity)
        && columns.iter().all(|column| column.role != Role::Subject)
}

/// Leaves columns out until few quasi-identifiers are left: those of least use to a reader first, among these those that tell people
/// apart best.
fn leave_out(columns: &mut [ColumnProfile]) {
    let is_quasi = |column: &ColumnProfile| column.role == Role::QuasiIdentifier;
    let mut quasi = columns.iter().filter(|column| is_quasi(column)).count();
    let postal = columns
        .iter()
        .any(|column| column.recognized.meaning() == Some(Meaning::PostalCode));
    let dispensable = |column: &ColumnProfile| match column.recognized.meaning() {
        None | Some(Meaning::RecordNumber) if column.recognized.pattern.is_none() => {
            Some(LeftOut::Unknown)
        }
        Some(meaning) if meaning.role() == Role::Sensitive => Some(LeftOut::NearlyUnique),
        Some(Meaning::Place) if postal => Some(LeftOut::Implied),
        Some(Meaning::Body) => Some(LeftOut::Rarely),
        _ => None,
    };
    let mut candidates: Vec<(LeftOut, usize)> = (0..columns.len())
        .filter(|&at| is_quasi(&columns[at]))
        .filter_map(|at| Some((dispensable(&columns[at])?, at)))
        .collect();
    candidates.sort_by(|&(why, a), &(other, b)| {
        why.cmp(&other)
            .then_with(|| columns[b].separation.total_cmp(&columns[a].separation))
            .then_with(|| a.cmp(&b))
    });
    for (why, at) in candidates {
        if quasi <= MOST_QUASI {
            break;
        }
        columns[at].left_out = Some(why);
        quasi -= 1;
    }
}
