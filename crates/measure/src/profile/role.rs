//! The part a column probably plays, with the reasons for the guess.

use denym_data::{Kind, Role};

use super::ColumnProfile;

/// Words in column names that tell a role. The first list with a match decides.
const WORDS: [(Role, &[&str]); 4] = [
    (
        Role::Identifier,
        &[
            "name",
            "firstname",
            "lastname",
            "surname",
            "fullname",
            "email",
            "mail",
            "phone",
            "mobile",
            "telephone",
            "ssn",
            "passport",
            "iban",
            "address",
            "street",
            "url",
            "ip",
            "username",
            "login",
            "signature",
        ],
    ),
    (
        Role::Sensitive,
        &[
            "disease",
            "diagnosis",
            "diagnoses",
            "illness",
            "condition",
            "treatment",
            "medication",
            "drug",
            "hiv",
            "salary",
            "income",
            "wage",
            "pay",
            "debt",
            "religion",
            "political",
            "party",
            "orientation",
            "conviction",
            "crime",
            "welfare",
            "disability",
            "score",
        ],
    ),
    (
        Role::QuasiIdentifier,
        &[
            "age",
            "sex",
            "gender",
            "birth",
            "birthdate",
            "birthday",
            "dob",
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "city",
            "town",
            "county",
            "state",
            "region",
            "country",
            "nationality",
            "native",
            "race",
            "ethnicity",
            "marital",
            "education",
            "degree",
            "occupation",
            "job",
            "profession",
            "workclass",
            "employer",
            "height",
            "weight",
            "language",
            "admission",
            "discharge",
            "date",
        ],
    ),
    (
        Role::Subject,
        &[
            "id", "pid", "uid", "patient", "person", "user", "customer", "client", "subject",
            "member", "student", "employee",
        ],
    ),
];

/// Guesses the role of a column of a table with `records` records.
pub fn guess_role(column: &ColumnProfile, records: u64) -> (Role, Vec<String>) {
    let mut reasons = Vec::new();
    let one_value = column.distinct <= 1 && column.missing == 0;
    if let Some(pattern) = column.pattern
        && pattern.identifies()
    {
        reasons.push(format!("its values look like {}", pattern.name()));
        return (Role::Identifier, reasons);
    }
    let words: Vec<String> = column
        .name
        .split(|c: char| !c.is_alphanumeric())
        .flat_map(split_camel)
        .map(str::to_lowercase)
        .collect();
    let told = WORDS.iter().find_map(|(role, list)| {
        words
            .iter()
            .find(|word| list.contains(&word.as_str()))
            .map(|word| (*role, word))
    });
    match told {
        Some((Role::Subject, word)) => {
            reasons.push(format!("its name says `{word}`"));
            if column.uniques < records && column.distinction < 1.0 {
                reasons.push("values come back in several records, as people do".into());
                return (Role::Subject, reasons);
            }
            reasons.push("every record has its own value".into());
            return (Role::Identifier, reasons);
        }
        Some((role, word)) if !one_value => {
            reasons.push(format!("its name says `{word}`"));
            return (role, reasons);
        }
        _ => {}
    }
    if one_value {
        reasons.push("all records agree on it".into());
        return (Role::Insensitive, reasons);
    }
    if let Some(pattern) = column.pattern {
        reasons.push(format!(
            "its values look like {}, which are easy to learn",
            pattern.name()
        ));
        return (Role::QuasiIdentifier, reasons);
    }
    if column.kind == Kind::Text && column.distinction > 0.9 {
        reasons.push(format!(
            "{:.0} % of its values are distinct text",
            column.distinction * 100.0
        ));
        return (Role::Identifier, reasons);
    }
    if column.distinction >= 1.0 && column.kind == Kind::Integer {
        reasons.push("every record has its own number".into());
        return (Role::Identifier, reasons);
    }
    reasons.push(format!(
        "nothing says otherwise, and {} distinct values could be known to somebody",
        column.distinct
    ));
    (Role::QuasiIdentifier, reasons)
}

/// `birthDate` as `birth` and `Date`.
fn split_camel(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut lower = false;
    for (at, c) in word.char_indices() {
        if c.is_uppercase() && lower {
            parts.push(&word[start..at]);
            start = at;
        }
        lower = c.is_lowercase();
    }
    parts.push(&word[start..]);
    parts
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
                Role::Identifier
            ]
        );
        assert!(
            profile
                .columns
                .iter()
                .all(|column| !column.reasons.is_empty())
        );
        assert_eq!(profile.columns[2].missing, 1);
        // Birth date and ward: 3 distinct tuples of 4 records, two of them unique.
        assert_eq!(profile.uniques, 2);
        assert_eq!(profile.combinations.len(), 3);
        assert!(profile.combinations[0].separation >= profile.combinations[2].separation);
        assert_eq!(split_camel("birthDateOf"), ["birth", "Date", "Of"]);
    }
}
