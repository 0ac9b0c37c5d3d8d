//! The access policy: purposes, attributes, roles, users, grants and governed tables, all checked.

use crate::attribute::{Attributes, Moment, Values};
use crate::consent::TablePolicy;
use crate::error::Error;
use crate::role::{Grant, Roles, User};
use crate::tree::PurposeTree;
use denym_data::nearest;
use serde::Serialize;
use std::collections::BTreeMap;

/// How the purpose of a request is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PurposeMode {
    /// The user states it (RPAC).
    #[default]
    Stated,
    /// The user may state it; otherwise it is inferred when exactly one granted purpose fits (CPAC).
    Inferred,
}

/// Everything that decides about access, checked. Made by [`AccessPolicy::parse`](crate::AccessPolicy::parse).
#[derive(Debug, Clone, PartialEq)]
pub struct AccessPolicy {
    /// The purposes.
    pub purposes: PurposeTree,
    /// How a purpose is found.
    pub purpose_mode: PurposeMode,
    /// Declared attributes.
    pub attributes: Attributes,
    /// The role hierarchy.
    pub roles: Roles,
    /// Users by name.
    pub users: BTreeMap<String, User>,
    /// Conditional roles with their permissions.
    pub grants: Vec<Grant>,
    /// Governed tables by name.
    pub tables: BTreeMap<String, TablePolicy>,
    /// Fixed values of system attributes that no clock supplies.
    pub system: Values,
}

impl AccessPolicy {
    /// The table of that name.
    pub fn table(&self, name: &str) -> Result<&TablePolicy, Error> {
        self.tables.get(name).ok_or_else(|| Error::TableUnknown {
            name: name.to_owned(),
            nearest: nearest(name, self.tables.keys().map(String::as_str)).map(str::to_owned),
        })
    }

    /// The user of that name.
    pub fn user(&self, name: &str) -> Result<&User, Error> {
        self.users.get(name).ok_or_else(|| Error::UserUnknown {
            name: name.to_owned(),
        })
    }

    /// The system attributes at a moment.
    pub fn system_at(&self, now: Moment) -> Values {
        let mut values = self.system.clone();
        self.attributes.set_clock(&mut values, now);
        values
    }
}
