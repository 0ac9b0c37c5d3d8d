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
//! let policy = denym_purpose::AccessPolicy::parse(text, &|_| None)?;
//! let noon = denym_purpose::Moment { day: 0, minute: 12 * 60 };
//! let access = policy.open("russell", None, "customer_info", noon)?;
//! assert_eq!(access.purpose_name(), "marketing");
//! assert_eq!(access.compliance(1, None, None), denym_purpose::Compliance::Conditional);
//! # Ok::<(), denym_purpose::Error>(())
//! ```

mod consents;
mod masks;
mod node;
mod people;
mod tables;

use crate::attribute::{Attribute, Attributes, ClockPart, Domain, Scope, Values};
use crate::error::Error;
use crate::mask::Levels;
use crate::policy::{AccessPolicy, PurposeMode};
use crate::role::Roles;
use crate::tree::{Purpose, PurposeTree};
use node::{Fields, Node, Reader};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

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
    /// Reads and checks a policy. `hierarchy` reads the files that `[hierarchies]` names.
    pub fn parse(text: &str, hierarchy: &HierarchyReader<'_>) -> Result<Self, Error> {
        let mut reader = Reader::new(text);
        let (document, errors) = DeTable::parse_recoverable(text);
        reader.syntax(document.get_ref(), &errors, &KEYS);
        let root = DeValue::Table(document.into_inner());
        // behind a syntax error every other finding may be an echo of it
        let policy = if reader.is_sound() {
            read(&mut reader, &Node::root(&root), hierarchy)
        } else {
            None
        };
        reader.finish()?;
        // no mistake was recorded, so every part was read
        policy.ok_or(Error::Policy {
            mistakes: Vec::new(),
        })
    }
}

fn read<'a>(
    reader: &mut Reader<'a>,
    root: &Node<'a>,
    hierarchy: &HierarchyReader<'_>,
) -> Option<AccessPolicy> {
    let fields = reader.fields(root, &KEYS);
    let modes = [
        ("stated", PurposeMode::Stated),
        ("inferred", PurposeMode::Inferred),
    ];
    let purpose_mode = match fields.get("purpose") {
        Some(node) => reader.choice(&node, &modes).unwrap_or_default(),
        None => PurposeMode::Stated,
    };
    let tree = read_purposes(reader, &fields);
    let (attributes, system) = read_attributes(reader, &fields);
    let roles = people::read_roles(reader, &fields);
    let mut known = Known {
        tree,
        attributes,
        roles,
        hierarchies: BTreeMap::new(),
    };
    known.hierarchies = masks::read_hierarchies(reader, &fields, hierarchy);
    let tables = tables::read_tables(reader, &fields, &known);
    let users = people::read_users(reader, &fields, &known);
    let grants = people::read_grants(reader, &fields, &known, &tables);
    Some(AccessPolicy {
        purposes: known.tree?,
        purpose_mode,
        attributes: known.attributes?,
        roles: known.roles?,
        users,
        grants,
        tables,
        system,
    })
}

fn read_purposes<'a>(reader: &mut Reader<'a>, fields: &Fields<'a>) -> Option<PurposeTree> {
    let node = reader.need(fields, "purposes")?;
    let mut purposes = Vec::new();
    for (name, entry) in reader.entries(&node) {
        let mut purpose = Purpose {
            name,
            ..Purpose::default()
        };
        if entry.is_text() {
            purpose.parent = reader.text_of(&entry);
        } else {
            let fields = reader.fields(&entry, &["parent", "retention-days", "obligations"]);
            if let Some(node) = fields.get("parent") {
                purpose.parent = reader.text_of(&node);
            }
            if let Some(node) = fields.get("retention-days") {
                let days = reader.integer(&node, 0, i64::from(u32::MAX));
                purpose.retention_days = days.and_then(|days| u32::try_from(days).ok());
            }
            if let Some(node) = fields.get("obligations") {
                let texts = reader.texts(&node);
                purpose.obligations = texts.into_iter().map(|(_, text)| text).collect();
            }
        }
        purposes.push(purpose);
    }
    let width = match fields.get("width") {
        Some(node) => Some(usize::try_from(reader.integer(&node, 1, 100_000)?).ok()?),
        None => None,
    };
    reader.check(&node, PurposeTree::new(purposes, width))
}

fn read_attributes<'a>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
) -> (Option<Attributes>, Values) {
    let Some(node) = fields.get("attributes") else {
        return (Some(Attributes::default()), Values::new());
    };
    let (mut list, mut system, mut complete) = (Vec::new(), Values::new(), true);
    for (name, entry) in reader.entries(&node) {
        match read_attribute(reader, name, &entry) {
            Some((attribute, value)) => {
                list.push(attribute);
                system.push(value);
            }
            None => complete = false,
        }
    }
    (complete.then(|| Attributes::new(list)), system)
}

fn read_attribute<'a>(
    reader: &mut Reader<'a>,
    name: String,
    entry: &Node<'a>,
) -> Option<(Attribute, Option<i64>)> {
    let known = [
        "of",
        "part",
        "integer",
        "names",
        "levels",
        "truth",
        "time-of-day",
        "value",
    ];
    let fields = reader.fields(entry, &known);
    let of = reader.need(&fields, "of")?;
    let scopes = [("role", 0), ("system", 1), ("clock", 2)];
    let scope = reader.choice(&of, &scopes)?;
    if scope == 2 {
        let part = reader.need(&fields, "part")?;
        let parts = [
            ("hour", ClockPart::Hour),
            ("time-of-day", ClockPart::TimeOfDay),
            ("weekday", ClockPart::Weekday),
        ];
        let part = reader.choice(&part, &parts)?;
        let domain = match part {
            ClockPart::Hour => Domain::Integer { least: 0, most: 23 },
            ClockPart::TimeOfDay => Domain::TimeOfDay,
            ClockPart::Weekday => Domain::Levels(
                ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
                    .map(str::to_owned)
                    .to_vec(),
            ),
        };
        let scope = Scope::Clock(part);
        return Some((
            Attribute {
                name,
                scope,
                domain,
            },
            None,
        ));
    }
    let domain = read_domain(reader, &fields)?;
    let value = match fields.get("value") {
        None => None,
        Some(node) => {
            let text = reader.scalar(&node)?;
            let code = domain.code(&text).ok_or_else(|| Error::OutsideDomain {
                name: name.clone(),
                domain: domain.describe(),
            });
            Some(reader.check(&node, code)?)
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

fn read_domain<'a>(reader: &mut Reader<'a>, fields: &Fields<'a>) -> Option<Domain> {
    if let Some(node) = fields.get("integer") {
        let bounds: Vec<Option<i64>> = reader
            .list(&node)
            .iter()
            .map(|item| reader.integer(item, i64::MIN, i64::MAX))
            .collect();
        if let [Some(least), Some(most)] = bounds[..]
            && least <= most
        {
            return Some(Domain::Integer { least, most });
        }
        let message = "the domain needs its smallest and largest number";
        reader.mistake(
            node.at,
            &node.path,
            "domain-unreadable",
            message,
            "write `integer = [0, 60]`",
        );
        return None;
    }
    for (key, make) in [
        ("names", Domain::Names as fn(Vec<String>) -> Domain),
        ("levels", Domain::Levels),
    ] {
        if let Some(node) = fields.get(key) {
            let names: Vec<String> = reader
                .texts(&node)
                .into_iter()
                .map(|(_, name)| name)
                .collect();
            if names.is_empty() {
                reader.mistake(
                    node.at,
                    &node.path,
                    "domain-empty",
                    "the domain is empty",
                    "name at least one value",
                );
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
    let node = &fields.node;
    let help = "add `integer = [least, most]`, `names = [..]`, `levels = [..]`, `truth = true` or `time-of-day = true`";
    reader.mistake(
        node.at,
        &node.path,
        "domain-missing",
        "the attribute has no domain",
        help,
    );
    None
}
