//! What a recipient needs to read a release: what each column shows, and what each published label means.
//!
//! A codebook is made from the policy and from what was written, and from nothing else: two sources that publish the same bytes under one
//! policy have the same codebook, so it tells nothing that the release does not. It counts nothing, and it names no value that the
//! release does not show; the leaves of a hierarchy are values of the source and stay out of it.

use std::cmp::Ordering;

use denym_data::sequences::Grid;
use denym_data::{DatePart, Decimal, End, NumberRange, Table};
use denym_policy::{AttributeSpec, HierarchySpec, Policy, Reach};

use crate::certificate::{Altered, ColumnRole, DataFile};

/// The name of the file, beside the certificate.
pub const FILE: &str = "codebook.json";

/// Labels of one column that are explained; the rule for the others stands beside them.
const MOST_LABELS: usize = 10_000;

/// Seconds from which on a time is taken to count from 1970: three years of them are more than any clock shows.
const DATED: i64 = 100_000_000;

/// The algorithm that publishes sensitive values along their taxonomy.
const PERSONALIZED: &str = "greedy-personalized";

/// What every column of a release shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Codebook {
    /// The columns of every file, in their order.
    pub columns: Vec<CodedColumn>,
}

/// What one column shows.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedColumn {
    /// The file it is in.
    pub file: String,
    /// Its name.
    pub name: String,
    /// The part it plays.
    pub role: ColumnRole,
    /// What the policy says of it.
    pub description: Option<String>,
    /// What stands in its cells.
    pub shows: Shows,
    /// How its values were changed beside being made coarser.
    pub altered: Vec<Altered>,
    /// The published labels that are no plain values, in their order.
    pub labels: Vec<CodedLabel>,
    /// Whether there are more such labels than are listed.
    pub more: bool,
}

/// What stands in the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shows {
    /// The values of the source.
    Values,
    /// The values of the source, or `*`.
    ValuesOrNothing,
    /// Numbers, or ranges of numbers.
    Ranges,
    /// Dates, or longer periods.
    Periods,
    /// Texts of which one end is shown.
    PartsOfTexts,
    /// Values, or names for several of them.
    Groups,
    /// Tokens in place of an identifier: of the whole release, or of one class.
    Tokens(Reach),
    /// Numbers of people: over the whole file, or anew in each class.
    People(Reach),
    /// Numbers of groups of records.
    GroupNumbers,
    /// How many records of a group have the value beside it.
    Counts,
    /// Places with their times.
    Paths,
    /// Places.
    Places,
    /// Cells of a grid of so many meters.
    Cells(f64),
    /// Times.
    Times,
    /// Slots of so many seconds.
    Slots(i64),
    /// Items, with what stands between several of them.
    Items(Option<char>),
    /// Institutions.
    Institutions,
}

/// A published label and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedLabel {
    /// As it is published; a missing value has none.
    pub label: Option<String>,
    /// What it means.
    pub meaning: Meaning,
}

/// What a label means.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// The value is missing.
    Missing,
    /// Nothing is shown.
    Hidden,
    /// A number between two.
    Range {
        /// The first number.
        from: String,
        /// The last number.
        to: String,
        /// Whether the last number is in the range.
        end_in: bool,
    },
    /// A day between two, both included.
    Period {
        /// The first day.
        from: String,
        /// The last day.
        to: String,
    },
    /// A text that begins so.
    Begins(String),
    /// A text that ends so.
    Ends(String),
    /// A value between two in an order that the publisher gave.
    Between {
        /// The first value.
        from: String,
        /// The last value.
        to: String,
    },
    /// A cell of the grid, by its edges in degrees.
    Cell {
        /// Degrees north of the southern edge.
        south: String,
        /// Degrees east of the western edge.
        west: String,
        /// Degrees north of the northern edge.
        north: String,
        /// Degrees east of the eastern edge.
        east: String,
    },
    /// Slots of time: from the beginning of the first up to the end of the last.
    Slot {
        /// The first second.
        from: i64,
        /// The second after the last.
        to: i64,
    },
}

impl Codebook {
    /// The codebook of `files`, which were written as `tables` under `policy`.
    pub fn new(policy: &Policy, files: &[DataFile], tables: &[Table]) -> Codebook {
        let mut columns = Vec::new();
        for (file, table) in files.iter().zip(tables) {
            for column in &file.columns {
                let spec = policy.attributes.iter().find(|a| a.name == column.name);
                let shows = shows(policy, column.role, spec);
                let (mut labels, more) = match table.column(&column.name) {
                    Some(own) => {
                        let missing = own.dictionary.missing().is_some();
                        labels(own.dictionary.values(), missing, shows, spec)
                    }
                    None => (Vec::new(), false),
                };
                // Labels stand here as they stand in the file.
                let written = file.written.as_ref();
                if let Some(notation) = written.and_then(|form| form.notations.get(&column.name)) {
                    for label in labels.iter_mut().filter_map(|own| own.label.as_mut()) {
                        *label = notation.written(label).into_owned();
                    }
                }
                columns.push(CodedColumn {
                    file: file.file.clone(),
                    name: column.name.clone(),
                    role: column.role,
                    description: spec.and_then(|spec| spec.description.clone()),
                    shows,
                    altered: Vec::new(),
                    labels,
                    more,
                });
            }
        }
        Codebook { columns }
    }

    /// Takes what a certificate says of changed columns; where a value is no record's own, no label explains it.
    pub fn tell(&mut self, altered: &[Altered]) {
        for column in &mut self.columns {
            let own = altered.iter().filter(|a| a.columns.contains(&column.name));
            column.altered = own.cloned().collect();
            if column
                .altered
                .iter()
                .any(|altered| !altered.true_of_records)
            {
                column
                    .labels
                    .retain(|label| label.meaning == Meaning::Missing);
            }
        }
    }
}

/// What stands in the cells of a column with this part.
fn shows(policy: &Policy, role: ColumnRole, spec: Option<&AttributeSpec>) -> Shows {
    let sequences = policy.sequences.as_ref();
    match role {
        ColumnRole::QuasiIdentifier if sequences.is_none() => {
            spec.map_or(Shows::ValuesOrNothing, |spec| generalized(&spec.hierarchy))
        }
        // A taxonomy is the judge's business, unless values are published along it.
        ColumnRole::Sensitive if policy.release.algorithm.name == PERSONALIZED => {
            spec.map_or(Shows::Values, |spec| generalized(&spec.hierarchy))
        }
        ColumnRole::QuasiIdentifier | ColumnRole::Sensitive | ColumnRole::Insensitive => {
            Shows::Values
        }
        ColumnRole::SubjectNumber if sequences.is_some() || spec.is_none() => {
            Shows::People(Reach::Release)
        }
        ColumnRole::SubjectNumber => Shows::People(Reach::Class),
        ColumnRole::Pseudonym => {
            let pseudonym = spec.and_then(|spec| spec.operations.pseudonym.as_ref());
            Shows::Tokens(pseudonym.map_or(Reach::Release, |pseudonym| pseudonym.per))
        }
        ColumnRole::Group => Shows::GroupNumbers,
        ColumnRole::Count => Shows::Counts,
        ColumnRole::Path => Shows::Paths,
        ColumnRole::Place => match sequences.and_then(|spec| spec.grid) {
            Some(meters) => Shows::Cells(meters),
            None => Shows::Places,
        },
        ColumnRole::Time => match sequences.and_then(|spec| spec.slot) {
            Some(seconds) => Shows::Slots(seconds),
            None => Shows::Times,
        },
        ColumnRole::Item => {
            let wide = sequences.filter(|spec| spec.columns.location.is_none());
            Shows::Items(wide.and_then(|spec| spec.separator))
        }
        ColumnRole::Institution => Shows::Institutions,
    }
}

/// What is left of values along a hierarchy.
fn generalized(hierarchy: &HierarchySpec) -> Shows {
    match hierarchy {
        HierarchySpec::Flat | HierarchySpec::Priority(..) => Shows::ValuesOrNothing,
        HierarchySpec::Intervals(_) | HierarchySpec::ReadyMade("ages") => Shows::Ranges,
        HierarchySpec::Dates(_) | HierarchySpec::ReadyMade("dates" | "iso-weeks") => Shows::Periods,
        HierarchySpec::Redaction(..) => Shows::PartsOfTexts,
        HierarchySpec::File(_) | HierarchySpec::Ordered(..) | HierarchySpec::ReadyMade(_) => {
            Shows::Groups
        }
    }
}

/// The labels of a column that are no plain values, in their order.
fn labels<'a>(
    values: impl Iterator<Item = &'a str>,
    missing: bool,
    shows: Shows,
    spec: Option<&AttributeSpec>,
) -> (Vec<CodedLabel>, bool) {
    let hierarchy = spec.map(|spec| &spec.hierarchy);
    let mut found: Vec<CodedLabel> = values
        .filter_map(|label| {
            let meaning = meaning(label, shows, hierarchy)?;
            Some(CodedLabel {
                label: Some(label.to_owned()),
                meaning,
            })
        })
        .collect();
    if missing && shows != Shows::Paths {
        found.push(CodedLabel {
            label: None,
            meaning: Meaning::Missing,
        });
    }
    found.sort_by(order);
    let more = found.len() > MOST_LABELS;
    found.truncate(MOST_LABELS);
    (found, more)
}

/// What a label of such a column means; nothing where it is a plain value.
fn meaning(label: &str, shows: Shows, hierarchy: Option<&HierarchySpec>) -> Option<Meaning> {
    let range = || {
        NumberRange::parse(label).map(|range| Meaning::Range {
            from: range.from.to_owned(),
            to: range.to.to_owned(),
            end_in: range.end_in,
        })
    };
    match shows {
        Shows::Cells(meters) => {
            let edges = Grid { meters }.edges(label)?;
            let degrees = |value: f64| format!("{value:.6}");
            Some(Meaning::Cell {
                south: degrees(edges.south),
                west: degrees(edges.west),
                north: degrees(edges.north),
                east: degrees(edges.east),
            })
        }
        Shows::Slots(seconds) => {
            let whole = |text: &str| text.parse::<i64>().ok();
            let (first, last) = match (whole(label), NumberRange::parse(label)) {
                (Some(slot), _) => (slot, slot),
                (None, Some(range)) => (whole(range.from)?, whole(range.to)?),
                (None, None) => return None,
            };
            Some(Meaning::Slot {
                from: first.checked_mul(seconds)?,
                to: last.checked_add(1)?.checked_mul(seconds)?,
            })
        }
        Shows::ValuesOrNothing
        | Shows::Ranges
        | Shows::Periods
        | Shows::PartsOfTexts
        | Shows::Groups => {
            if label == "*" {
                return Some(Meaning::Hidden);
            }
            match hierarchy {
                Some(HierarchySpec::Dates(parts)) => period(label, parts).or_else(range),
                Some(HierarchySpec::ReadyMade("dates")) => {
                    period(label, &DatePart::ALL.map(|(_, part)| part)).or_else(range)
                }
                Some(HierarchySpec::Redaction(End::Right, _)) if label.ends_with('*') => {
                    Some(Meaning::Begins(label.trim_end_matches('*').to_owned()))
                }
                Some(HierarchySpec::Redaction(End::Left, _)) if label.starts_with('*') => {
                    Some(Meaning::Ends(label.trim_start_matches('*').to_owned()))
                }
                Some(HierarchySpec::Ordered(..)) => {
                    let (from, to) = label.split_once(" to ")?;
                    Some(Meaning::Between {
                        from: from.to_owned(),
                        to: to.to_owned(),
                    })
                }
                _ => range(),
            }
        }
        Shows::Places | Shows::Times | Shows::Items(None) if label == "*" => Some(Meaning::Hidden),
        _ => None,
    }
}

/// The days of a part of a date.
fn period(label: &str, parts: &[DatePart]) -> Option<Meaning> {
    let has = |part: DatePart| parts.contains(&part);
    let year = |text: &str| {
        let digits = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| digits)
    };
    let days = |first: (u16, u8), last: (u16, u8)| {
        Some(Meaning::Period {
            from: format!("{:04}-{:02}-01", first.0, first.1),
            to: last_day(last),
        })
    };
    if let Some(whole) = year(label).filter(|_| has(DatePart::Year)) {
        return days((whole, 1), (whole, 12));
    }
    if let Some(decade) = label.strip_suffix('s').filter(|_| has(DatePart::Decade)) {
        // A decade of the first thousand years has fewer digits.
        let decade: u16 = decade.parse().ok()?;
        return days((decade, 1), (decade.checked_add(9)?, 12));
    }
    let (first, rest) = label.split_once('-')?;
    if let Some(quarter) = rest.strip_prefix('Q').filter(|_| has(DatePart::Quarter)) {
        let quarter: u8 = quarter.parse().ok().filter(|n| (1..=4).contains(n))?;
        let year = year(first)?;
        return days((year, 3 * quarter - 2), (year, 3 * quarter));
    }
    if rest.len() == 2 && has(DatePart::Month) {
        let month: u8 = rest.parse().ok().filter(|n| (1..=12).contains(n))?;
        let year = year(first)?;
        return days((year, month), (year, month));
    }
    if has(DatePart::Century) || has(DatePart::FiveYears) {
        let (from, to): (u16, u16) = (first.parse().ok()?, rest.parse().ok()?);
        return days((from, 1), (to, 12));
    }
    None
}

/// The last day of a month.
fn last_day((year, month): (u16, u8)) -> String {
    let written = |day: u8| format!("{year:04}-{month:02}-{day:02}");
    let known = (28..=31).rev().map(written);
    let mut known = known.filter(|day| denym_data::Date::parse(day).is_some());
    known.next().unwrap_or_else(|| written(28))
}

/// Ranges by their numbers, everything else by its text; what is not shown, and what is missing, at the end.
fn order(a: &CodedLabel, b: &CodedLabel) -> Ordering {
    let key = |label: &CodedLabel| match &label.meaning {
        Meaning::Range { from, to, .. } => {
            let number = |text: &str| Decimal::parse(text).map_or(0.0, Decimal::to_f64);
            (0, number(from), number(to))
        }
        Meaning::Slot { from, to } => (0, *from as f64, *to as f64),
        Meaning::Hidden => (2, 0.0, 0.0),
        Meaning::Missing => (3, 0.0, 0.0),
        _ => (1, 0.0, 0.0),
    };
    let ((class, low, high), (other, from, to)) = (key(a), key(b));
    class
        .cmp(&other)
        .then(low.total_cmp(&from))
        .then(high.total_cmp(&to))
        .then_with(|| a.label.cmp(&b.label))
}

/// A second of a slot as people write it: a day and a time where it counts from 1970, else `None`.
pub fn instant(second: i64) -> Option<String> {
    if second < DATED {
        return None;
    }
    let (day, clock) = (second.div_euclid(86_400), second.rem_euclid(86_400));
    let date = date_of(day);
    Some(format!(
        "{date} {:02}:{:02}:{:02}",
        clock / 3600,
        clock / 60 % 60,
        clock % 60
    ))
}

/// The date of a day since 1970 (Howard Hinnant's civil calendar arithmetic, backwards).
fn date_of(day: i64) -> String {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &[&str], hierarchy: HierarchySpec) -> Vec<(String, Meaning)> {
        let mut spec = AttributeSpec::plain("a".into(), 0..0, denym_data::Role::QuasiIdentifier);
        spec.hierarchy = hierarchy;
        let shows = generalized(&spec.hierarchy);
        let (found, more) = super::labels(labels.iter().copied(), true, shows, Some(&spec));
        assert!(!more);
        let text = |label: CodedLabel| (label.label.unwrap_or_default(), label.meaning);
        found.into_iter().map(text).collect()
    }

    #[test]
    fn ranges_go_by_their_numbers_and_stars_come_last() {
        let found = of(
            &["*", "0-3", "16-31", "8-15", "4-7", "3"],
            HierarchySpec::Intervals(Vec::new()),
        );
        let names: Vec<&str> = found.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(names, ["0-3", "4-7", "8-15", "16-31", "*", ""]);
        assert_eq!(found[4].1, Meaning::Hidden);
        assert_eq!(found[5].1, Meaning::Missing);
    }

    #[test]
    fn parts_of_dates_are_whole_days() {
        let parts = DatePart::ALL.map(|(_, part)| part).to_vec();
        let found = of(
            &[
                "2024-02",
                "2023-Q4",
                "1999",
                "1980s",
                "1900-1999",
                "2024-02-29",
            ],
            HierarchySpec::Dates(parts),
        );
        let days = |label: &str| {
            let found = found.iter().find(|(own, _)| own == label);
            match found.map(|(_, meaning)| meaning) {
                Some(Meaning::Period { from, to }) => format!("{from} {to}"),
                _ => String::new(),
            }
        };
        assert_eq!(days("2024-02"), "2024-02-01 2024-02-29");
        assert_eq!(days("2023-Q4"), "2023-10-01 2023-12-31");
        assert_eq!(days("1999"), "1999-01-01 1999-12-31");
        assert_eq!(days("1980s"), "1980-01-01 1989-12-31");
        assert_eq!(days("1900-1999"), "1900-01-01 1999-12-31");
        // A plain date means itself.
        assert!(found.iter().all(|(label, _)| label != "2024-02-29"));
    }

    #[test]
    fn texts_keep_an_end() {
        let found = of(
            &["021**", "*", "02139"],
            HierarchySpec::Redaction(End::Right, 1),
        );
        assert_eq!(found[0], ("021**".into(), Meaning::Begins("021".into())));
        assert_eq!(found[1].1, Meaning::Hidden);
        let found = of(&["**9"], HierarchySpec::Redaction(End::Left, 1));
        assert_eq!(found[0].1, Meaning::Ends("9".into()));
    }

    #[test]
    fn slots_are_seconds_and_dates() {
        let slot = |label| meaning(label, Shows::Slots(7200), None);
        let hours = Meaning::Slot {
            from: 168_457 * 7200,
            to: 168_458 * 7200,
        };
        assert_eq!(slot("168457"), Some(hours));
        assert_eq!(
            instant(168_457 * 7200).as_deref(),
            Some("2008-06-08 02:00:00")
        );
        assert_eq!(instant(86_399), None);
        let wider = slot("10-11");
        assert_eq!(
            wider,
            Some(Meaning::Slot {
                from: 72_000,
                to: 86_400
            })
        );
        for day in [0, 59, 60, 11_016, 19_782, 19_783, 40_000] {
            let date = denym_data::Date::parse(&date_of(day)).expect("a date");
            assert_eq!(date.days(), day);
        }
    }
}
