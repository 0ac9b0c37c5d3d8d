//! Roles with juniors, users, and grants: conditional roles with their access purpose permissions.
//!
//! # Idea
//! A senior role has the permissions of its juniors. A grant is a conditional role <role, condition> with the permissions
//! <object, operation, purpose> it brings; a role without condition is one that always holds.
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: Definitions 3.2.1 to 3.2.3, 3.3.1, 3.3.4 to 3.3.6, Figure 3.3.
//!
//! # Departures
//! Sections 3.3.1 and 3.3.5 contradict each other about the direction of inheritance; here `inherits` names the juniors.

use crate::attribute::Values;
use crate::condition::Condition;
use crate::error::Error;
use crate::tree::PurposeId;
use denym_data::nearest;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What is done to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Read.
    Select,
    /// Add records.
    Insert,
    /// Change records.
    Update,
    /// Remove records.
    Delete,
}

impl Operation {
    /// All operations with their names in policies.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("select", Self::Select),
        ("insert", Self::Insert),
        ("update", Self::Update),
        ("delete", Self::Delete),
    ];
}

/// The objects a grant is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objects {
    /// All governed tables.
    Everything,
    /// Tables, each with its columns or all of them.
    Tables(BTreeMap<String, Option<BTreeSet<String>>>),
}

impl Objects {
    /// Whether the column of the table is among them.
    pub fn covers(&self, table: &str, column: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Tables(tables) => tables.get(table).is_some_and(|columns| {
                columns
                    .as_ref()
                    .is_none_or(|columns| columns.contains(column))
            }),
        }
    }

    /// Whether any column of the table is among them.
    pub fn touches(&self, table: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Tables(tables) => tables.contains_key(table),
        }
    }
}

/// A conditional role and its access purpose permissions: every combination of objects, operations and purposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// A name for explanations.
    pub name: String,
    /// The role, by name.
    pub role: String,
    /// When it can be active.
    pub condition: Condition,
    /// What it is about.
    pub objects: Objects,
    /// What may be done.
    pub operations: BTreeSet<Operation>,
    /// Purposes that may be stated, with all below them.
    pub purposes: Vec<PurposeId>,
}

/// A user, the roles assigned, and the attributes those roles take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// Assigned roles, by name.
    pub roles: Vec<String>,
    /// Role attributes, by their place among the declared ones.
    pub attributes: Values,
}

/// The role hierarchy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roles {
    juniors: BTreeMap<String, Vec<String>>,
}

impl Roles {
    /// From each role's juniors.
    pub fn new(juniors: BTreeMap<String, Vec<String>>) -> Result<Self, Error> {
        let roles = Self { juniors };
        for name in roles.juniors.keys() {
            for junior in &roles.juniors[name] {
                roles.check(junior)?;
                if roles.closure([junior.as_str()]).contains_key(name.as_str()) {
                    return Err(Error::RoleCycle { name: name.clone() });
                }
            }
        }
        Ok(roles)
    }

    /// An error when there is no such role.
    pub fn check(&self, name: &str) -> Result<(), Error> {
        if self.juniors.contains_key(name) {
            return Ok(());
        }
        Err(Error::RoleUnknown {
            name: name.to_owned(),
            nearest: nearest(name, self.names()).map(str::to_owned),
        })
    }

    /// All roles, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.juniors.keys().map(String::as_str)
    }

    /// The given roles and all their juniors, each with the senior it came through (`None` for the given ones).
    pub fn closure<'a>(
        &'a self,
        assigned: impl IntoIterator<Item = &'a str>,
    ) -> BTreeMap<&'a str, Option<&'a str>> {
        let mut out = BTreeMap::new();
        let mut queue: std::collections::VecDeque<(&str, Option<&str>)> =
            assigned.into_iter().map(|role| (role, None)).collect();
        while let Some((role, senior)) = queue.pop_front() {
            let Some(juniors) = self.juniors.get(role) else {
                continue;
            };
            if let std::collections::btree_map::Entry::Vacant(entry) = out.entry(role) {
                entry.insert(senior);
                queue.extend(juniors.iter().map(|junior| (junior.as_str(), Some(role))));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(list: &[(&str, &[&str])]) -> Result<Roles, Error> {
        Roles::new(
            list.iter()
                .map(|(name, juniors)| {
                    (
                        (*name).to_owned(),
                        juniors.iter().map(|j| (*j).to_owned()).collect(),
                    )
                })
                .collect(),
        )
    }

    #[test]
    fn a_senior_has_its_juniors() {
        let roles = roles(&[
            ("head", &["e-analyst", "e-writer"]),
            ("e-analyst", &["e-marketing"]),
            ("e-writer", &["e-marketing"]),
            ("e-marketing", &[]),
        ])
        .expect("no cycle");
        let closure = roles.closure(["e-analyst"]);
        assert_eq!(closure.len(), 2);
        assert_eq!(closure["e-marketing"], Some("e-analyst"));
        assert_eq!(closure["e-analyst"], None);
        assert_eq!(roles.closure(["head"]).len(), 4);
        assert_eq!(roles.closure(["e-marketing"]).len(), 1);
    }

    #[test]
    fn refuses_cycles_and_strangers() {
        assert_eq!(
            roles(&[("a", &["b"]), ("b", &["a"])]).map_err(|e| e.code()),
            Err("role-cycle")
        );
        assert_eq!(
            roles(&[("a", &["a"])]).map_err(|e| e.code()),
            Err("role-cycle")
        );
        assert_eq!(
            roles(&[("a", &["c"])]).map_err(|e| e.code()),
            Err("role-unknown")
        );
    }
}
