//! Decisions that explain themselves: what is served of a cell, and the chain of reasons.
//!
//! # Idea
//! [`Access`] is one user with one purpose on one table at one moment. Per column it knows the permitting grant, and per cell it checks
//! the consent. [`Access::compliance`] is the fast answer; [`Access::explain`] gives the same answer with its reasons as plain data.
//!
//! # Guarantee
//! Default deny: without a grant for the column, without consent, or with an unreadable one, nothing is served.

use crate::activation::Activation;
use crate::attribute::Moment;
use crate::bits::PurposeSet;
use crate::consent::{Level, Mode, RecordConsent, TablePolicy};
use crate::error::Error;
use crate::intended::{AccessPurpose, Compliance, IntendedPurpose};
use crate::policy::AccessPolicy;
use crate::role::Operation;
use serde::Serialize;
use std::fmt;

/// One link of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// The role is assigned to the user.
    RoleAssigned {
        /// The user.
        user: String,
        /// The role.
        role: String,
    },
    /// A senior role has its junior's permissions.
    RoleInherited {
        /// The senior.
        senior: String,
        /// The junior.
        role: String,
    },
    /// A conditional role is active.
    GrantActive {
        /// The grant.
        grant: String,
        /// Its role.
        role: String,
        /// Its condition.
        condition: String,
    },
    /// A conditional role of the user is not active.
    GrantInactive {
        /// The grant.
        grant: String,
        /// Its role.
        role: String,
        /// The comparisons that do not hold.
        failing: Vec<String>,
    },
    /// The grant permits the purpose.
    PurposePermitted {
        /// The grant.
        grant: String,
        /// The granted purpose.
        granted: String,
        /// The stated purpose, the same or below it.
        stated: String,
    },
    /// No active grant permits the operation on the column for the purpose.
    NotPermitted {
        /// The column.
        column: String,
        /// The purpose.
        purpose: String,
    },
    /// The consent that counts.
    Consent {
        /// The level it was declared at.
        level: Level,
        /// The three sets.
        intended: String,
    },
    /// The house prohibits it whatever anyone says.
    AlwaysProhibited {
        /// The prohibited purpose.
        purpose: String,
    },
    /// The provider prohibits it.
    Prohibited {
        /// The prohibited purpose.
        purpose: String,
    },
    /// The provider allows it in conditional form.
    Conditional {
        /// The conditional purpose.
        purpose: String,
    },
    /// The provider allows it.
    Allowed {
        /// The allowed purpose.
        purpose: String,
    },
    /// The consent does not mention the purpose.
    NotMentioned,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoleAssigned { user, role } => write!(f, "user {user} has role {role}"),
            Self::RoleInherited { senior, role } => {
                write!(f, "role {senior} has the permissions of its junior {role}")
            }
            Self::GrantActive {
                grant,
                role,
                condition,
            } => {
                write!(f, "{grant} is active for role {role}: {condition}")
            }
            Self::GrantInactive {
                grant,
                role,
                failing,
            } => write!(
                f,
                "{grant} is not active for role {role}: does not hold: {}",
                failing.join("; ")
            ),
            Self::PurposePermitted {
                grant,
                granted,
                stated,
            } if granted == stated => {
                write!(f, "{grant} permits the purpose {stated}")
            }
            Self::PurposePermitted {
                grant,
                granted,
                stated,
            } => {
                write!(f, "{grant} permits {granted}, and so {stated} below it")
            }
            Self::NotPermitted { column, purpose } => {
                write!(f, "no active grant permits {column} for {purpose}")
            }
            Self::Consent { level, intended } => {
                let level = match level {
                    Level::Cell => "the provider, for this cell",
                    Level::Record => "the provider, for this record",
                    Level::GroupColumn => "the provider's group, for this column",
                    Level::Group => "the provider's group",
                    Level::Column => "the column's default",
                    Level::Table => "the table's default",
                    Level::Nothing => "nobody",
                };
                write!(f, "consent is from {level}: {intended}")
            }
            Self::AlwaysProhibited { purpose } => {
                write!(f, "{purpose} is always prohibited here")
            }
            Self::Prohibited { purpose } => write!(f, "the consent prohibits {purpose}"),
            Self::Conditional { purpose } => {
                write!(f, "the consent allows {purpose} in conditional form")
            }
            Self::Allowed { purpose } => write!(f, "the consent allows {purpose}"),
            Self::NotMentioned => write!(f, "the consent does not mention the purpose"),
        }
    }
}

/// What is served of a cell, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What is served.
    pub outcome: Compliance,
    /// The chain, from the user to the consent.
    pub reasons: Vec<Reason>,
}

/// One user, one purpose, one table, one moment.
#[derive(Debug, Clone)]
pub struct Access<'a> {
    policy: &'a AccessPolicy,
    table: &'a TablePolicy,
    activation: Activation,
    purpose: AccessPurpose,
    /// Per column: the permitting grant, and what the house always prohibits.
    columns: Vec<(Option<usize>, PurposeSet)>,
    operation: Operation,
}

impl AccessPolicy {
    /// Opens a table for a user: activates roles, finds the purpose, looks up the permission of each column.
    pub fn open(
        &self,
        user: &str,
        stated: Option<&str>,
        table: &str,
        now: Moment,
    ) -> Result<Access<'_>, Error> {
        let activation = self.activate(user, now)?;
        let purpose = self.find_purpose(&activation, stated, Operation::Select, &[table])?;
        self.access(
            activation,
            AccessPurpose::new(&self.purposes, purpose),
            table,
        )
    }

    /// The same with roles and purpose already found.
    pub fn access(
        &self,
        activation: Activation,
        purpose: AccessPurpose,
        table: &str,
    ) -> Result<Access<'_>, Error> {
        let table = self.table(table)?;
        let operation = Operation::Select;
        let columns = table
            .columns
            .iter()
            .enumerate()
            .map(|(place, column)| {
                let grant = self.permitting(
                    &activation,
                    operation,
                    &table.name,
                    &column.name,
                    purpose.id(),
                );
                (grant, table.always_prohibited_of(place))
            })
            .collect();
        Ok(Access {
            policy: self,
            table,
            activation,
            purpose,
            columns,
            operation,
        })
    }
}

impl<'a> Access<'a> {
    /// The policy.
    pub fn policy(&self) -> &'a AccessPolicy {
        self.policy
    }

    /// The table.
    pub fn table(&self) -> &'a TablePolicy {
        self.table
    }

    /// The purpose.
    pub fn purpose(&self) -> &AccessPurpose {
        &self.purpose
    }

    /// The purpose's name.
    pub fn purpose_name(&self) -> &'a str {
        self.policy.purposes.name(self.purpose.id())
    }

    /// The roles that were active.
    pub fn activation(&self) -> &Activation {
        &self.activation
    }

    /// Whether an active grant permits the column for the purpose.
    pub fn is_permitted(&self, column: usize) -> bool {
        self.columns
            .get(column)
            .is_some_and(|(grant, always)| grant.is_some() && !always.meets(self.purpose.related()))
    }

    /// What must follow this access.
    pub fn obligations(&self) -> Vec<String> {
        self.policy.purposes.obligations(self.purpose.id())
    }

    /// Records collected before this day are not served; `None` without retention.
    pub fn first_served_day(&self, today: i64) -> Option<i64> {
        self.policy
            .purposes
            .retention_days(self.purpose.id())
            .map(|days| today - i64::from(days))
    }

    /// Whether a record collected on that day is served. With a retention and no known day it is not.
    pub fn is_retained(&self, collected: Option<i64>, today: i64) -> bool {
        match (self.first_served_day(today), collected) {
            (None, _) => true,
            (Some(first), Some(day)) => day >= first,
            (Some(_), None) => false,
        }
    }

    /// What is served of a cell under a given consent.
    #[inline]
    pub fn check(&self, column: usize, consent: Option<&IntendedPurpose>) -> Compliance {
        match consent {
            Some(consent) if self.is_permitted(column) => consent.check(&self.purpose),
            _ => Compliance::Denied,
        }
    }

    /// What is served of a cell.
    #[inline]
    pub fn compliance(
        &self,
        column: usize,
        group: Option<&str>,
        record: Option<&RecordConsent>,
    ) -> Compliance {
        self.check(column, self.table.consent(column, group, record).1)
    }

    /// Whether a record is served at all, given the places of the requested columns: `filter` drops it if any of them is prohibited.
    pub fn keeps(
        &self,
        requested: &[usize],
        group: Option<&str>,
        record: Option<&RecordConsent>,
    ) -> bool {
        self.table.mode == Mode::Mask
            || requested
                .iter()
                .all(|column| self.compliance(*column, group, record) != Compliance::Denied)
    }

    /// The decision for a cell with its chain of reasons.
    pub fn explain(
        &self,
        column: usize,
        group: Option<&str>,
        record: Option<&RecordConsent>,
    ) -> Decision {
        let mut reasons = self.explain_roles(column);
        let tree = &self.policy.purposes;
        let grant = self.columns.get(column).and_then(|(grant, _)| *grant);
        if grant.is_none() {
            return Decision {
                outcome: Compliance::Denied,
                reasons,
            };
        }
        let (level, consent) = self.table.consent(column, group, record);
        let first = |set: &PurposeSet, mask: &PurposeSet| {
            tree.members(set)
                .find(|id| mask.contains(tree.bit(*id)))
                .map_or_else(String::new, |id| tree.name(id).to_owned())
        };
        let empty = IntendedPurpose::default();
        let ip = consent.unwrap_or(&empty);
        reasons.push(Reason::Consent {
            level,
            intended: ip.to_text(tree),
        });
        let always = &self.columns[column].1;
        let (outcome, last) = if always.meets(self.purpose.related()) {
            let purpose = first(always, self.purpose.related());
            (Compliance::Denied, Reason::AlwaysProhibited { purpose })
        } else if ip.prohibited.meets(self.purpose.related()) {
            let purpose = first(&ip.prohibited, self.purpose.related());
            (Compliance::Denied, Reason::Prohibited { purpose })
        } else if ip.conditional.meets(self.purpose.up()) {
            let purpose = first(&ip.conditional, self.purpose.up());
            (Compliance::Conditional, Reason::Conditional { purpose })
        } else if ip.allowed.meets(self.purpose.up()) {
            let purpose = first(&ip.allowed, self.purpose.up());
            (Compliance::Full, Reason::Allowed { purpose })
        } else {
            (Compliance::Denied, Reason::NotMentioned)
        };
        reasons.push(last);
        Decision { outcome, reasons }
    }

    /// The half of the chain that does not depend on the record.
    fn explain_roles(&self, column: usize) -> Vec<Reason> {
        let policy = self.policy;
        let purpose = self.purpose_name().to_owned();
        let name = self
            .table
            .columns
            .get(column)
            .map_or_else(String::new, |column| column.name.clone());
        let mut out = Vec::new();
        let grant = self.columns.get(column).and_then(|(grant, _)| *grant);
        let Some(place) = grant else {
            for role in self.activation.roles.keys() {
                self.push_role(role, &mut out);
            }
            for place in &self.activation.inactive {
                let grant = &policy.grants[*place];
                out.push(Reason::GrantInactive {
                    grant: grant.name.clone(),
                    role: grant.role.clone(),
                    failing: grant
                        .condition
                        .failing(&policy.attributes, &self.activation.values),
                });
            }
            out.push(Reason::NotPermitted {
                column: name,
                purpose,
            });
            return out;
        };
        let grant = &policy.grants[place];
        debug_assert!(grant.operations.contains(&self.operation));
        self.push_role(&grant.role, &mut out);
        out.push(Reason::GrantActive {
            grant: grant.name.clone(),
            role: grant.role.clone(),
            condition: grant.condition.to_text(&policy.attributes),
        });
        let bit = policy.purposes.bit(self.purpose.id());
        let granted = grant
            .purposes
            .iter()
            .find(|id| policy.purposes.down(**id).contains(bit))
            .map_or_else(String::new, |id| policy.purposes.name(*id).to_owned());
        out.push(Reason::PurposePermitted {
            grant: grant.name.clone(),
            granted,
            stated: purpose,
        });
        out
    }

    /// How the user came to a role, from the assigned one down.
    fn push_role(&self, role: &str, out: &mut Vec<Reason>) {
        let mut chain = Vec::new();
        let mut at = role.to_owned();
        while let Some(Some(senior)) = self.activation.roles.get(&at) {
            chain.push(Reason::RoleInherited {
                senior: senior.clone(),
                role: at.clone(),
            });
            at.clone_from(senior);
        }
        chain.push(Reason::RoleAssigned {
            user: self.activation.user.clone(),
            role: at,
        });
        for reason in chain.into_iter().rev() {
            if !out.contains(&reason) {
                out.push(reason);
            }
        }
    }
}
