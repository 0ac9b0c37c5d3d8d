//! Static checks of a policy: what can never be used, found before anyone asks.
//!
//! # Guarantee
//! Exact over the declared domains: a finding is real, and a grant without finding can be activated by some user at some system state.

use crate::attribute::Scope;
use crate::policy::AccessPolicy;
use serde::Serialize;

/// Something in the policy that has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum Finding {
    /// No user has the role or a senior of it.
    RoleNobodyHas {
        /// The role.
        role: String,
    },
    /// No values in the declared domains fulfil the condition.
    ConditionNeverHolds {
        /// The grant.
        grant: String,
        /// Its condition.
        condition: String,
    },
    /// The condition can hold, but for no user who has the role.
    GrantNobodyCanActivate {
        /// The grant.
        grant: String,
    },
    /// No user can ever state the purpose.
    PurposeNobodyMayState {
        /// The purpose.
        purpose: String,
    },
    /// No grant touches the table.
    TableNobodyMayRead {
        /// The table.
        table: String,
    },
}

impl Finding {
    /// The finding in words.
    pub fn message(&self) -> String {
        match self {
            Self::RoleNobodyHas { role } => {
                format!("nobody can activate role {role}: no user has it or a senior of it")
            }
            Self::ConditionNeverHolds { grant, condition } => {
                format!(
                    "{grant} can never be active: `{condition}` holds for no value in the declared domains"
                )
            }
            Self::GrantNobodyCanActivate { grant } => {
                format!(
                    "nobody can activate {grant}: no user with its role has attributes that fulfil the condition"
                )
            }
            Self::PurposeNobodyMayState { purpose } => {
                format!("nobody may ever state the purpose {purpose}")
            }
            Self::TableNobodyMayRead { table } => {
                format!("no grant that can be active is about table {table}")
            }
        }
    }
}

impl AccessPolicy {
    /// All findings, in the order of roles, grants, purposes, tables.
    pub fn review(&self) -> Vec<Finding> {
        let mut out = Vec::new();
        let nothing = vec![None; self.attributes.list().len()];
        for role in self.roles.names() {
            if !self.users.values().any(|user| self.has_role(user, role)) {
                out.push(Finding::RoleNobodyHas {
                    role: role.to_owned(),
                });
            }
        }
        let mut usable = Vec::new();
        for grant in &self.grants {
            if grant
                .condition
                .satisfy(&self.attributes, &nothing)
                .is_none()
            {
                out.push(Finding::ConditionNeverHolds {
                    grant: grant.name.clone(),
                    condition: grant.condition.to_text(&self.attributes),
                });
                continue;
            }
            let held: Vec<_> = self
                .users
                .values()
                .filter(|user| self.has_role(user, &grant.role))
                .collect();
            if held
                .iter()
                .any(|user| self.can_activate(user, &grant.condition))
            {
                usable.push(grant);
            } else if !held.is_empty() {
                out.push(Finding::GrantNobodyCanActivate {
                    grant: grant.name.clone(),
                });
            }
        }
        for id in self.purposes.ids() {
            let bit = self.purposes.bit(id);
            let statable = usable
                .iter()
                .flat_map(|grant| &grant.purposes)
                .any(|granted| self.purposes.down(*granted).contains(bit));
            if !statable {
                out.push(Finding::PurposeNobodyMayState {
                    purpose: self.purposes.name(id).to_owned(),
                });
            }
        }
        for table in self.tables.keys() {
            if !usable.iter().any(|grant| grant.objects.touches(table)) {
                out.push(Finding::TableNobodyMayRead {
                    table: table.clone(),
                });
            }
        }
        out
    }

    fn has_role(&self, user: &crate::role::User, role: &str) -> bool {
        self.roles
            .closure(user.roles.iter().map(String::as_str))
            .contains_key(role)
    }

    /// Whether some state of the clock and of the open system attributes lets this user fulfil the condition. The user's missing
    /// attributes stay missing, and so do fixed system attributes their value.
    fn can_activate(
        &self,
        user: &crate::role::User,
        condition: &crate::condition::Condition,
    ) -> bool {
        let missing: Vec<usize> = self
            .attributes
            .list()
            .iter()
            .enumerate()
            .filter(|(place, attribute)| {
                attribute.scope == Scope::Role
                    && user.attributes.get(*place).copied().flatten().is_none()
            })
            .map(|(place, _)| place)
            .collect();
        let fixed = self.attributes.join(&user.attributes, &self.system);
        condition
            .without(&missing)
            .is_some_and(|condition| condition.satisfy(&self.attributes, &fixed).is_some())
    }
}
