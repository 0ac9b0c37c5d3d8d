//! The policy text: TOML in, a checked [`AccessPolicy`] out, or every mistake at once.
//!
//! # Example
//!
//! ```
//! let text = r#"
//! purpose = "inferred"
//!
//! [purposes]                     # name = parent; the order fixes the bits
//! general = {}
//! marketing = { parent = "general", retention-days = 365, obligations = ["record the campaign"] }
//! direct = "marketing"
//!
//! [attributes]
//! experience = { of = "role", integer = [0, 60] }
//! hour = { of = "clock", part = "hour" }
//!
//! [roles]                        # name = juniors
//! marketing = []
//! head = ["marketing"]
//!
//! [users]
//! russell = { roles = ["head"], attributes = { experience = 12 } }
//!
//! [[grants]]
//! role = "marketing"
//! when = "experience > 10 and hour >= 9 and hour <= 17"
//! purposes = ["marketing"]
//! tables = ["customer_info"]
//!
//! [tables.customer_info]
//! key = "id"
//! collected = "collected_on"
//! mode = "mask"
//! default = { allowed = ["general"] }
//! [tables.customer_info.columns]
//! id = {}
//! income = { type = "integer", mask = { interval = 10000 }, default = { allowed = ["general"], conditional = ["marketing"] } }
//! "#;
//! let policy = denym_purpose::AccessPolicy::parse(text, &|_| None).expect("a policy without mistakes");
//! let noon = denym_purpose::Moment { day: 0, minute: 12 * 60 };
//! let access = policy.open("russell", None, "customer_info", noon)?;
//! assert_eq!(access.purpose_name(), "marketing");
//! assert_eq!(access.compliance(1, None, None), denym_purpose::Compliance::Conditional);
//! # Ok::<(), denym_purpose::Error>(())
//! ```

mod consents;
mod masks;
mod people;
mod tables;

use crate::attribute::{Attribute, Attributes, ClockPart, Domain, Scope, Values};
use crate::error::Error;
use crate::mask::Levels;
use crate::policy::{AccessPolicy, PurposeMode};
use crate::role::Roles;
use crate::tree::{Purpose, PurposeTree};
use crate::zone::Zone;
use denym_policy::Mistake;
use denym_policy::reader::{Node, Section, checked};
use denym_policy::syntax::document_of;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads the rows of a hierarchy file named in a policy: value, level 1, level 2, ... The caller does the reading.
pub type HierarchyReader<'a> = dyn Fn(&str) -> Option<Vec<Vec<String>>> + 'a;

const KEYS: [&str; 9] = [
    "purpose",
    "width",
    "purposes",
    "attributes",
    "roles",
    "users",
    "grants",
    "hierarchies",
    "tables",
];

/// What later parts of the document are checked against; a part that could not be read is `None` and checks nothing.
struct Known {
    tree: Option<PurposeTree>,
    attributes: Option<Attributes>,
    roles: Option<Roles>,
    hierarchies: BTreeMap<String, Option<Arc<Levels>>>,
}

impl AccessPolicy {
    /// Reads and checks a policy; every mistake is reported. `hierarchy` reads the files that `[hierarchies]` names.
    pub fn parse(text: &str, hierarchy: &HierarchyReader<'_>) -> Result<Self, Vec<Mistake>> {
        read_text(text, &KEYS, |root| read(root, hierarchy))
    }
}

/// What `read` makes of a text with no keys but `keys`, or every mistake in it.
fn read_text<T>(
    text: &str,
    keys: &[&str],
    read: impl FnOnce(&Section<'_, '_>) -> Option<T>,
) -> Result<T, Vec<Mistake>> {
    let list: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let help = format!("give a TOML file with {}", list.join(", "));
    let message = "this file is no access policy, and no list of consent";
    let document = document_of(text, keys, message, &help)?;
    checked(&document, keys, |root, _| read(root))
}

/// The value, or the error as a mistake at the node.
fn check<T>(node: &Node<'_, '_>, result: Result<T, Error>) -> Option<T> {
    let note = |error: Error| node.mistake(code(&error), error.to_string(), error.help());
    result.map_err(note).ok()
}

/// The code of an error in the text of a policy; requests are told [`Error::code`].
fn code(error: &Error) -> &'static str {
    match error {
        Error::PurposeUnknown { .. } => "policy-unknown-purpose",
        Error::AttributeUnknown { .. } => "policy-unknown-attribute",
        Error::RoleUnknown { .. } => "policy-unknown-role",
        Error::TableUnknown { .. } => "policy-unknown-table",
        Error::ColumnUnknown { .. } => "policy-unknown-column",
        Error::PurposeTwice { .. } => "policy-duplicate",
        Error::PurposeName { .. } => "policy-purpose-name",
        Error::PurposeCycle { .. } | Error::RoleCycle { .. } => "policy-cycle",
        Error::ConditionSyntax { .. } | Error::ConditionTooDeep { .. } => "policy-condition",
        Error::NoOrder { .. } => "policy-no-order",
        Error::WidthTooSmall { .. } | Error::OutsideDomain { .. } => "policy-out-of-range",
        // what requests, stored consent and databases are told; no text of a policy is
        other => other.code(),
    }
}

/// The text of `key`, if it is there.
fn text_of(section: &Section<'_, '_>, key: &str, example: &str) -> Option<String> {
    let text = section.get(key)?.string(example)?;
    Some(text.to_owned())
}

/// The names in a list.
fn names(node: &Node<'_, '_>, example: &str) -> Vec<String> {
    let texts = node.texts(example).into_iter();
    texts.map(|(_, name)| name.to_owned()).collect()
}

fn read(root: &Section<'_, '_>, hierarchy: &HierarchyReader<'_>) -> Option<AccessPolicy> {
    let modes = [
        ("stated", PurposeMode::Stated),
        ("inferred", PurposeMode::Inferred),
    ];
    let purpose_mode = root.get("purpose").and_then(|node| node.choice(&modes));
    let tree = read_purposes(root);
    let (attributes, system) = read_attributes(root);
    let known = Known {
        tree,
        attributes,
        roles: people::read_roles(root),
        hierarchies: masks::read_hierarchies(root, hierarchy),
    };
    let tables = tables::read_tables(root, &known);
    let users = people::read_users(root, &known);
    let grants = people::read_grants(root, &known, &tables);
    Some(AccessPolicy {
        purposes: known.tree?,
        purpose_mode: purpose_mode.unwrap_or_default(),
        attributes: known.attributes?,
        roles: known.roles?,
        users,
        grants,
        tables,
        system,
    })
}

/// The entries of the table under `key`, in the order of the text; none where it is not there.
fn entries<'a, 'i>(
    section: &Section<'a, 'i>,
    key: &str,
    example: &str,
) -> Vec<(String, Node<'a, 'i>)> {
    let table = section.get(key).and_then(|node| node.open(example));
    let entries = table.map(|table| table.entries()).unwrap_or_default();
    let entries = entries.into_iter();
    entries.map(|(name, _, node)| (name, node)).collect()
}

fn read_purposes(root: &Section<'_, '_>) -> Option<PurposeTree> {
    let node = root.need("purposes", "add `[purposes]` with `general = {}`")?;
    let mut purposes = Vec::new();
    for (name, entry) in entries(root, "purposes", "{ general = {} }") {
        let mut purpose = Purpose {
            name,
            ..Purpose::default()
        };
        let keys = ["parent", "retention-days", "obligations"];
        if let Some(parent) = entry.text() {
            purpose.parent = Some(parent.to_owned());
        } else if let Some(fields) = entry.section(&keys, "{ parent = \"general\" }") {
            purpose.parent = text_of(&fields, "parent", "general");
            if let Some(node) = fields.get("retention-days") {
                let days = node.integer(0..=i64::from(u32::MAX));
                purpose.retention_days = days.and_then(|days| u32::try_from(days).ok());
            }
            if let Some(node) = fields.get("obligations") {
                purpose.obligations = names(&node, "record the campaign");
            }
        }
        purposes.push(purpose);
    }
    let width = match root.get("width") {
        Some(node) => Some(usize::try_from(node.integer(1..=100_000)?).ok()?),
        None => None,
    };
    check(&node, PurposeTree::new(purposes, width))
}

fn read_attributes(root: &Section<'_, '_>) -> (Option<Attributes>, Values) {
    let (mut list, mut system, mut complete) = (Vec::new(), Values::new(), true);
    for (name, entry) in entries(root, "attributes", "{ rank = { of = \"role\" } }") {
        match read_attribute(name, &entry) {
            Some((attribute, value)) => {
                list.push(attribute);
                system.push(value);
            }
            None => complete = false,
        }
    }
    (complete.then(|| Attributes::new(list)), system)
}

fn read_attribute(name: String, entry: &Node<'_, '_>) -> Option<(Attribute, Option<i64>)> {
    let known = [
        "of",
        "part",
        "zone",
        "integer",
        "names",
        "levels",
        "truth",
        "time-of-day",
        "value",
    ];
    let fields = entry.section(&known, "{ of = \"role\", integer = [0, 60] }")?;
    let of = fields.need("of", "add `of = \"role\"`, `\"system\"` or `\"clock\"`")?;
    let scopes = [("role", 0), ("system", 1), ("clock", 2)];
    let scope = of.choice(&scopes)?;
    if scope == 2 {
        let help = "add `part = \"hour\"`, `\"time-of-day\"` or `\"weekday\"`";
        let part = fields.need("part", help)?.choice(&[
            ("hour", ClockPart::Hour),
            ("time-of-day", ClockPart::TimeOfDay),
            ("weekday", ClockPart::Weekday),
        ])?;
        let domain = match part {
            ClockPart::Hour => Domain::Integer { least: 0, most: 23 },
            ClockPart::TimeOfDay => Domain::TimeOfDay,
            ClockPart::Weekday => Domain::Levels(
                ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
                    .map(str::to_owned)
                    .to_vec(),
            ),
        };
        let zone = match fields.get("zone") {
            None => Zone::default(),
            Some(node) => {
                let found = Zone::named(node.string("Europe/Berlin")?);
                if found.is_none() {
                    node.mistake(
                        "policy-unknown-value",
                        "this time zone is not known",
                        "write a place such as `Europe/Berlin`, or an offset such as `+05:30`",
                    );
                }
                found?
            }
        };
        let scope = Scope::Clock(part, zone);
        return Some((
            Attribute {
                name,
                scope,
                domain,
            },
            None,
        ));
    }
    if let Some(node) = fields.get("zone") {
        node.mistake(
            "policy-unused-key",
            "`zone` is for attributes of the clock",
            "remove it, or write `of = \"clock\"`",
        );
    }
    let domain = read_domain(entry, &fields)?;
    let value = match fields.get("value") {
        None => None,
        Some(node) => {
            let text = node.scalar("5")?;
            let code = domain.code(&text).ok_or_else(|| Error::OutsideDomain {
                name: name.clone(),
                domain: domain.describe(),
            });
            Some(check(&node, code)?)
        }
    };
    let scope = if scope == 0 {
        Scope::Role
    } else {
        Scope::System
    };
    let attribute = Attribute {
        name,
        scope,
        domain,
    };
    Some((attribute, value))
}

fn read_domain(entry: &Node<'_, '_>, fields: &Section<'_, '_>) -> Option<Domain> {
    if let Some(node) = fields.get("integer") {
        let list = node.list("[0, 60]")?;
        let bounds: Vec<Option<i64>> = list
            .iter()
            .map(|item| item.integer(i64::MIN..=i64::MAX))
            .collect();
        if let [Some(least), Some(most)] = bounds[..]
            && least <= most
        {
            return Some(Domain::Integer { least, most });
        }
        let message = "the domain needs its smallest and largest number";
        node.mistake("policy-domain", message, "write `integer = [0, 60]`");
        return None;
    }
    for (key, make) in [
        ("names", Domain::Names as fn(Vec<String>) -> Domain),
        ("levels", Domain::Levels),
    ] {
        if let Some(node) = fields.get(key) {
            let names = names(&node, "junior");
            if names.is_empty() {
                let message = "the domain is empty";
                node.mistake("policy-domain", message, "name at least one value");
                return None;
            }
            return Some(make(names));
        }
    }
    if fields.get("truth").is_some() {
        return Some(Domain::Truth);
    }
    if fields.get("time-of-day").is_some() {
        return Some(Domain::TimeOfDay);
    }
    let help = "add `integer = [least, most]`, `names = [..]`, `levels = [..]`, `truth = true` or `time-of-day = true`";
    entry.mistake("policy-domain", "the attribute has no domain", help);
    None
}
