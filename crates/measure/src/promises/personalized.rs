//! Personalized privacy: each person names a node of the sensitive taxonomy that must not be inferred about them.
//!
//! # Idea
//!
//! Alice guards *infectious disease*: people may learn that she is ill, but not that it is one of the values under that node with more than
//! the allowed probability. The breach probability of a guard in a group is the share of the group whose value lies
//! under the guarded node. The group carries the guards as one more histogram, over the column that names them; a missing guard
//! guards nothing.
//!
//! # Guarantee
//!
//! For every person, the values under their own guarding node hold for at most the given share of their group.
//!
//! # Reference
//!
//! X. Xiao and Y. Tao, "Personalized privacy preservation", SIGMOD 2006. Survey section 2.2.
//!
//! # Departures
//!
//! Not monotone, not even without suppression: a group in which nobody guards *HIV* may consist of nothing else, and then merging it with
//! Alice's group exposes her. The original's SA-generalization (publishing an ancestor of the sensitive value) belongs
//! to a solver; here the values are judged as they are published. A node with no value of the data under it could never be
//! breached, but it is refused like a misspelled one: a guard that silently guards nothing would be worse.
//!
//! # Example
//!
//! ```
//! use denym_data::{Column, Fraction, Hierarchy};
//! use denym_measure::{Group, Histogram, Promise, promises::PersonalizedPrivacy};
//!
//! // Two of three have an infection; one of them guards the whole branch, another only the leaf HIV.
//! let disease = Column::from_texts("disease", [Some("flu"), Some("HIV"), Some("asthma")]);
//! let tree = ["flu,infection,any", "HIV,infection,any", "asthma,lung,any"];
//! let rows: Vec<Vec<Option<String>>> =
//!     tree.iter().map(|row| row.split(',').map(|label| Some(label.to_owned())).collect()).collect();
//! let nodes = Column::from_texts("guard", [Some("infection"), Some("HIV"), None]);
//! let at_most = |n| Fraction::new(n, 3).unwrap();
//! let codes = |column: &Column| -> Vec<(u32, u64)> { (0..3).map(|code| (column.codes[code as usize], 1)).collect() };
//! let (mut shown, mut guards) = (codes(&disease), codes(&nodes));
//! shown.sort_unstable();
//! guards.sort_unstable();
//! let sensitive = [Histogram::new(&shown), Histogram::new(&guards)];
//! let group = Group::new(3, 3, &sensitive);
//! let promise = |bound| {
//!     // Codes of a column are in the order of its dictionary, so the taxonomy is listed in that order.
//!     let order: Vec<usize> = (0..3)
//!         .map(|code| tree.iter().position(|row| row.split(',').next() == disease.dictionary.text(code)).unwrap())
//!         .collect();
//!     let rows: Vec<Vec<Option<String>>> = order.iter().map(|&at| rows[at].clone()).collect();
//!     PersonalizedPrivacy::new(0, 1, bound, &disease, &Hierarchy::from_labels(&rows), &nodes).unwrap()
//! };
//! assert!(promise(at_most(2)).admits(&group));
//! assert!(!promise(at_most(1)).admits(&group), "infection holds for two of three");
//! ```

use std::cmp::Ordering;

use denym_data::{Code, Column, Fraction, Hierarchy, gcd};

use crate::catalogue::{ATTRIBUTE, Linkage, NEVER, PromiseEntry, Takes, takes};
use crate::exact::compare_products;
use crate::{Classes, Error, Group, Parameters, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "personalized-privacy",
    place: 210,
    in_policy: Some(("personalized-privacy", "{ ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("guards", Takes::Hidden, "column of guarding nodes").like("\"guard\""),
        takes("taxonomy", Takes::OfTheAttribute, "tree of the values"),
        takes("at-most", Takes::Share, "largest breach probability").like("0.5"),
    ],
    sense: Sense::AtMost,
    monotone: NEVER,
    description: "each person's own guarding node holds for at most the given share of their group",
    sentence: "What each person asked to be guarded in {secret} can be concluded with a certainty of {asked}.",
    formula: "for each person: share of their group below their guarding node <= at-most",
    limits: "needs guarding nodes that do not depend on the value; they are never published",
    reference: "Xiao and Tao, Personalized privacy preservation, 2006",
    bound: "at-most",
    build,
    ..PromiseEntry::BASE
}];

fn build(asked: &Parameters<'_>) -> Result<Box<dyn Promise>, &'static str> {
    let position = asked.position()?;
    let (guards, nodes) = asked.guards()?;
    let taxonomy = asked.taxonomy("guarding nodes need a taxonomy")?;
    let promise = PersonalizedPrivacy::new(
        position,
        guards,
        asked.number("at-most"),
        &asked.attribute()?.as_column(),
        taxonomy,
        &nodes.as_column(),
    );
    Ok(Box::new(
        promise.map_err(|_| "a guarding node is not in the taxonomy")?,
    ))
}

/// The share of a group under any of its guarding nodes stays at or below a bound.
#[derive(Debug, Clone)]
pub struct PersonalizedPrivacy {
    attribute: usize,
    guards: usize,
    bound: Fraction,
    /// For each code of the guard column, the sensitive values under the node, ascending; empty for no guard.
    under: Vec<Vec<Code>>,
}

impl PersonalizedPrivacy {
    /// The promise for a sensitive attribute and the column of its guarding nodes, both by position in
    /// [`Group::sensitive`]. The column's texts are labels of the taxonomy; the lowest node of that name is meant.
    pub fn new(
        attribute: usize,
        guards: usize,
        bound: Fraction,
        sensitive: &Column,
        taxonomy: &Hierarchy,
        nodes: &Column,
    ) -> Result<PersonalizedPrivacy, Error> {
        let mut under = Vec::with_capacity(nodes.dictionary.len());
        for code in 0..nodes.dictionary.len() as Code {
            let Some(label) = nodes.dictionary.text(code) else {
                under.push(Vec::new());
                continue;
            };
            let found = taxonomy.node_called(label);
            let found = found.map(|node| taxonomy.under(node).collect());
            if let Some(values) = found {
                under.push(values);
            } else {
                let row = nodes.codes.iter().position(|&of| of == code);
                return Err(Error::UnknownNode {
                    column: sensitive.name.clone(),
                    record: row.map_or(0, |row| row + 1),
                });
            }
        }
        Ok(PersonalizedPrivacy {
            attribute,
            guards,
            bound,
            under,
        })
    }

    /// The largest count under a guarding node of the group.
    fn exposed(&self, group: &Group<'_>) -> u64 {
        let histogram = group.histogram(self.attribute);
        group
            .histogram(self.guards)
            .counts
            .iter()
            .filter_map(|&(guard, _)| self.under.get(guard as usize))
            .map(|values| values.iter().map(|&value| histogram.count(value)).sum())
            .max()
            .unwrap_or(0)
    }
}

impl Promise for PersonalizedPrivacy {
    fn terms(&self) -> Terms {
        Terms {
            name: "personalized-privacy",
            attribute: Some(self.attribute),
            bound: self.bound.to_f64(),
            sense: Sense::AtMost,
            monotone: false,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let total = group.histogram(self.attribute).total;
        compare_products(
            self.exposed(group).into(),
            self.bound.denominator().into(),
            total.into(),
            self.bound.numerator().into(),
        ) != Ordering::Greater
    }

    fn reads(&self) -> Vec<(usize, Option<Vec<Code>>)> {
        vec![(self.attribute, None), (self.guards, None)]
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        crate::survey::ratio(self.exposed(group), group.histogram(self.attribute).total)
    }
}

/// The largest chance, over all classes and the guarding nodes in them, that a value lies under the node, when values are
/// published at any level: a numerator and a denominator. `None` when a label is not of the taxonomy or a number too large.
pub fn exposure_at_levels(
    classes: &Classes,
    values: &Column,
    guards: &Column,
    taxonomy: &Hierarchy,
) -> Option<(u128, u128)> {
    let nodes = |column: &Column| -> Vec<Option<(usize, u32)>> {
        (0..column.dictionary.len() as Code)
            .map(|code| taxonomy.node_called(column.dictionary.text(code)?))
            .collect()
    };
    let (mut shown, guarded) = (nodes(values), nodes(guards));
    // A missing value is a leaf of its own; a missing guard guards nothing.
    if let Some(missing) = values.dictionary.missing() {
        let leaves = &taxonomy.levels()[0].labels;
        let leaf = leaves.iter().position(Option::is_none);
        shown[missing as usize] = leaf.map(|node| (0, node as u32));
    }
    // The codes under each node say which node lies under which.
    let under = |node| taxonomy.under(node).collect::<Vec<Code>>();
    let mut worst = (0_u128, 1_u128);
    for class in 0..classes.len() {
        let rows = classes.rows(class);
        let mut wanted: Vec<(usize, u32)> = rows
            .iter()
            .filter_map(|&row| guarded[guards.codes[row as usize] as usize])
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        for guard in wanted {
            let inside = under(guard);
            let mut sum = (0_u128, 1_u128);
            for &row in rows {
                let label = under(shown[values.codes[row as usize] as usize]?);
                let common = label.iter().filter(|code| inside.contains(code)).count();
                let (part, whole) = (common as u128, label.len() as u128);
                // a/b + c/d over the least common denominator.
                let divisor = gcd(sum.1, whole).max(1);
                let denominator = (sum.1 / divisor).checked_mul(whole)?;
                let left = sum.0.checked_mul(denominator / sum.1)?;
                sum = (
                    left.checked_add(part.checked_mul(denominator / whole)?)?,
                    denominator,
                );
            }
            let share = (sum.0, sum.1.checked_mul(rows.len() as u128)?);
            if share.0.checked_mul(worst.1)? > worst.0.checked_mul(share.1)? {
                let divisor = gcd(share.0, share.1).max(1);
                worst = (share.0 / divisor, share.1 / divisor);
            }
        }
    }
    Some(worst)
}
