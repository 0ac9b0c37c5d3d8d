//! The attacks that need nothing but a release: everybody's quasi-identifiers are known, and classes tell the rest.
//!
//! # Idea
//!
//! The adversary who knows all quasi-identifiers of everybody finds the victim's class. *Linkage* guesses the record in it;
//! *homogeneity* reads off a sensitive value that all of it share; *background knowledge* rules one other value out first;
//! *skewness* looks for a value that is much likelier in the class than overall; *proximity* for a narrow range of numbers.
//!
//! Where sensitive values belong to groups of records with their quasi-identifiers as they are, a record is found by these, and
//! the values that its group has are all that is learned of it.
//!
//! Who knows at most m quasi-identifiers knows any m of them: everybody is attacked through the set of m columns that is
//! worst for them, and the smaller sets as well, as far as they can all be tried.
//!
//! # Cost
//!
//! Linear in the records for each set of columns that may be known.

use denym_attack::{Coverage, Evidence, SplitMix64};
use denym_data::Table;
use denym_measure::{Classes, Histogram, Roles};
use serde_json::{Value, json};

use super::finding::Finding;
use crate::policy::Knowledge;

/// A value this many times likelier in the class than overall is a skewness attack's success.
pub(crate) const GAIN: f64 = 5.0;

/// Numbers within this share of the range of all are close.
const CLOSE: f64 = 0.1;

/// The most classes that are named as the worst.
const WORST: usize = 10;

/// The most records that are named of one class.
const NAMED: usize = 20;

/// Sets of columns times records that are grouped at most; beyond that sets are drawn.
const MOST_GROUPED: usize = 40_000_000;

/// The most sets of columns that are tried.
const MOST_SETS: usize = 600;

/// A table as the attacks see it.
pub(crate) struct Attacked<'a> {
    /// The table.
    pub(crate) table: &'a Table,
    /// What its columns are.
    pub(crate) roles: Roles,
    /// The column of groups, where sensitive values belong to groups instead of records.
    pub(crate) groups: Option<usize>,
    /// Its classes over all quasi-identifiers, or over groups if it has them, where they are at hand.
    pub(crate) classes: Option<&'a Classes>,
}

impl Attacked<'_> {
    /// Classes of equal values of `columns`.
    fn classes_by(&self, columns: &[usize]) -> Classes {
        let roles = Roles {
            quasi: columns.to_vec(),
            ..self.roles.clone()
        };
        Classes::of(self.table, &roles)
    }
}

/// The sets of quasi-identifiers (by position) that an adversary may know, and whether these are all of them.
pub(crate) fn known_sets(
    knows: Knowledge,
    quasi: usize,
    records: usize,
    seed: u64,
) -> (Vec<Vec<usize>>, Coverage) {
    let all: Vec<usize> = (0..quasi).collect();
    let most = match knows {
        Knowledge::AtMost(most) if most < quasi => most.max(1),
        _ => return (vec![all], Coverage::Exhaustive),
    };
    let room = (MOST_GROUPED / records.max(1)).clamp(8, MOST_SETS);
    let mut sets = Vec::new();
    let mut complete = true;
    'sizes: for size in (1..=most).rev() {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            if sets.len() > room {
                complete = false;
                break 'sizes;
            }
            sets.push(chosen.clone());
            // The next combination in order.
            let Some(at) = (0..size).rev().find(|&at| chosen[at] < quasi - size + at) else {
                break;
            };
            chosen[at] += 1;
            for next in at + 1..size {
                chosen[next] = chosen[next - 1] + 1;
            }
        }
        if size == most && sets.len() > room / 2 {
            // All sets of the full size are tried; smaller ones add little and there is no room for them.
            complete = size == 1;
            break;
        }
    }
    if complete {
        return (sets, Coverage::Exhaustive);
    }
    if sets.len() <= room {
        return (sets, Coverage::Sampled { seed });
    }
    let mut rng = SplitMix64::new(seed);
    let mut drawn: Vec<Vec<usize>> = (0..room).map(|_| rng.distinct(most, quasi)).collect();
    drawn.sort_unstable();
    drawn.dedup();
    (drawn, Coverage::Sampled { seed })
}

/// One attack over all sets of columns: everybody's best chance, and the classes in which it succeeds best.
struct Tally {
    chance: Vec<f64>,
    worst: Vec<Worst>,
}

/// A class in which an attack succeeds.
struct Worst {
    chance: f64,
    people: u64,
    columns: Vec<usize>,
    rows: Vec<u32>,
}

impl Tally {
    fn new(records: usize) -> Self {
        Self {
            chance: vec![0.0; records],
            worst: Vec::new(),
        }
    }

    fn add(&mut self, classes: &Classes, columns: &[usize], of: &dyn Fn(usize) -> Option<f64>) {
        for class in 0..classes.len() {
            let Some(chance) = of(class) else {
                continue;
            };
            let rows = classes.rows(class);
            for &row in rows {
                let best = &mut self.chance[row as usize];
                *best = best.max(chance);
            }
            let worse = |other: &Worst| other.chance < chance;
            if self.worst.len() < WORST || self.worst.last().is_some_and(worse) {
                let at = self.worst.partition_point(|other| other.chance >= chance);
                let found = Worst {
                    chance,
                    people: classes.subjects()[class],
                    columns: columns.to_vec(),
                    rows: rows.iter().take(NAMED).copied().collect(),
                };
                self.worst.insert(at, found);
                self.worst.truncate(WORST);
            }
        }
    }
}

/// Runs every attack that applies, on the source and on the release; `names` are the sensitive attributes in the order of
/// both tables' roles.
pub(crate) fn on_classes(
    before: &Attacked<'_>,
    after: &Attacked<'_>,
    names: &[String],
    knows: Knowledge,
    seed: u64,
) -> Vec<Finding> {
    let records = before.table.records().max(after.table.records());
    let (sets, coverage) = known_sets(knows, after.roles.quasi.len(), records, seed);
    let (was, is) = rayon::join(
        || tallies(before, &sets, names.len()),
        || tallies(after, &sets, names.len()),
    );
    let quasi = match knows {
        Knowledge::AtMost(most) if most < after.roles.quasi.len() => {
            format!("any {most} of everybody's quasi-identifiers, and who is in the data")
        }
        _ => "everybody's quasi-identifiers, and who is in the data".to_owned(),
    };
    let note = match coverage {
        Coverage::Sampled { .. } => format!(
            "{} of the sets of columns that may be known were tried; a set that was not may be worse.",
            sets.len()
        ),
        Coverage::Exhaustive => String::new(),
    };
    let mut findings = Vec::new();
    let mut add = |(attack, bounded, more): (&'static str, bool, &str),
                   attribute: Option<&String>,
                   was: &Tally,
                   is: &Tally| {
        findings.push(Finding {
            attack,
            attribute: attribute.cloned(),
            knows: format!("{quasi}{more}"),
            bounded,
            before: Some(evidence(attack, before, was, &sets, coverage)),
            after: evidence(attack, after, is, &sets, coverage),
            note: note.clone(),
            worst: is
                .worst
                .iter()
                .map(|worst| victim(after.table, worst))
                .collect(),
        });
    };
    add(("linkage", true, ""), None, &was.linkage, &is.linkage);
    for (position, name) in names.iter().enumerate() {
        let (was, is) = (&was.each[position], &is.each[position]);
        let value = ", and one sensitive value that the person does not have";
        add(
            ("homogeneity", true, ""),
            Some(name),
            &was.homogeneity,
            &is.homogeneity,
        );
        add(
            ("background-knowledge", false, value),
            Some(name),
            &was.background,
            &is.background,
        );
        add(
            ("skewness", false, ""),
            Some(name),
            &was.skewness,
            &is.skewness,
        );
        if let (Some(was), Some(is)) = (&was.proximity, &is.proximity) {
            add(("proximity", false, ""), Some(name), was, is);
        }
    }
    findings
}

/// A sum of weights as a number of people.
#[allow(
    clippy::cast_sign_loss,
    reason = "weights are not negative, and neither is their sum"
)]
fn whole(people: f64) -> u64 {
    people.round() as u64
}

/// The share of the people, from the best chance of each record.
fn evidence(
    attack: &'static str,
    attacked: &Attacked<'_>,
    tally: &Tally,
    sets: &[Vec<usize>],
    coverage: Coverage,
) -> Evidence {
    // With one set of columns a class counts its people; with several, records are what everybody has in common.
    let weights: Option<Vec<f64>> = match (sets.len(), attacked.classes) {
        (1, Some(classes)) => {
            let mut weights = vec![0.0; attacked.table.records()];
            for class in 0..classes.len() {
                let rows = classes.rows(class);
                let each = classes.subjects()[class] as f64 / rows.len() as f64;
                for &row in rows {
                    weights[row as usize] = each;
                }
            }
            Some(weights)
        }
        _ => None,
    };
    let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
    let (mut hits, mut certain, mut people) = (0.0, 0.0, 0.0);
    for (row, &chance) in tally.chance.iter().enumerate() {
        hits += weight(row) * chance;
        people += weight(row);
        if chance >= 1.0 {
            certain += weight(row);
        }
    }
    let rate = if people == 0.0 { 0.0 } else { hits / people };
    Evidence {
        attack,
        attempts: whole(people),
        successes: whole(certain),
        rate,
        // Every record is counted; where sets of columns were drawn, the note says so.
        interval: (rate, rate),
        coverage,
    }
}

/// A class as the steward's document names it.
fn victim(table: &Table, worst: &Worst) -> Value {
    let first = worst.rows.first().copied().unwrap_or(0) as usize;
    let shown: serde_json::Map<String, Value> = worst
        .columns
        .iter()
        .map(|&at| {
            let column = &table.columns()[at];
            (column.name.clone(), json!(column.text(first)))
        })
        .collect();
    json!({
        "chance": worst.chance,
        "people": worst.people,
        "quasi_identifiers": shown,
        "records": worst.rows.iter().map(|row| row + 1).collect::<Vec<u32>>(),
    })
}

struct Tallies {
    linkage: Tally,
    each: Vec<OfAttribute>,
}

struct OfAttribute {
    homogeneity: Tally,
    background: Tally,
    skewness: Tally,
    proximity: Option<Tally>,
}

fn tallies(attacked: &Attacked<'_>, sets: &[Vec<usize>], attributes: usize) -> Tallies {
    let records = attacked.table.records();
    let numbers: Vec<Option<Vec<Option<f64>>>> = attacked.roles.sensitive[..attributes]
        .iter()
        .map(|&column| numbers(attacked.table, column))
        .collect();
    let mut found = Tallies {
        linkage: Tally::new(records),
        each: numbers
            .iter()
            .map(|numbers| OfAttribute {
                homogeneity: Tally::new(records),
                background: Tally::new(records),
                skewness: Tally::new(records),
                proximity: numbers.as_ref().map(|_| Tally::new(records)),
            })
            .collect(),
    };
    for set in sets {
        let quasi: Vec<usize> = set.iter().map(|&at| attacked.roles.quasi[at]).collect();
        let own;
        let classes = match attacked.classes {
            Some(whole) if attacked.groups.is_none() && quasi == attacked.roles.quasi => whole,
            _ => {
                own = attacked.classes_by(&quasi);
                &own
            }
        };
        found.linkage.add(classes, &quasi, &|class| {
            Some(1.0 / classes.subjects()[class] as f64)
        });
        if attacked.groups.is_none() {
            infer(&mut found.each, classes, &quasi, &numbers);
        }
    }
    if let Some(group) = attacked.groups {
        let own;
        let classes = if let Some(classes) = attacked.classes {
            classes
        } else {
            own = attacked.classes_by(&[group]);
            &own
        };
        infer(&mut found.each, classes, &[group], &numbers);
    }
    // A value follows for certain or with the chance that skewness found; success itself is counted, not the chance.
    for each in &mut found.each {
        for chance in &mut each.skewness.chance {
            *chance = f64::from(u8::from(*chance > 0.0));
        }
    }
    found
}

/// Attacks every sensitive attribute through `classes`, which equal values of `columns` make.
fn infer(
    found: &mut [OfAttribute],
    classes: &Classes,
    columns: &[usize],
    numbers: &[Option<Vec<Option<f64>>>],
) {
    for (position, each) in found.iter_mut().enumerate() {
        let of = |class: usize| classes.histogram(position, class);
        each.homogeneity.add(classes, columns, &|class| {
            (of(class).counts.len() == 1).then_some(1.0)
        });
        each.background.add(classes, columns, &|class| {
            (of(class).counts.len() <= 2).then_some(1.0)
        });
        let overall = overall(classes, position);
        each.skewness
            .add(classes, columns, &|class| skewed(of(class), &overall));
        if let (Some(tally), Some(numbers)) = (&mut each.proximity, &numbers[position]) {
            let close = range(numbers.iter().flatten().copied()) * CLOSE;
            tally.add(classes, columns, &|class| {
                let here = of(class).counts.iter();
                let here = here.map(|&(value, _)| numbers.get(value as usize).copied().flatten());
                let here: Option<Vec<f64>> = here.collect();
                here.is_some_and(|here| range(here.into_iter()) <= close)
                    .then_some(1.0)
            });
        }
    }
}

/// The numbers of a column's codes; `None` unless all its values are numbers, and not all the same.
fn numbers(table: &Table, column: usize) -> Option<Vec<Option<f64>>> {
    let dictionary = &table.columns()[column].dictionary;
    let texts: Vec<&str> = (0..dictionary.len() as u32)
        .map(|code| dictionary.text(code).unwrap_or_default().trim())
        .collect();
    let numbers: Vec<Option<f64>> = texts.iter().map(|text| text.parse().ok()).collect();
    let all = texts
        .iter()
        .zip(&numbers)
        .all(|(text, number)| text.is_empty() || number.is_some_and(f64::is_finite));
    (all && range(numbers.iter().flatten().copied()) > 0.0).then_some(numbers)
}

fn range(numbers: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    (high - low).max(0.0)
}

/// Counts of each value over all classes, and their sum.
fn overall(classes: &Classes, attribute: usize) -> (Vec<u64>, u64) {
    let mut counts: Vec<u64> = Vec::new();
    let mut total = 0;
    for class in 0..classes.len() {
        for &(value, count) in classes.histogram(attribute, class).counts {
            let at = value as usize;
            if counts.len() <= at {
                counts.resize(at + 1, 0);
            }
            counts[at] += count;
            total += count;
        }
    }
    (counts, total)
}

/// The largest confidence in a value that is [`GAIN`] times likelier here than overall.
fn skewed(histogram: Histogram<'_>, (overall, total): &(Vec<u64>, u64)) -> Option<f64> {
    histogram
        .counts
        .iter()
        .map(|&(value, count)| {
            let here = count as f64 / histogram.total as f64;
            (here, here * *total as f64 / overall[value as usize] as f64)
        })
        .filter(|&(_, gain)| gain >= GAIN)
        .map(|(here, _)| here)
        .reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_columns() {
        let sets = |knows, quasi, records| known_sets(knows, quasi, records, 1);
        assert_eq!(
            sets(Knowledge::QuasiIdentifiers, 3, 10),
            (vec![vec![0, 1, 2]], Coverage::Exhaustive)
        );
        let (two, coverage) = sets(Knowledge::AtMost(2), 3, 10);
        assert_eq!(
            (two.len(), coverage),
            (6, Coverage::Exhaustive),
            "three pairs and three columns"
        );
        assert_eq!(sets(Knowledge::AtMost(5), 3, 10).0, [[0, 1, 2]]);
        // 15,504 sets of five out of twenty columns: drawn.
        let (many, coverage) = sets(Knowledge::AtMost(5), 20, 1_000);
        assert_eq!(coverage, Coverage::Sampled { seed: 1 });
        assert!(many.len() > 500 && many.iter().all(|set| set.len() == 5));
    }
}
