//! Roles, users and grants of a policy text.

use super::{Known, check, entries, names, text_of};
use crate::condition::Condition;
use crate::consent::TablePolicy;
use crate::error::Error;
use crate::role::{Grant, Objects, Operation, Roles, User};
use denym_data::nearest;
use denym_policy::reader::{Node, Section};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn read_roles(root: &Section<'_, '_>) -> Option<Roles> {
    let Some(node) = root.get("roles") else {
        return Some(Roles::default());
    };
    let mut juniors = BTreeMap::new();
    for (name, entry) in entries(root, "roles", "{ clerk = [] }") {
        juniors.insert(name, names(&entry, "clerk"));
    }
    check(&node, Roles::new(juniors))
}

pub(super) fn read_users(root: &Section<'_, '_>, known: &Known) -> BTreeMap<String, User> {
    let mut out = BTreeMap::new();
    let example = "{ roles = [\"clerk\"] }";
    for (name, entry) in entries(root, "users", &format!("{{ ann = {example} }}")) {
        let Some(fields) = entry.section(&["roles", "attributes"], example) else {
            continue;
        };
        let mut user = User::default();
        if let Some(node) = fields.get("roles") {
            for (item, role) in node.texts("clerk") {
                if let Some(roles) = &known.roles {
                    check(&item, roles.check(role));
                }
                user.roles.push(role.to_owned());
            }
        }
        let mut named = Vec::new();
        for (attribute, item) in entries(&fields, "attributes", "{ experience = 5 }") {
            if let Some(text) = item.scalar("5") {
                // one at a time, so that each mistake has its place
                if let Some(attributes) = &known.attributes {
                    let pair = [(attribute.as_str(), text.as_str())];
                    check(&item, attributes.values(pair));
                }
                named.push((attribute, text));
            }
        }
        if let Some(attributes) = &known.attributes {
            let pairs = named
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str()));
            user.attributes = attributes.values(pairs).unwrap_or_default();
        }
        out.insert(name, user);
    }
    out
}

pub(super) fn read_grants(
    root: &Section<'_, '_>,
    known: &Known,
    tables: &BTreeMap<String, TablePolicy>,
) -> Vec<Grant> {
    let node = root.get("grants");
    let items = node.and_then(|node| node.list("[{ role = \"clerk\", purposes = [\"general\"] }]"));
    let items = items.unwrap_or_default();
    let grants = items.iter();
    grants
        .filter_map(|item| read_grant(item, known, tables))
        .collect()
}

fn read_grant(
    item: &Node<'_, '_>,
    known: &Known,
    tables: &BTreeMap<String, TablePolicy>,
) -> Option<Grant> {
    let keys = ["name", "role", "when", "purposes", "tables", "operations"];
    let fields = item.section(&keys, "{ role = \"clerk\", purposes = [\"general\"] }")?;
    let role_node = fields.need("role", "add `role = \"NAME\"`");
    let role = role_node.as_ref().and_then(|node| node.string("clerk"));
    if let (Some(roles), Some(node), Some(role)) = (&known.roles, &role_node, role) {
        check(node, roles.check(role));
    }
    let name = match fields.get("name") {
        Some(_) => text_of(&fields, "name", "office"),
        None => role.map(|role| format!("{} ({role})", item.path)),
    };
    let condition = match (fields.get("when"), &known.attributes) {
        (None, _) => Some(Condition::Always),
        (Some(node), Some(attributes)) => {
            let text = node.string("experience > 10");
            text.and_then(|text| check(&node, Condition::parse(text, attributes)))
        }
        (Some(_), None) => None,
    };
    let mut purposes = Vec::new();
    if let Some(node) = fields.need("purposes", "add `purposes = [\"NAME\"]`") {
        for (item, name) in node.texts("general") {
            if let Some(tree) = &known.tree {
                purposes.extend(check(&item, tree.find(name)));
            }
        }
    }
    let mut operations = BTreeSet::new();
    match fields.get("operations") {
        None => {
            operations.insert(Operation::Select);
        }
        Some(node) => {
            for item in node.list("[\"select\"]").unwrap_or_default() {
                let operation = item.choice(&Operation::NAMES);
                if operation.is_some_and(|operation| operation != Operation::Select) {
                    item.mistake(
                        "policy-operation",
                        "nothing can be written through a policy, so this operation cannot be granted",
                        "write operations = [\"select\"], or leave the key out",
                    );
                }
                operations.extend(operation);
            }
        }
    }
    let objects = match fields.get("tables") {
        None => Objects::Everything,
        Some(node) => read_objects(&fields, &node, tables),
    };
    Some(Grant {
        name: name?,
        role: role?.to_owned(),
        condition: condition?,
        objects,
        operations,
        purposes,
    })
}

/// `["a", "b"]`, or `{ a = "all", b = ["column", ..] }`.
fn read_objects(
    fields: &Section<'_, '_>,
    node: &Node<'_, '_>,
    tables: &BTreeMap<String, TablePolicy>,
) -> Objects {
    let mut out = BTreeMap::new();
    if node.is_table() {
        for (table, item) in entries(fields, "tables", "{ customer = \"all\" }") {
            let found = check_table(&item, &table, tables);
            if item.is_string() {
                item.choice(&[("all", ())]);
                out.insert(table, None);
                continue;
            }
            let mut columns = BTreeSet::new();
            for (item, column) in item.texts("name") {
                if let Some(policy) = found {
                    check(&item, policy.column(column));
                }
                columns.insert(column.to_owned());
            }
            out.insert(table, Some(columns));
        }
    } else {
        for (item, table) in node.texts("customer") {
            check_table(&item, table, tables);
            out.insert(table.to_owned(), None);
        }
    }
    Objects::Tables(out)
}

fn check_table<'t>(
    node: &Node<'_, '_>,
    name: &str,
    tables: &'t BTreeMap<String, TablePolicy>,
) -> Option<&'t TablePolicy> {
    let found = tables.get(name).ok_or_else(|| Error::TableUnknown {
        name: name.to_owned(),
        nearest: nearest(name, tables.keys().map(String::as_str)).map(str::to_owned),
    });
    check(node, found)
}
