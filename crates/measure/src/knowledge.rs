//! What an adversary knows: which subjects it cannot tell apart, for every kind of data.
//!
//! A [`Promise`] is judged on a [`Group`] and does not know how it came about; a [`Knowledge`] makes groups and does not know
//! what is promised. So every promise works on every kind of knowledge:
//!
//! | knowledge | on | groups |
//! |---|---|---|
//! | [`AllQuasi`] | tables | records that agree on all quasi-identifiers |
//! | [`AnyOf`] | tables | records that agree on some m of them |
//! | [`crate::sequences::Doublets`] | paths, windows of a stream | records that show (or do not contradict) up to L doublets |
//! | [`crate::sequences::Items`] | transactions | records that have up to m public items |
//! | [`Institutions`] | trails | subjects whose data lie with the same institutions |

use std::collections::BTreeMap;

use denym_data::{Table, Trails};

use crate::audit::worse;
use crate::catalogue::{Linkage, Needs, PromiseEntry};
use crate::subsets::combinations;
use crate::{Classes, Group, Measured, Promise, Roles, audit_classes};

/// A kind of knowledge in the list of what promises can be judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnowledgeEntry {
    /// What is known, as a policy writes it.
    pub knows: &'static str,
    /// The data it is known of.
    pub data: &'static str,
    /// What such data have beside groups, for promises that need it.
    pub has: &'static [Needs],
    /// Whether the people of a group have nothing but their number.
    pub bare: bool,
}

impl KnowledgeEntry {
    /// Every quasi-identifier.
    pub const ALL_QUASI: Self = Self {
        knows: "quasi-identifiers",
        data: "table",
        has: &[
            Needs::Taxonomy,
            Needs::Columns,
            Needs::Guards,
            Needs::Population,
        ],
        bare: false,
    };
    /// Any m of them.
    pub const ANY_OF: Self = Self {
        knows: "{ at-most = m }",
        ..Self::ALL_QUASI
    };
    /// Any L doublets of a path.
    pub const DOUBLETS: Self = Self {
        knows: "{ doublets = L }",
        data: "paths",
        has: &[Needs::Taxonomy],
        bare: false,
    };
    /// Any m items.
    pub const ITEMS: Self = Self {
        knows: "{ items = m }",
        data: "transactions",
        ..Self::DOUBLETS
    };
    /// Any L doublets within windows of a stream.
    pub const WINDOWS: Self = Self {
        data: "stream",
        has: &[],
        ..Self::DOUBLETS
    };
    /// Who holds data of the victim.
    pub const INSTITUTIONS: Self = Self {
        knows: "institutions",
        data: "trails",
        has: &[],
        bare: true,
    };
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ALL_QUASI,
        Self::ANY_OF,
        Self::DOUBLETS,
        Self::ITEMS,
        Self::WINDOWS,
        Self::INSTITUTIONS,
    ];

    /// Why a promise cannot be judged on these groups; `None` when it can.
    pub fn lacks(&self, promise: &PromiseEntry) -> Option<&'static str> {
        let needs = promise.needs();
        let about_values = promise.linkage == Linkage::Attribute;
        if self.bare && (about_values || needs != Needs::Nothing) {
            return Some("there are no sensitive values, only people");
        }
        if needs == Needs::Nothing || self.has.contains(&needs) {
            return None;
        }
        Some(match needs {
            Needs::Nothing | Needs::Taxonomy => "its attributes have no taxonomy",
            Needs::Columns => {
                "it counts the values of several columns; `l-diversity` counts those of one"
            }
            Needs::Guards => "there is no column of guarding nodes",
            Needs::Population => "it is not compared with a register",
        })
    }
}

/// What somebody knows about people in data of type `D`.
pub trait Knowledge<D: ?Sized> {
    /// Calls `visit` with every group that this knowledge cannot tell apart, in an order that depends on the data alone.
    fn groups(&self, data: &D, visit: &mut dyn FnMut(&Group<'_>));

    /// Judges every group by every promise; where groups are many, implementers count no more than the promises read.
    fn audit(&self, data: &D, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
        let mut found: Vec<Measured> = promises
            .iter()
            .map(|promise| Measured {
                terms: promise.terms(),
                measured: None,
                holds: true,
                violating_groups: 0,
                violating_records: 0,
            })
            .collect();
        self.groups(data, &mut |group| {
            for (promise, found) in promises.iter().zip(&mut found) {
                let value = promise.value(group);
                found.measured = Some(worse(found.terms.sense, found.measured, value));
                if !promise.admits(group) {
                    found.holds = false;
                    found.violating_groups += 1;
                    found.violating_records += group.records;
                }
            }
        });
        found
    }
}

/// Judges data against what an adversary knows, promise by promise. Data without records keeps every promise.
pub fn audit<D: ?Sized>(
    data: &D,
    knowledge: &impl Knowledge<D>,
    promises: &[Box<dyn Promise>],
) -> Vec<Measured> {
    knowledge.audit(data, promises)
}

/// Every quasi-identifier of the victim.
#[derive(Debug, Clone, Copy)]
pub struct AllQuasi<'a> {
    /// Who knows what, what is sensitive, and who is a subject.
    pub roles: &'a Roles,
}

impl Knowledge<Table> for AllQuasi<'_> {
    fn groups(&self, data: &Table, visit: &mut dyn FnMut(&Group<'_>)) {
        each(&Classes::of(data, self.roles), visit);
    }

    fn audit(&self, data: &Table, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
        audit_classes(&Classes::of(data, self.roles), promises)
    }
}

/// Any `m` of the quasi-identifiers of the victim, or fewer.
#[derive(Debug, Clone, Copy)]
pub struct AnyOf<'a> {
    /// Which quasi-identifiers there are, what is sensitive, and who is a subject.
    pub roles: &'a Roles,
    /// Most of them that anybody knows.
    pub m: usize,
}

impl Knowledge<Table> for AnyOf<'_> {
    fn groups(&self, data: &Table, visit: &mut dyn FnMut(&Group<'_>)) {
        let base = Classes::of(data, self.roles);
        for size in 0..=self.m.min(self.roles.quasi.len()) {
            for subset in combinations(&self.roles.quasi, size) {
                each(&base.coarsened(data, self.roles, &subset), visit);
            }
        }
    }

    fn audit(&self, data: &Table, promises: &[Box<dyn Promise>]) -> Vec<Measured> {
        let found = crate::audit_subsets(data, self.roles, self.m, promises);
        found.into_iter().map(|found| found.measured).collect()
    }
}

fn each(classes: &Classes, visit: &mut dyn FnMut(&Group<'_>)) {
    for class in 0..classes.len() {
        classes.with_group(class, |group| visit(group));
    }
}

/// Which institutions hold data of the victim, and which do not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Institutions;

impl Knowledge<Trails> for Institutions {
    fn groups(&self, data: &Trails, visit: &mut dyn FnMut(&Group<'_>)) {
        let mut people: BTreeMap<&[u32], u64> = BTreeMap::new();
        for trail in data.iter() {
            *people.entry(trail).or_insert(0) += 1;
        }
        for &people in people.values() {
            visit(&Group::new(people, people, &[]));
        }
    }
}
