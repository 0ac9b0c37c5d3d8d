//! Which conditional roles a user has active, which purposes those permit, and until when.
//!
//! # Idea
//! A user's roles bring their juniors; each grant to one of these roles is active when its condition holds for the user's
//! attributes and the system's. An active grant permits its purposes and all below them.
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: Table 3.6 (conditional roles algorithm), Definitions 3.3.5 and 3.3.6, section 3.3.2.
//!
//! # Departures
//! The two sections disagree on the direction; here activating a senior role activates its juniors, and each junior's own condition must hold.
//!
//! # Cost
//! Linear in roles and grants. The next expiry steps through at most eight days of minutes.

use crate::attribute::{Moment, Values};
use crate::bits::PurposeSet;
use crate::error::Error;
use crate::policy::{AccessPolicy, PurposeMode};
use crate::role::Operation;
use crate::tree::PurposeId;
use std::collections::BTreeMap;

/// The roles of one user at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// The user.
    pub user: String,
    /// Assigned roles and their juniors, each with the senior it came through.
    pub roles: BTreeMap<String, Option<String>>,
    /// Places of the active grants, in order.
    pub active: Vec<usize>,
    /// Places of the grants to the user's roles whose condition does not hold, in order.
    pub inactive: Vec<usize>,
    /// The attribute values that decided.
    pub values: Values,
}

impl AccessPolicy {
    /// Finds the active conditional roles of a user.
    pub fn activate(&self, user: &str, now: Moment) -> Result<Activation, Error> {
        let person = self.user(user)?;
        let values = self
            .attributes
            .join(&person.attributes, &self.system_at(now));
        let roles: BTreeMap<String, Option<String>> = self
            .roles
            .closure(person.roles.iter().map(String::as_str))
            .into_iter()
            .map(|(role, senior)| (role.to_owned(), senior.map(str::to_owned)))
            .collect();
        let held = (0..self.grants.len()).filter(|i| roles.contains_key(&self.grants[*i].role));
        let (active, inactive) = held.partition(|i| self.grants[*i].condition.holds(&values));
        Ok(Activation {
            user: user.to_owned(),
            roles,
            active,
            inactive,
            values,
        })
    }

    /// All purposes the active grants permit, for any object.
    pub fn statable(&self, activation: &Activation) -> PurposeSet {
        activation
            .active
            .iter()
            .flat_map(|grant| &self.grants[*grant].purposes)
            .fold(PurposeSet::empty(), |all, id| {
                all.union(self.purposes.down(*id))
            })
    }

    /// The names of [`statable`](Self::statable), in tree order.
    pub fn statable_names(&self, activation: &Activation) -> Vec<String> {
        let set = self.statable(activation);
        let names = self.purposes.names(&set);
        names.into_iter().map(str::to_owned).collect()
    }

    /// The stated purpose, if this user may state it now.
    pub fn state_purpose(&self, activation: &Activation, name: &str) -> Result<PurposeId, Error> {
        let not_permitted = || Error::PurposeNotPermitted {
            user: activation.user.clone(),
            purpose: name.to_owned(),
            permitted: self.statable_names(activation),
        };
        // an unknown purpose and one that is not permitted look the same from outside
        let id = self.purposes.find(name).map_err(|_| not_permitted())?;
        if self.statable(activation).contains(self.purposes.bit(id)) {
            Ok(id)
        } else {
            Err(not_permitted())
        }
    }

    /// The purpose of a request: the stated one, or in CPAC mode the one granted purpose that fits all the tables.
    pub fn find_purpose(
        &self,
        activation: &Activation,
        stated: Option<&str>,
        operation: Operation,
        tables: &[&str],
    ) -> Result<PurposeId, Error> {
        if let Some(name) = stated {
            return self.state_purpose(activation, name);
        }
        if self.purpose_mode == PurposeMode::Inferred
            && let Some(id) = self.infer_purpose(activation, operation, tables)
        {
            return Ok(id);
        }
        Err(Error::PurposeMissing {
            permitted: self.statable_names(activation),
        })
    }

    /// The purpose that the active grants for these tables share, when there is exactly one.
    fn infer_purpose(
        &self,
        activation: &Activation,
        operation: Operation,
        tables: &[&str],
    ) -> Option<PurposeId> {
        let mut fitting: Option<PurposeSet> = None;
        for table in tables {
            let mut here = PurposeSet::empty();
            for grant in activation.active.iter().map(|grant| &self.grants[*grant]) {
                if grant.operations.contains(&operation) && grant.objects.touches(table) {
                    for id in &grant.purposes {
                        here.insert(self.purposes.bit(*id));
                    }
                }
            }
            fitting = Some(match fitting {
                None => here,
                Some(before) => before.minus(&before.minus(&here)),
            });
        }
        let fitting = fitting?;
        let mut members = self.purposes.members(&fitting);
        let only = members.next()?;
        members.next().is_none().then_some(only)
    }

    /// The first active grant that permits the operation on a column for a purpose.
    pub fn permitting(
        &self,
        activation: &Activation,
        operation: Operation,
        table: &str,
        column: &str,
        purpose: PurposeId,
    ) -> Option<usize> {
        activation.active.iter().copied().find(|grant| {
            let grant = &self.grants[*grant];
            grant.operations.contains(&operation)
                && grant.objects.covers(table, column)
                && grant.purposes.iter().any(|granted| {
                    self.purposes
                        .down(*granted)
                        .contains(self.purposes.bit(purpose))
                })
        })
    }

    /// The moment, after `now`, when the first of the active grants ceases to hold because of the clock; `None` when none does within
    /// eight days (so never, because the clock attributes repeat after seven).
    pub fn next_expiry(&self, activation: &Activation, now: Moment) -> Option<Moment> {
        let person = self.user(&activation.user).ok()?;
        (1..=8 * 1440)
            .map(|minutes| now.plus(minutes))
            .find(|then| {
                let values = self
                    .attributes
                    .join(&person.attributes, &self.system_at(*then));
                activation
                    .active
                    .iter()
                    .any(|grant| !self.grants[*grant].condition.holds(&values))
            })
    }
}
