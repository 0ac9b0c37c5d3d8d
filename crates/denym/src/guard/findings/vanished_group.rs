//! Vanished group: people with a value, or within a stretch of values, are in the source and hardly anybody of them in the release.
//!
//! # Idea
//!
//! Records that stand out are removed, and whoever stands out together vanishes together: everybody under 25, one small town. Counts and means
//! of the release are then wrong about them. For each column the values of which less than a tenth is left of what the release has left on
//! average are looked at; of numbers and dates neighbours are one stretch. A group counts from a few people on: a hundredth of all, at least 3, at
//! most 10, and more where so many records are removed that a group may vanish by chance. No value is named: the steward finds it by its
//! place in the order. Then every two columns are looked at together, numbers in eighths, for groups that neither shows alone: the oldest of
//! one district.

use std::collections::BTreeSet;

use denym_data::{Column, Kind};

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::After;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "vanished-group",
    place: 80,
    severity: Severity::Warning,
    about: About::Column,
    summary: "people with one value, within one stretch of values, or with two such together, were removed all but completely",
    advice: "allow less suppression or coarser levels, so that they are published with others, or tell the recipient who is missing",
    limits: "groups that three columns make together are not looked for; numbers are looked at in eighths where two columns make a group",
    recipient: Some(
        "people with some of its values were removed all but completely: the release says nothing about them",
    ),
    look: Look::After(look),
};

fn look(view: &After<'_>) -> Vec<Found> {
    let Some(class_of) = &view.fate.class_of else {
        return Vec::new();
    };
    let all = class_of.len();
    let left = class_of.iter().flatten().count();
    if left == all || left == 0 {
        return Vec::new();
    }
    let people = view.before.people;
    let everybody = people.map_or(all, |column| {
        column.codes.iter().collect::<BTreeSet<_>>().len()
    });
    let removed = 1.0 - left as f64 / all as f64;
    // So many removed by chance, and nobody left of a group of this size, is less likely than 1 in 20 for the whole column.
    let by_chance = (20.0 * everybody as f64).ln() / -removed.ln();
    #[expect(
        clippy::cast_sign_loss,
        reason = "a logarithm of more than one over that of a share"
    )]
    let by_chance = by_chance.ceil() as usize;
    let few = (everybody / 100).clamp(3, 10).max(by_chance);
    let columns: Vec<&Column> = view.before.columns.iter().map(|seen| seen.column).collect();
    let columns: Vec<&Column> = columns
        .into_iter()
        .filter(|column| column.codes.len() == all)
        .collect();
    let usual = left as f64 / all as f64;
    let mut found: Vec<Found> = columns
        .iter()
        .filter_map(|column| {
            let groups = groups(column, class_of, usual);
            let mut vanished: Vec<(usize, &Group)> = groups
                .iter()
                .map(|group| (size(group, column, people), group))
                .filter(|(size, _)| *size >= few)
                .collect();
            vanished.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
            let (size, group) = *vanished.first()?;
            let whom = if column.dictionary.kind() == Kind::Text {
                Said::new("finding.vanished-group.value").with("name", &column.name)
            } else {
                place(group, column)
            };
            let whom = whom.with("size", size).part("unit", view.before.unit());
            Some(Found::on(
                &column.name,
                told(whom, group.left, vanished.len() - 1),
            ))
        })
        .collect();
    found.extend(of_two(view, &columns, class_of, (usual, everybody)));
    found
}

/// What was seen of a group of which so much is left, and of how many others.
fn told(whom: Said, left: u64, others: usize) -> Said {
    let left = match left {
        0 => Said::new("finding.vanished-group.none"),
        1 => Said::new("finding.vanished-group.one"),
        left => Said::new("finding.vanished-group.some").with("left", left),
    };
    let further = match others {
        0 => {
            let said = Said::new("finding.vanished-group.reason");
            return said.part("whom", whom).part("left", left);
        }
        1 => Said::new("finding.vanished-group.another"),
        more => Said::new("finding.vanished-group.further").with("more", more),
    };
    Said::new("finding.vanished-group.reason-further")
        .part("whom", whom)
        .part("left", left)
        .part("further", further)
}

/// Stretches that an ordered column is cut into where two columns are looked at together.
const STRETCHES: usize = 8;

/// Values of a text that are looked at together with others; more are too few people each.
const MOST_VALUES: usize = 64;

/// Records times pairs of columns that are looked at.
const MOST_LOOKED_AT: usize = 1 << 26;

/// A column in a few parts, and whether a part is gone by itself.
struct Parted<'a> {
    column: &'a Column,
    part_of: Vec<u32>,
    gone: Vec<bool>,
}

impl<'a> Parted<'a> {
    fn of(column: &'a Column, class_of: &[Option<u32>], usual: f64) -> Option<Parted<'a>> {
        let codes = column.dictionary.len();
        let (mut before, mut after) = (vec![0_u64; codes], vec![0_u64; codes]);
        for (&code, class) in column.codes.iter().zip(class_of) {
            before[code as usize] += 1;
            after[code as usize] += u64::from(class.is_some());
        }
        let missing = column.dictionary.missing();
        let part_of: Vec<u32> = if column.dictionary.kind() == Kind::Text {
            if codes > MOST_VALUES {
                return None;
            }
            (0..codes as u32).collect()
        } else {
            let known = |code: u32| Some(code) != missing;
            let all: u64 = (0..codes as u32)
                .filter(|&code| known(code))
                .map(|code| before[code as usize])
                .sum();
            let mut so_far = 0;
            (0..codes as u32)
                .map(|code| {
                    if !known(code) {
                        return STRETCHES as u32;
                    }
                    let part = so_far * STRETCHES as u64 / all.max(1);
                    so_far += before[code as usize];
                    part as u32
                })
                .collect()
        };
        let parts = part_of.iter().max().map_or(0, |most| *most as usize + 1);
        if parts < 2 {
            return None;
        }
        let (mut was, mut is) = (vec![0_u64; parts], vec![0_u64; parts]);
        for (code, &part) in part_of.iter().enumerate() {
            was[part as usize] += before[code];
            is[part as usize] += after[code];
        }
        let gone = was.iter().zip(&is);
        let gone = gone.map(|(was, is)| (*is as f64) < *was as f64 * usual / 10.0);
        Some(Parted {
            column,
            part_of,
            gone: gone.collect(),
        })
    }

    fn part(&self, row: usize) -> usize {
        self.part_of[self.column.codes[row] as usize] as usize
    }
}

/// The largest group that only two columns together show, such as the oldest of one district.
fn of_two(
    view: &After<'_>,
    columns: &[&Column],
    class_of: &[Option<u32>],
    (usual, everybody): (f64, usize),
) -> Option<Found> {
    let parted: Vec<Parted<'_>> = columns
        .iter()
        .filter_map(|column| Parted::of(column, class_of, usual))
        .collect();
    let pairs: Vec<(&Parted<'_>, &Parted<'_>)> = (0..parted.len())
        .flat_map(|one| (one + 1..parted.len()).map(move |other| (one, other)))
        .take(MOST_LOOKED_AT / class_of.len().max(1))
        .map(|(one, other)| (&parted[one], &parted[other]))
        .collect();
    // As for one column, over all pairs and their cells.
    let chances = 20.0 * everybody as f64 * pairs.len().max(1) as f64 * STRETCHES as f64;
    let by_chance = (chances.ln() / -(1.0 - usual).ln()).ceil();
    let few = (everybody as f64 / 100.0).clamp(3.0, 10.0).max(by_chance);
    let people = view.before.people;
    let mut vanished: Vec<(usize, u64, &Parted<'_>, &Parted<'_>)> = Vec::new();
    for (one, other) in pairs {
        let width = other.gone.len();
        let mut cells = vec![(0_u64, 0_u64); one.gone.len() * width];
        for (row, class) in class_of.iter().enumerate() {
            let cell = &mut cells[one.part(row) * width + other.part(row)];
            cell.0 += 1;
            cell.1 += u64::from(class.is_some());
        }
        for (at, (was, is)) in cells.iter().enumerate() {
            let (a, b) = (at / width, at % width);
            // What one column shows alone is told there.
            let shown = one.gone[a] || other.gone[b];
            if shown || (*was as f64) < few || *is as f64 >= *was as f64 * usual / 10.0 {
                continue;
            }
            let rows =
                (0..class_of.len()).filter(|&row| one.part(row) == a && other.part(row) == b);
            let size = match people {
                None => *was as usize,
                Some(people) => rows
                    .map(|row| people.codes[row])
                    .collect::<BTreeSet<_>>()
                    .len(),
            };
            if size as f64 >= few {
                vanished.push((size, *is, one, other));
            }
        }
    }
    vanished.sort_by_key(|own| std::cmp::Reverse(own.0));
    let (size, left, one, other) = vanished.first()?;
    let whom = Said::new("finding.vanished-group.two")
        .with("size", size)
        .part("unit", view.before.unit())
        .with("one", &one.column.name)
        .with("other", &other.column.name);
    Some(Found::on(
        &one.column.name,
        told(whom, *left, vanished.len() - 1),
    ))
}

/// Neighbouring codes of which hardly anything is left.
struct Group {
    first: u32,
    last: u32,
    /// Records that are published.
    left: u64,
}

/// The groups of a column of which less than a tenth of the usual share is left.
fn groups(column: &Column, class_of: &[Option<u32>], usual: f64) -> Vec<Group> {
    let codes = column.dictionary.len();
    let (mut before, mut after) = (vec![0_u64; codes], vec![0_u64; codes]);
    for (&code, class) in column.codes.iter().zip(class_of) {
        before[code as usize] += 1;
        after[code as usize] += u64::from(class.is_some());
    }
    let ordered = column.dictionary.kind() != Kind::Text;
    let missing = column.dictionary.missing();
    let mut groups: Vec<Group> = Vec::new();
    let mut going_on = false;
    for code in 0..codes as u32 {
        let (was, is) = (before[code as usize], after[code as usize]);
        if was == 0 {
            // It does not occur, and its neighbours are neighbours.
            continue;
        }
        let gone = (is as f64) < was as f64 * usual / 10.0;
        match groups.last_mut().filter(|_| going_on && gone) {
            Some(group) => {
                group.last = code;
                group.left += is;
            }
            None if gone => groups.push(Group {
                first: code,
                last: code,
                left: is,
            }),
            None => {}
        }
        going_on = gone && ordered && Some(code) != missing;
    }
    groups
}

/// How many people a group has.
fn size(group: &Group, column: &Column, people: Option<&Column>) -> usize {
    let within = |code: u32| (group.first..=group.last).contains(&code);
    let rows = (0..).zip(&column.codes).filter(|(_, code)| within(**code));
    match people {
        None => rows.count(),
        Some(people) => rows
            .map(|(row, _): (usize, _)| people.codes[row])
            .collect::<BTreeSet<_>>()
            .len(),
    }
}

/// Where in the order of a column a group stands, in words.
fn place(group: &Group, column: &Column) -> Said {
    let missing = column.dictionary.missing();
    let name = &column.name;
    if Some(group.first) == missing {
        return Said::new("finding.vanished-group.missing").with("name", name);
    }
    let known = || column.codes.iter().filter(|code| Some(**code) != missing);
    let all = known().count().max(1);
    let percent = |many: usize| format!("{:.1}", 100.0 * many as f64 / all as f64);
    let below = known().filter(|code| **code < group.first).count();
    let above = known().filter(|code| **code > group.last).count();
    match (below, above) {
        (0, _) => Said::new("finding.vanished-group.lowest").with("share", percent(all - above)),
        (_, 0) => Said::new("finding.vanished-group.highest").with("share", percent(all - below)),
        _ => Said::new("finding.vanished-group.between")
            .with("below", percent(below))
            .with("above", percent(above)),
    }
    .with("name", name)
}
