//! Roles, users and grants of a policy text.

use super::Known;
use super::node::{Fields, Node, Reader};
use crate::condition::Condition;
use crate::consent::TablePolicy;
use crate::error::Error;
use crate::nearest::nearest;
use crate::role::{Grant, Objects, Operation, Roles, User};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn read_roles<'a>(reader: &mut Reader<'a>, fields: &Fields<'a>) -> Option<Roles> {
    let Some(node) = fields.get("roles") else {
        return Some(Roles::default());
    };
    let mut juniors = BTreeMap::new();
    for (name, entry) in reader.entries(&node) {
        let list = reader.texts(&entry);
        juniors.insert(name, list.into_iter().map(|(_, junior)| junior).collect());
    }
    reader.check(&node, Roles::new(juniors))
}

pub(super) fn read_users<'a>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
    known: &Known,
) -> BTreeMap<String, User> {
    let mut out = BTreeMap::new();
    let Some(node) = fields.get("users") else {
        return out;
    };
    for (name, entry) in reader.entries(&node) {
        let fields = reader.fields(&entry, &["roles", "attributes"]);
        let mut user = User::default();
        if let Some(node) = fields.get("roles") {
            for (item, role) in reader.texts(&node) {
                if let Some(roles) = &known.roles {
                    reader.check(&item, roles.check(&role));
                }
                user.roles.push(role);
            }
        }
        let mut named = Vec::new();
        if let Some(node) = fields.get("attributes") {
            for (attribute, item) in reader.entries(&node) {
                if let Some(text) = reader.scalar(&item) {
                    // one at a time, so that each mistake has its place
                    if let Some(attributes) = &known.attributes {
                        reader.check(
                            &item,
                            attributes.values([(attribute.as_str(), text.as_str())]),
                        );
                    }
                    named.push((attribute, text));
                }
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

pub(super) fn read_grants<'a>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
    known: &Known,
    tables: &BTreeMap<String, TablePolicy>,
) -> Vec<Grant> {
    let Some(node) = fields.get("grants") else {
        return Vec::new();
    };
    let items = reader.list(&node);
    items
        .iter()
        .filter_map(|item| read_grant(reader, item, known, tables))
        .collect()
}

fn read_grant<'a>(
    reader: &mut Reader<'a>,
    item: &Node<'a>,
    known: &Known,
    tables: &BTreeMap<String, TablePolicy>,
) -> Option<Grant> {
    let keys = ["name", "role", "when", "purposes", "tables", "operations"];
    let fields = reader.fields(item, &keys);
    let role_node = reader.need(&fields, "role");
    let role = role_node.as_ref().and_then(|node| reader.text_of(node));
    if let (Some(roles), Some(node), Some(role)) = (&known.roles, &role_node, &role) {
        reader.check(node, roles.check(role));
    }
    let name = match fields.get("name") {
        Some(node) => reader.text_of(&node),
        None => role.as_ref().map(|role| format!("{} ({role})", item.path)),
    };
    let condition = match (fields.get("when"), &known.attributes) {
        (None, _) => Some(Condition::Always),
        (Some(node), Some(attributes)) => {
            let text = reader.text_of(&node);
            text.and_then(|text| reader.check(&node, Condition::parse(&text, attributes)))
        }
        (Some(_), None) => None,
    };
    let mut purposes = Vec::new();
    if let Some(node) = reader.need(&fields, "purposes") {
        for (item, name) in reader.texts(&node) {
            if let Some(tree) = &known.tree {
                purposes.extend(reader.check(&item, tree.find(&name)));
            }
        }
    }
    let mut operations = BTreeSet::new();
    match fields.get("operations") {
        None => {
            operations.insert(Operation::Select);
        }
        Some(node) => {
            for item in reader.list(&node) {
                let operation = reader.choice(&item, &Operation::NAMES);
                if operation.is_some_and(|operation| operation != Operation::Select) {
                    reader.mistake(
                        item.at,
                        &item.path,
                        "operation-not-served",
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
        Some(node) => read_objects(reader, &node, tables),
    };
    Some(Grant {
        name: name?,
        role: role?,
        condition: condition?,
        objects,
        operations,
        purposes,
    })
}

/// `["a", "b"]`, or `{ a = "all", b = ["column", ..] }`.
fn read_objects<'a>(
    reader: &mut Reader<'a>,
    node: &Node<'a>,
    tables: &BTreeMap<String, TablePolicy>,
) -> Objects {
    let mut out = BTreeMap::new();
    if node.is_table() {
        for (table, item) in reader.entries(node) {
            let found = check_table(reader, &item, &table, tables);
            if item.is_text() {
                reader.choice(&item, &[("all", ())]);
                out.insert(table, None);
                continue;
            }
            let mut columns = BTreeSet::new();
            for (item, column) in reader.texts(&item) {
                if let Some(policy) = found {
                    reader.check(&item, policy.column(&column));
                }
                columns.insert(column);
            }
            out.insert(table, Some(columns));
        }
    } else {
        for (item, table) in reader.texts(node) {
            check_table(reader, &item, &table, tables);
            out.insert(table, None);
        }
    }
    Objects::Tables(out)
}

fn check_table<'t>(
    reader: &mut Reader<'_>,
    node: &Node<'_>,
    name: &str,
    tables: &'t BTreeMap<String, TablePolicy>,
) -> Option<&'t TablePolicy> {
    let found = tables.get(name).ok_or_else(|| Error::TableUnknown {
        name: name.to_owned(),
        nearest: nearest(name, tables.keys().map(String::as_str)),
    });
    reader.check(node, found)
}
