//! Ready-made hierarchies, written from public facts: countries, ages, dates, postal codes, diagnoses, occupations.
//!
//! # Idea
//!
//! Each is a function from a value to its labels, finest first, and covers whatever the fact covers, not only what a table happens
//! to have. Spellings are forgiven (case, blanks, points, zeros that a spreadsheet took away); a value outside of the fact is not guessed.

mod ages;
mod countries;
mod days;
mod icd10;
mod isco08;
mod postcodes;

use super::Hierarchy;
use super::build::{of_levels, refused};
use crate::{Column, Error, HierarchyMistake};

/// A hierarchy that a policy can name.
pub struct ReadyMade {
    /// Its name in a policy.
    pub name: &'static str,
    /// What it is for, in one sentence.
    pub summary: &'static str,
    /// What each level above the values shows; `*` comes above them.
    pub levels: &'static [&'static str],
    /// A value and its labels, for those who read the list.
    pub example: &'static str,
    /// The public fact it was written from.
    pub source: &'static str,
    /// The labels of a value, one per level; `None` when it is outside.
    of: fn(&str) -> Option<Vec<String>>,
}

impl std::fmt::Debug for ReadyMade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadyMade")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Every ready-made hierarchy, by name.
static ALL: [ReadyMade; 8] = [
    ages::AGES,
    countries::COUNTRIES,
    days::DATES,
    postcodes::GERMAN,
    icd10::ICD10,
    isco08::ISCO08,
    days::WEEKS,
    postcodes::US,
];

impl ReadyMade {
    /// All of them, in the order of their names.
    pub fn all() -> &'static [ReadyMade] {
        &ALL
    }

    /// The one that is called so.
    pub fn named(name: &str) -> Option<&'static ReadyMade> {
        ALL.iter().find(|entry| entry.name == name)
    }

    /// The labels of a value from level 1 up, the top `*` not among them; `None` when the value is outside.
    pub fn labels(&self, value: &str) -> Option<Vec<String>> {
        (self.of)(value.trim())
    }
}

impl Hierarchy {
    /// The ready-made hierarchy of `column`; every value must be inside.
    pub fn ready_made(column: &Column, ready: &ReadyMade) -> Result<Hierarchy, Error> {
        let labels: Vec<Option<Vec<String>>> = column
            .dictionary
            .values()
            .map(|value| ready.labels(value))
            .collect();
        let outside: Vec<bool> = labels.iter().map(Option::is_none).collect();
        if let Some(found) = super::rows::uncovered(column, &outside) {
            return Err(refused(HierarchyMistake::Outside {
                name: ready.name,
                count: found.count,
                distinct: outside.len(),
                records: found.records,
                record: found.first,
            }));
        }
        let labels: Vec<Vec<String>> = labels.into_iter().flatten().collect();
        Ok(of_levels(&column.dictionary, ready.levels.len(), |level| {
            labels.iter().map(|row| row[level].clone()).collect()
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Values that the fact covers, all of them or one of each kind.
    fn samples(name: &str) -> Vec<String> {
        match name {
            "ages" => (0..=130).map(|age| age.to_string()).collect(),
            "countries" => countries::spellings().map(str::to_owned).collect(),
            "dates" | "iso-weeks" => (2015..2025)
                .flat_map(|year| (1..=12).map(move |month| (year, month)))
                .flat_map(|(year, month)| {
                    (1..=28).map(move |day| format!("{year}-{month:02}-{day:02}"))
                })
                .collect(),
            "german-postcodes" => (1001..99_998)
                .step_by(7)
                .map(|code| format!("{code:05}"))
                .collect(),
            "us-zip" => (500..99_999)
                .step_by(7)
                .map(|code| format!("{code:05}"))
                .collect(),
            "icd-10" => icd10::categories().collect(),
            _ => isco08::groups()
                .flat_map(|group| [format!("{group}11"), format!("{group}2")])
                .collect(),
        }
    }

    #[test]
    fn every_level_is_coarser_than_the_one_before() {
        for ready in ReadyMade::all() {
            let samples = samples(ready.name);
            let mut parents: HashMap<(usize, String), String> = HashMap::new();
            let mut nodes = vec![std::collections::HashSet::new(); ready.levels.len()];
            for value in &samples {
                let labels = ready.labels(value);
                let labels = labels.unwrap_or_else(|| panic!("{}: {value} is outside", ready.name));
                assert_eq!(labels.len(), ready.levels.len(), "{} {value}", ready.name);
                for (level, pair) in labels.windows(2).enumerate() {
                    let parent = parents
                        .entry((level, pair[0].clone()))
                        .or_insert_with(|| pair[1].clone());
                    assert_eq!(
                        *parent, pair[1],
                        "{}: {} has two parents",
                        ready.name, pair[0]
                    );
                }
                for (level, label) in labels.into_iter().enumerate() {
                    assert!(
                        !label.is_empty() && !label.contains(',') && label != "*",
                        "{label}"
                    );
                    nodes[level].insert(label);
                }
            }
            let counts: Vec<usize> = nodes.iter().map(std::collections::HashSet::len).collect();
            assert!(
                counts.is_sorted_by(|a, b| a > b),
                "{}: {counts:?}",
                ready.name
            );
            assert!(counts[counts.len() - 1] > 1, "{}", ready.name);
            let (value, shown) = ready.example.split_once(" > ").expect("an example");
            let labels = ready.labels(value).expect("the example is inside");
            assert_eq!(labels.join(" > "), shown, "{}", ready.name);
        }
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
    }

    fn check(name: &str, value: &str, expect: &str) {
        let labels = ReadyMade::named(name).expect("there").labels(value);
        assert_eq!(
            labels.map_or("-".into(), |labels| labels.join(" > ")),
            expect,
            "{name}: {value}"
        );
    }

    #[test]
    fn spellings_are_forgiven_and_guesses_are_not_made() {
        for value in [
            "DE",
            "deu",
            "Germany",
            "GERMANY",
            "Deutschland",
            " deutschland ",
        ] {
            check("countries", value, "Western Europe > Europe");
        }
        check("countries", "Österreich", "Western Europe > Europe");
        check("countries", "oesterreich", "Western Europe > Europe");
        check("countries", "St. Lucia", "Caribbean > Americas");
        check("countries", "Cote d'Ivoire", "Western Africa > Africa");
        check("countries", "Atlantis", "-");
        check("ages", "34", "30-34 > 30-39 > 20-39");
        check("ages", "34.7", "30-34 > 30-39 > 20-39");
        check("ages", "97", "90+ > 90+ > 80+");
        check("ages", "-1", "-");
        check("ages", "340", "-");
        check("dates", "2024-05-17", "2024-05 > 2024-Q2 > 2024");
        check("iso-weeks", "2021-01-03", "2020-W53 > 2020");
        check("iso-weeks", "2024-12-30", "2025-W01 > 2025");
        check(
            "german-postcodes",
            "1067",
            "010** > 01*** > 0**** Saxony and Thuringia",
        );
        check(
            "german-postcodes",
            "D-10115",
            "101** > 10*** > 1**** Berlin and the northeast",
        );
        check("german-postcodes", "00815", "-");
        check("us-zip", "2139", "021** > 0****");
        check("us-zip", "02139-4307", "021** > 0****");
        // Prefixes with few people are shown as one.
        check("us-zip", "03601", "000** > 000**");
        check("us-zip", "82190", "000** > 000**");
        check(
            "icd-10",
            "i21.0",
            "I21 > I20-I25 ischemic heart disease > I00-I99 circulation",
        );
        check(
            "icd-10",
            "I210",
            "I21 > I20-I25 ischemic heart disease > I00-I99 circulation",
        );
        check(
            "icd-10",
            "E10.30†",
            "E10 > E10-E14 diabetes > E00-E90 glands and metabolism",
        );
        check(
            "icd-10",
            "Y01",
            "Y01 > X85-Y09 assault > V01-Y99 outer causes",
        );
        check(
            "icd-10",
            "Z3A.20",
            "Z3A > Z30-Z39 reproduction > Z00-Z99 contacts with care",
        );
        check("icd-10", "A12", "-");
        check("icd-10", "flu", "-");
        check(
            "isco-08",
            "2211",
            "221* > 22 health professionals > 2 professionals",
        );
        check(
            "isco-08",
            "22",
            "22 health professionals > 22 health professionals > 2 professionals",
        );
        check(
            "isco-08",
            "110",
            "011* > 01 commissioned officers > 0 armed forces",
        );
        check("isco-08", "9999", "-");
        check("isco-08", "é", "-");
    }

    #[test]
    fn a_value_outside_is_an_error_that_counts() {
        let column = Column::from_texts("land", ["DE", "XX", "FR", "XX", "Mordor"].map(Some));
        let ready = ReadyMade::named("countries").unwrap();
        let error = Hierarchy::ready_made(&column, ready).unwrap_err();
        assert_eq!(error.code(), "hierarchy-outside");
        let text = error.to_string();
        assert!(
            text.contains("2 of the column's 4 distinct values"),
            "{text}"
        );
        assert!(
            text.contains("3 records") && text.contains("record 2"),
            "{text}"
        );
        assert!(!text.contains("Mordor"), "{text}");
        let column = Column::from_texts("land", [Some("DE"), None, Some("FR"), Some("US")]);
        let hierarchy = Hierarchy::ready_made(&column, ready).unwrap();
        assert_eq!(hierarchy.height(), 4);
        assert_eq!(
            hierarchy.levels()[2].labels,
            [Some("Europe".into()), Some("Americas".into()), None]
        );
    }
}
