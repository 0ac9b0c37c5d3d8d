//! The part a column probably plays, with the reasons for the guess.

use denym_data::{Kind, Role};

use super::ColumnProfile;
use crate::recognize::{Meaning, Pattern, meaning_of};

/// Values of a technical mark that tell nobody apart: at most so many, each shared by twenty records in the mean.
const FEW_MARKS: (usize, f64) = (20, 0.05);

/// Guesses the role of a column of a table with `records` records.
pub fn guess_role(column: &ColumnProfile, records: u64) -> (Role, Vec<String>) {
    if column.distinct == 0 {
        return because(Role::Insensitive, "it is empty");
    }
    if column.distinct == 1 && column.missing == 0 {
        return because(Role::Insensitive, "all records agree on it");
    }
    if let Some(reason) = column.recognized.names_people() {
        return because(Role::Identifier, reason);
    }
    if column.recognized.free_text {
        return because(Role::Identifier, "free text, in which anything may stand");
    }
    named(column, records)
        .or_else(|| shaped(column))
        .unwrap_or_else(|| unknown(column, records))
}

/// The role that a column's name tells, and the word that tells it.
pub fn named_role(name: &str) -> Option<(Role, String)> {
    meaning_of(name).map(|told| (told.meaning.role(), told.word))
}

/// What the name says, where the values do not speak against it.
fn named(column: &ColumnProfile, records: u64) -> Option<(Role, Vec<String>)> {
    let told = column.recognized.told.as_ref()?;
    let says = format!("its name says `{}`", told.word);
    let (role, more) = match told.meaning {
        Meaning::Person if column.distinction < 1.0 => (
            Role::Subject,
            "values come back in several records, as people do",
        ),
        Meaning::Person => (Role::Identifier, "every record has its own value"),
        Meaning::RecordNumber if column.distinction > 0.5 => {
            (Role::Identifier, "hardly two records share a value")
        }
        Meaning::RecordNumber => return None,
        Meaning::Technical
            if column.distinct <= FEW_MARKS.0 && column.distinction <= FEW_MARKS.1 =>
        {
            (Role::Insensitive, "nobody outside knows it")
        }
        Meaning::Technical => (
            Role::Identifier,
            "nobody needs it, and it tells records apart",
        ),
        meaning if meaning.role() == Role::Sensitive && column.nearly_unique(records) => {
            if column.kind.is_numeric() {
                (
                    Role::QuasiIdentifier,
                    "nearly every record has its own number, so it is published in ranges",
                )
            } else {
                (Role::Identifier, "nearly every record has its own text")
            }
        }
        meaning => return Some((meaning.role(), vec![says])),
    };
    Some((role, vec![says, more.to_owned()]))
}

/// What the values look like.
fn shaped(column: &ColumnProfile) -> Option<(Role, Vec<String>)> {
    let pattern = column.recognized.pattern?;
    let looks = format!("its values look like {}", pattern.name());
    Some(match pattern {
        Pattern::DiagnosisCode | Pattern::ItemList(_) | Pattern::Path => {
            because(Role::Sensitive, looks)
        }
        Pattern::Coordinates => because(Role::Identifier, format!("{looks}, which find a house")),
        _ => because(
            Role::QuasiIdentifier,
            format!("{looks}, which are easy to learn"),
        ),
    })
}

/// How well it tells people apart is all there is to go by.
fn unknown(column: &ColumnProfile, records: u64) -> (Role, Vec<String>) {
    if column.kind == Kind::Text && column.distinction > 0.9 {
        let share = column.distinction * 100.0;
        return because(
            Role::Identifier,
            format!("{share:.0} % of its values are distinct text"),
        );
    }
    if column.distinction >= 1.0 && column.kind == Kind::Integer {
        return because(Role::Identifier, "every record has its own number");
    }
    if column.kind == Kind::Decimal && !column.nearly_unique(records) {
        return because(
            Role::Sensitive,
            "a number with a fraction is measured, not known of others",
        );
    }
    because(
        Role::QuasiIdentifier,
        format!(
            "nothing says otherwise, and {} distinct values could be known to somebody",
            column.distinct
        ),
    )
}

fn because(role: Role, reason: impl Into<String>) -> (Role, Vec<String>) {
    (role, vec![reason.into()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use denym_data::{Column, Table};

    #[test]
    fn roles_have_reasons() {
        let texts = |name: &str, values: &[&str]| {
            Column::from_texts(
                name,
                values
                    .iter()
                    .map(|value| (!value.is_empty()).then_some(*value)),
            )
        };
        let table = Table::new(vec![
            texts("PatientId", &["7", "7", "8", "9"]),
            texts("contact", &["a@b.org", "a@b.org", "c@d.org", "e@f.org"]),
            texts("birthDate", &["1990-01-01", "1990-01-01", "1985-05-05", ""]),
            texts("diagnosis", &["flu", "flu", "hiv", "flu"]),
            texts("ward", &["a", "a", "b", "b"]),
            texts("source", &["x", "x", "x", "x"]),
            texts("remark", &["k", "l", "m", "n"]),
            texts("Löschkz", &["", "", "", ""]),
        ])
        .unwrap();
        let profile = crate::profile::profile(&table, 2);
        let roles: Vec<Role> = profile.columns.iter().map(|column| column.role).collect();
        assert_eq!(
            roles,
            [
                Role::Subject,
                Role::Identifier,
                Role::QuasiIdentifier,
                Role::Sensitive,
                Role::QuasiIdentifier,
                Role::Insensitive,
                Role::Identifier,
                Role::Insensitive,
            ]
        );
        assert!(
            profile
                .columns
                .iter()
                .all(|column| !column.reasons.is_empty())
        );
        assert_eq!(profile.columns[7].reasons, ["it is empty"]);
        assert_eq!(profile.columns[2].missing, 1);
        // Birth date and ward: 3 distinct tuples of 4 records, two of them unique.
        assert_eq!(profile.uniques, 2);
        assert_eq!(profile.combinations.best.len(), 3);
        assert!(profile.combinations.best[0].separation >= profile.combinations.best[2].separation);
    }
}
