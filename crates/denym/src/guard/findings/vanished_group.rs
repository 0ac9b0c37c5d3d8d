//! Vanished group: people with a value, or within a stretch of values, are in the source and hardly anybody of them in the release.
//!
//! # Idea
//!
//! Records that stand out are removed, and whoever stands out together vanishes together: everybody under 25, one small town. Counts and means
//! of the release are then wrong about them. For each column the values of which less than a tenth is left of what the release has left on
//! average are looked at; of numbers and dates neighbours are one stretch. A group counts from a few people on: a hundredth of all, at least 3, at
//! most 10, and more where so many records are removed that a group may vanish by chance. No value is named: the steward finds it by its
//! place in the order.

use std::collections::BTreeSet;

use denym_data::{Column, Kind};

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::view::After;
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "vanished-group",
    place: 80,
    severity: Severity::Warning,
    about: About::Column,
    summary: "people with one value, or within one stretch of values, were removed all but completely",
    advice: "allow less suppression or coarser levels, so that they are published with others, or tell the recipient who is missing",
    limits: "groups that two columns make together, such as young women, are not looked for",
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
    let columns = view.before.columns.iter().map(|seen| seen.column);
    columns
        .filter(|column| column.codes.len() == all)
        .filter_map(|column| {
            let groups = groups(column, class_of, left as f64 / all as f64);
            let mut vanished: Vec<(usize, &Group)> = groups
                .iter()
                .map(|group| (size(group, column, people), group))
                .filter(|(size, _)| *size >= few)
                .collect();
            vanished.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
            let (size, group) = *vanished.first()?;
            let unit = view.before.unit();
            let whom = if column.dictionary.kind() == Kind::Text {
                format!("{size} {unit} with one value of `{}`", column.name)
            } else {
                format!("{size} {unit} {}", place(group, column))
            };
            let left = match group.left {
                0 => "none of their records is published".to_owned(),
                1 => "1 of their records is published".to_owned(),
                left => format!("{left} of their records are published"),
            };
            let further = match vanished.len() - 1 {
                0 => String::new(),
                1 => "; so it is with another group".to_owned(),
                more => format!("; so it is with {more} further groups"),
            };
            let reason = format!("{whom} are in the source, and {left}{further}");
            Some(Found::on(&column.name, reason))
        })
        .collect()
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
fn place(group: &Group, column: &Column) -> String {
    let missing = column.dictionary.missing();
    if Some(group.first) == missing {
        return format!("without a `{}`", column.name);
    }
    let known = || column.codes.iter().filter(|code| Some(**code) != missing);
    let all = known().count().max(1);
    let percent = |many: usize| 100.0 * many as f64 / all as f64;
    let below = known().filter(|code| **code < group.first).count();
    let above = known().filter(|code| **code > group.last).count();
    let name = &column.name;
    match (below, above) {
        (0, _) => format!(
            "with the lowest `{name}`, {:.1} % of all,",
            percent(all - above)
        ),
        (_, 0) => format!(
            "with the highest `{name}`, {:.1} % of all,",
            percent(all - below)
        ),
        _ => format!(
            "with a `{name}` between the lowest {:.1} % and the highest {:.1} %",
            percent(below),
            percent(above)
        ),
    }
}
