//! What can be wrong with the parts of a policy, a stored consent code or a request; never a cell value.

use thiserror::Error;

/// A mistake of the caller, the policy or the stored consent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A purpose name that the tree does not have.
    #[error("there is no purpose `{name}`")]
    PurposeUnknown {
        /// The name that was used.
        name: String,
        /// A known name that looks like it.
        nearest: Option<String>,
    },
    /// Two purposes with one name.
    #[error("purpose `{name}` is declared twice")]
    PurposeTwice {
        /// The name.
        name: String,
    },
    /// A name that a written consent could not be read back with.
    #[error("a purpose cannot be called `{name}`")]
    PurposeName {
        /// The name.
        name: String,
    },
    /// Purposes that are their own ancestors.
    #[error("purpose `{name}` is its own ancestor")]
    PurposeCycle {
        /// One purpose on the cycle.
        name: String,
    },
    /// More purposes than the declared width of the code.
    #[error("{count} purposes do not fit a code of {width} bits")]
    WidthTooSmall {
        /// Declared purposes.
        count: usize,
        /// Declared bits.
        width: usize,
    },
    /// A condition that cannot be read.
    #[error("condition cannot be read at character {at}: expected {expected}")]
    ConditionSyntax {
        /// Where, counted in characters from 1.
        at: usize,
        /// What would have been right there.
        expected: &'static str,
    },
    /// A condition nested deeper than the parser follows.
    #[error("condition is nested deeper than {limit} levels")]
    ConditionTooDeep {
        /// The limit.
        limit: usize,
    },
    /// An attribute that no `[attributes]` entry declares.
    #[error("there is no attribute `{name}`")]
    AttributeUnknown {
        /// The name that was used.
        name: String,
        /// A known name that looks like it.
        nearest: Option<String>,
    },
    /// A value that is not in the declared domain of the attribute.
    #[error("the value is outside the domain of attribute `{name}`")]
    OutsideDomain {
        /// The attribute.
        name: String,
        /// The domain in words.
        domain: String,
    },
    /// An order comparison over values that have no order.
    #[error("attribute `{name}` has no order; only = and != apply")]
    NoOrder {
        /// The attribute.
        name: String,
    },
    /// A role name that the policy does not have.
    #[error("there is no role `{name}`")]
    RoleUnknown {
        /// The name that was used.
        name: String,
        /// A known name that looks like it.
        nearest: Option<String>,
    },
    /// Roles that are their own juniors.
    #[error("role `{name}` is its own junior")]
    RoleCycle {
        /// One role on the cycle.
        name: String,
    },
    /// A user the policy does not know.
    #[error("there is no user `{name}`")]
    UserUnknown {
        /// The name that was used.
        name: String,
    },
    /// A table the policy does not govern.
    #[error("there is no governed table `{name}`")]
    TableUnknown {
        /// The name that was used.
        name: String,
        /// A known name that looks like it.
        nearest: Option<String>,
    },
    /// A column the policy does not name.
    #[error("table `{table}` has no column `{name}`")]
    ColumnUnknown {
        /// The table.
        table: String,
        /// The name that was used.
        name: String,
        /// A known name that looks like it.
        nearest: Option<String>,
    },
    /// The user may not state this purpose now.
    #[error("user `{user}` may not state the purpose `{purpose}` now")]
    PurposeNotPermitted {
        /// Who asked.
        user: String,
        /// What was stated.
        purpose: String,
        /// What this user may state now, in tree order.
        permitted: Vec<String>,
    },
    /// No purpose was stated, and none can be inferred.
    #[error("no purpose is stated")]
    PurposeMissing {
        /// What this user may state now, in tree order.
        permitted: Vec<String>,
    },
    /// A stored consent code that no set encodes to.
    #[error("consent code in record {record} of `{column}` cannot be read")]
    BadCode {
        /// Record number, from 1.
        record: usize,
        /// The column that holds the code.
        column: String,
    },
    /// Something that plain SQL cannot say.
    #[error("table `{table}` under this policy cannot be written as SQL: {what}")]
    NotInSql {
        /// The table.
        table: String,
        /// What needs the gateway.
        what: &'static str,
    },
    /// A name that PostgreSQL would cut.
    #[error("the {what} `{name}` has more than {longest} bytes, and PostgreSQL would cut its name")]
    NameTooLong {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
        /// Most bytes.
        longest: usize,
    },
    /// Two things that would have one name in PostgreSQL.
    #[error("{one} and {other} would both be `{name}` in PostgreSQL")]
    NamesCollide {
        /// The name.
        name: String,
        /// Who has it.
        one: String,
        /// Who would have it too.
        other: String,
    },
    /// A name that begins as the gateway's own do.
    #[error(
        "the name `{name}` begins with `{prefix}`, as the gateway's own names in PostgreSQL do"
    )]
    NameReserved {
        /// The name.
        name: String,
        /// How it begins.
        prefix: &'static str,
    },
}

impl Error {
    /// Stable name of the kind of mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::PurposeUnknown { .. } => "purpose-unknown",
            Self::PurposeTwice { .. } => "purpose-twice",
            Self::PurposeName { .. } => "purpose-name",
            Self::PurposeCycle { .. } => "purpose-cycle",
            Self::WidthTooSmall { .. } => "purpose-width-too-small",
            Self::ConditionSyntax { .. } => "condition-syntax",
            Self::ConditionTooDeep { .. } => "condition-too-deep",
            Self::AttributeUnknown { .. } => "attribute-unknown",
            Self::OutsideDomain { .. } => "attribute-outside-domain",
            Self::NoOrder { .. } => "attribute-no-order",
            Self::RoleUnknown { .. } => "role-unknown",
            Self::RoleCycle { .. } => "role-cycle",
            Self::UserUnknown { .. } => "user-unknown",
            Self::TableUnknown { .. } => "table-unknown",
            Self::ColumnUnknown { .. } => "column-unknown",
            Self::PurposeNotPermitted { .. } => "purpose-not-permitted",
            Self::PurposeMissing { .. } => "purpose-missing",
            Self::BadCode { .. } => "consent-code-unreadable",
            Self::NotInSql { .. } => "not-in-sql",
            Self::NameTooLong { .. } => "name-too-long",
            Self::NamesCollide { .. } => "names-collide",
            Self::NameReserved { .. } => "name-reserved",
        }
    }

    /// Where the mistake is: the column of a code, the character of a condition.
    pub fn location(&self) -> Option<String> {
        match self {
            Self::BadCode { record, column } => Some(format!("record {record}, column {column}")),
            Self::ConditionSyntax { at, .. } => Some(format!("character {at}")),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::PurposeUnknown { nearest, .. }
            | Self::AttributeUnknown { nearest, .. }
            | Self::RoleUnknown { nearest, .. }
            | Self::TableUnknown { nearest, .. }
            | Self::ColumnUnknown { nearest, .. } => nearest.as_ref().map_or_else(
                || "declare it in the policy, or use a declared name".into(),
                |name| format!("did you mean `{name}`?"),
            ),
            Self::PurposeTwice { .. } => "give each purpose its own name".into(),
            Self::PurposeName { .. } => {
                "use a name without comma, braces and the sign of the empty set, and without space at an end".into()
            }
            Self::PurposeCycle { .. } => "remove one `parent` on the cycle".into(),
            Self::WidthTooSmall { count, .. } => format!("set `width` to {count} or more"),
            Self::ConditionSyntax { .. } => {
                "conditions read like `experience > 10 and (hour >= 9 and not weekday = sun)`"
                    .into()
            }
            Self::ConditionTooDeep { .. } => "write the condition with fewer parentheses".into(),
            Self::OutsideDomain { domain, .. } => format!("the domain is {domain}"),
            Self::NoOrder { .. } => "use = or !=, or declare `levels` in their order".into(),
            Self::RoleCycle { .. } => "remove one `inherits` on the cycle".into(),
            Self::UserUnknown { .. } => "add the user to `[users]`".into(),
            Self::PurposeNotPermitted { permitted, .. } | Self::PurposeMissing { permitted } => {
                if permitted.is_empty() {
                    "this user may state no purpose now".into()
                } else {
                    format!("this user may state: {}", permitted.join(", "))
                }
            }
            Self::BadCode { .. } => {
                "write the consent again; until then the record is not served".into()
            }
            Self::NotInSql { .. } => "serve this table from files".into(),
            Self::NameTooLong { .. } => "give it a shorter name in the policy".into(),
            Self::NamesCollide { .. } => "rename one of them; `-` and `_` are the same there".into(),
            Self::NameReserved { .. } => "rename it in the policy".into(),
        }
    }
}
