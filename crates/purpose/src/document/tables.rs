//! Governed tables of a policy text: columns, default consents, provider groups, storage.

use super::Known;
use super::masks::read_mask;
use super::node::{Fields, Node, Reader};
use crate::bits::PurposeSet;
use crate::consent::{ColumnPolicy, GroupConsent, Mode, Storage, TablePolicy};
use crate::intended::IntendedPurpose;
use crate::mask::Mask;
use crate::value::Kind;
use std::collections::BTreeMap;

const KEYS: [&str; 10] = [
    "source",
    "key",
    "group",
    "collected",
    "mode",
    "consent",
    "default",
    "always-prohibited",
    "columns",
    "groups",
];

pub(super) fn read_tables<'a>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
    known: &Known,
) -> BTreeMap<String, TablePolicy> {
    let mut out = BTreeMap::new();
    let Some(node) = fields.get("tables") else {
        return out;
    };
    for (name, entry) in reader.entries(&node) {
        let table = read_table(reader, &name, &entry, known);
        out.insert(name, table);
    }
    out
}

fn read_table<'a>(
    reader: &mut Reader<'a>,
    name: &str,
    entry: &Node<'a>,
    known: &Known,
) -> TablePolicy {
    let fields = reader.fields(entry, &KEYS);
    let text =
        |reader: &mut Reader<'a>, key: &str| fields.get(key).and_then(|node| reader.text_of(&node));
    let mut table = TablePolicy {
        name: name.to_owned(),
        source: text(reader, "source"),
        key: text(reader, "key"),
        group: text(reader, "group"),
        collected: text(reader, "collected"),
        mode: Mode::default(),
        storage: Storage::default(),
        default: fields
            .get("default")
            .and_then(|node| read_intended(reader, &node, known)),
        always_prohibited: read_set(reader, fields.get("always-prohibited"), known),
        columns: Vec::new(),
        groups: BTreeMap::new(),
    };
    if let Some(node) = fields.get("mode") {
        let modes = [("mask", Mode::Mask), ("filter", Mode::Filter)];
        table.mode = reader.choice(&node, &modes).unwrap_or_default();
    }
    if let Some(node) = reader.need(&fields, "columns") {
        for (name, item) in reader.entries(&node) {
            let column = read_column(reader, name, &item, known);
            table.columns.push(column);
        }
        check_masks(reader, &table, &node);
    }
    if let Some(node) = fields.get("groups") {
        for (group, item) in reader.entries(&node) {
            let consent = read_group(reader, &item, &table, known);
            table.groups.insert(group, consent);
        }
        if table.group.is_none() {
            reader.mistake(
                node.at,
                &node.path,
                "group-column-missing",
                "groups need the column that holds them",
                "add `group = \"column\"` to the table",
            );
        }
    }
    if let Some(node) = fields.get("consent") {
        table.storage = read_storage(reader, &node, known);
        if table.storage == Storage::Table && table.key.is_none() {
            reader.mistake(
                node.at,
                &node.path,
                "key-column-missing",
                "a consent table needs the column that identifies a record",
                "add `key = \"column\"` to the table",
            );
        }
    }
    let retained = known.tree.as_ref().is_some_and(|tree| {
        tree.ids()
            .any(|id| tree.purpose(id).retention_days.is_some())
    });
    if retained && table.collected.is_none() {
        reader.mistake(
            entry.at,
            &entry.path,
            "collected-column-missing",
            "a purpose has a retention, but this table does not say when a record was collected",
            "add `collected = \"column\"` with the day of collection",
        );
    }
    table
}

fn read_column<'a>(
    reader: &mut Reader<'a>,
    name: String,
    item: &Node<'a>,
    known: &Known,
) -> ColumnPolicy {
    let fields = reader.fields(item, &["type", "mask", "default", "always-prohibited"]);
    let kind = fields
        .get("type")
        .and_then(|node| reader.choice(&node, &Kind::NAMES))
        .unwrap_or(Kind::Text);
    let mask = match fields.get("mask") {
        None => Mask::Null,
        Some(node) => {
            let mask = read_mask(reader, &node, known).unwrap_or(Mask::Null);
            if let Err(why) = mask.kind(kind) {
                let message = format!("the mask does not fit the column: {why}");
                let help = "choose another mask, or declare the column's `type`";
                reader.mistake(node.at, &node.path, "mask-wrong-type", message, help);
            }
            mask
        }
    };
    ColumnPolicy {
        name,
        kind,
        default: fields
            .get("default")
            .and_then(|node| read_intended(reader, &node, known)),
        always_prohibited: read_set(reader, fields.get("always-prohibited"), known),
        mask,
    }
}

/// Masks with stronger needs than their own column: named other columns, a key for pseudonyms and noise per record.
fn check_masks<'a>(reader: &mut Reader<'a>, table: &TablePolicy, node: &Node<'a>) {
    for (name, item) in reader.entries(node) {
        let Some(column) = table.columns.iter().find(|column| column.name == name) else {
            continue;
        };
        let mut hidden = Vec::new();
        let mut keyed = false;
        visit(&column.mask, &mut |mask| match mask {
            Mask::WhereHidden { columns, .. } => hidden.extend(columns.clone()),
            Mask::Noise { .. } => keyed = true,
            Mask::Pseudonym { reach, .. } => keyed |= *reach == crate::mask::Reach::Cell,
            _ => {}
        });
        for other in hidden {
            reader.check(&item, table.column(&other));
        }
        if keyed && table.key.is_none() {
            reader.mistake(
                item.at,
                &item.path,
                "key-column-missing",
                "noise and pseudonyms per record need the column that identifies a record",
                "add `key = \"column\"` to the table",
            );
        }
    }
}

fn visit(mask: &Mask, see: &mut impl FnMut(&Mask)) {
    see(mask);
    if let Mask::WhereHidden {
        then, otherwise, ..
    } = mask
    {
        visit(then, see);
        visit(otherwise, see);
    }
}

fn read_group<'a>(
    reader: &mut Reader<'a>,
    item: &Node<'a>,
    table: &TablePolicy,
    known: &Known,
) -> GroupConsent {
    let mut out = GroupConsent::default();
    let fields = reader.fields(item, &["all", "columns"]);
    if let Some(node) = fields.get("all") {
        out.all = read_intended(reader, &node, known);
    }
    if let Some(node) = fields.get("columns") {
        for (column, item) in reader.entries(&node) {
            let place = reader.check(&item, table.column(&column));
            if let (Some(place), Some(ip)) = (place, read_intended(reader, &item, known)) {
                out.columns.insert(place, ip);
            }
        }
    }
    out
}

fn read_storage<'a>(reader: &mut Reader<'a>, node: &Node<'a>, known: &Known) -> Storage {
    let suffixes = |names: [&str; 3]| {
        let [allowed, conditional, prohibited] = names.map(str::to_owned);
        Storage::Companion {
            allowed,
            conditional,
            prohibited,
        }
    };
    let storage = if node.is_text() {
        let choices = [("none", 0), ("table", 1), ("companion", 2)];
        match reader.choice(node, &choices) {
            Some(1) => Storage::Table,
            Some(2) => suffixes(["_aip", "_cip", "_pip"]),
            _ => Storage::None,
        }
    } else {
        let fields = reader.fields(node, &["companion", "row-code"]);
        if let Some(node) = fields.get("row-code") {
            let column = reader.text_of(&node).unwrap_or_default();
            Storage::RowCode { column }
        } else if let Some(node) = reader.need(&fields, "companion") {
            let names: Vec<String> = reader.texts(&node).into_iter().map(|(_, n)| n).collect();
            if let [a, c, p] = &names[..] {
                suffixes([a, c, p])
            } else {
                let help = "write `companion = [\"_aip\", \"_cip\", \"_pip\"]`";
                let message = "companion columns need three suffixes";
                reader.mistake(node.at, &node.path, "companion-suffixes", message, help);
                Storage::None
            }
        } else {
            Storage::None
        }
    };
    let width = known.tree.as_ref().map_or(0, crate::PurposeTree::width);
    if matches!(storage, Storage::Companion { .. }) && width > 63 {
        reader.mistake(
            node.at,
            &node.path,
            "companion-too-narrow",
            "companion columns hold at most 63 purposes",
            "use `consent = \"table\"` or `{ row-code = \"column\" }`",
        );
    }
    storage
}

/// `{ allowed = [..], conditional = [..], prohibited = [..] }`, or the text `<{..}, {..}, {..}>`.
fn read_intended<'a>(
    reader: &mut Reader<'a>,
    node: &Node<'a>,
    known: &Known,
) -> Option<IntendedPurpose> {
    if node.is_text() {
        let text = reader.text_of(node)?;
        let tree = known.tree.as_ref()?;
        let found = IntendedPurpose::from_text(tree, &text);
        if found.is_none() {
            let message = "the intended purpose cannot be read";
            let help = "write `<{allowed}, {conditional}, {prohibited}>` with declared purposes";
            reader.mistake(node.at, &node.path, "intended-unreadable", message, help);
        }
        return found;
    }
    let fields = reader.fields(node, &["allowed", "conditional", "prohibited"]);
    Some(IntendedPurpose {
        allowed: read_set(reader, fields.get("allowed"), known),
        conditional: read_set(reader, fields.get("conditional"), known),
        prohibited: read_set(reader, fields.get("prohibited"), known),
    })
}

/// The sets of an entry: `intended = ".."`, or the three lists beside each other.
pub(super) fn read_intended_fields<'a>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
    known: &Known,
) -> Option<IntendedPurpose> {
    let sets = ["allowed", "conditional", "prohibited"];
    match fields.get("intended") {
        Some(node) if sets.iter().any(|key| fields.get(key).is_some()) => {
            let message = "the intended purpose is said twice";
            let help = "keep `intended`, or the lists";
            reader.mistake(node.at, &node.path, "intended-twice", message, help);
            None
        }
        Some(node) => read_intended(reader, &node, known),
        None => {
            let [allowed, conditional, prohibited] =
                sets.map(|key| read_set(reader, fields.get(key), known));
            Some(IntendedPurpose {
                allowed,
                conditional,
                prohibited,
            })
        }
    }
}

fn read_set<'a>(reader: &mut Reader<'a>, node: Option<Node<'a>>, known: &Known) -> PurposeSet {
    let mut out = PurposeSet::empty();
    let (Some(node), Some(tree)) = (node, known.tree.as_ref()) else {
        return out;
    };
    for (item, name) in reader.texts(&node) {
        if let Some(id) = reader.check(&item, tree.find(&name)) {
            out.insert(tree.bit(id));
        }
    }
    out
}
