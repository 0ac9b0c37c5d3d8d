//! Governed tables of a policy text: columns, default consents, provider groups, storage.

use super::masks::read_mask;
use super::{Known, check, entries, names, text_of};
use crate::bits::PurposeSet;
use crate::consent::{ColumnPolicy, GroupConsent, Mode, Storage, TablePolicy};
use crate::intended::IntendedPurpose;
use crate::mask::Mask;
use crate::value::Kind;
use denym_policy::reader::{Node, Section};
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

pub(super) fn read_tables(root: &Section<'_, '_>, known: &Known) -> BTreeMap<String, TablePolicy> {
    let tables = entries(root, "tables", "{ customer = { columns = { name = {} } } }");
    let tables = tables.into_iter().filter_map(|(name, entry)| {
        let table = read_table(&name, &entry, known)?;
        Some((name, table))
    });
    tables.collect()
}

fn read_table(name: &str, entry: &Node<'_, '_>, known: &Known) -> Option<TablePolicy> {
    let fields = entry.section(&KEYS, "{ columns = { name = {} } }")?;
    let column = |key| text_of(&fields, key, "column");
    let mut table = TablePolicy {
        name: name.to_owned(),
        source: text_of(&fields, "source", "customers.csv"),
        key: column("key"),
        group: column("group"),
        collected: column("collected"),
        mode: Mode::default(),
        storage: Storage::default(),
        default: fields
            .get("default")
            .and_then(|node| read_intended(&node, known)),
        always_prohibited: read_set(fields.get("always-prohibited"), known),
        columns: Vec::new(),
        groups: BTreeMap::new(),
    };
    if let Some(node) = fields.get("mode") {
        let modes = [("mask", Mode::Mask), ("filter", Mode::Filter)];
        table.mode = node.choice(&modes).unwrap_or_default();
    }
    if fields
        .need("columns", "add `columns = { NAME = {} }`")
        .is_some()
    {
        let columns = entries(&fields, "columns", "{ name = {} }");
        let read = columns.iter();
        table.columns = read
            .map(|(name, item)| read_column(name, item, known))
            .collect();
        check_masks(&table, &columns);
    }
    if let Some(node) = fields.get("groups") {
        for (group, item) in entries(&fields, "groups", "{ adults = {} }") {
            let consent = read_group(&item, &table, known);
            table.groups.insert(group, consent.unwrap_or_default());
        }
        if table.group.is_none() {
            node.mistake(
                "policy-no-group",
                "groups need the column that holds them",
                "add `group = \"column\"` to the table",
            );
        }
    }
    if let Some(node) = fields.get("consent") {
        table.storage = read_storage(&node, known);
        if table.storage == Storage::Table && table.key.is_none() {
            node.mistake(
                "policy-no-key",
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
        entry.mistake(
            "policy-no-collected",
            "a purpose has a retention, but this table does not say when a record was collected",
            "add `collected = \"column\"` with the day of collection",
        );
    }
    Some(table)
}

fn read_column(name: &str, item: &Node<'_, '_>, known: &Known) -> ColumnPolicy {
    let keys = ["type", "mask", "default", "always-prohibited"];
    let fields = item.section(&keys, "{ type = \"text\" }");
    let get = |key| fields.as_ref().and_then(|fields| fields.get(key));
    let kind = get("type")
        .and_then(|node| node.choice(&Kind::NAMES))
        .unwrap_or(Kind::Text);
    let mask = match get("mask") {
        None => Mask::Null,
        Some(node) => {
            let mask = read_mask(&node, known).unwrap_or(Mask::Null);
            if let Err(why) = mask.kind(kind) {
                let message = format!("the mask does not fit the column: {why}");
                let help = "choose another mask, or declare the column's `type`";
                node.mistake("policy-mask-type", message, help);
            }
            mask
        }
    };
    ColumnPolicy {
        name: name.to_owned(),
        kind,
        default: get("default").and_then(|node| read_intended(&node, known)),
        always_prohibited: read_set(get("always-prohibited"), known),
        mask,
    }
}

/// Masks with stronger needs than their own column: named other columns, a key for pseudonyms and noise per record.
fn check_masks(table: &TablePolicy, columns: &[(String, Node<'_, '_>)]) {
    for (name, item) in columns {
        let Some(column) = table.columns.iter().find(|column| column.name == *name) else {
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
            check(item, table.column(&other));
        }
        if keyed && table.key.is_none() {
            item.mistake(
                "policy-no-key",
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

fn read_group(item: &Node<'_, '_>, table: &TablePolicy, known: &Known) -> Option<GroupConsent> {
    let mut out = GroupConsent::default();
    let example = "{ allowed = [\"general\"] }";
    let fields = item.section(&["all", "columns"], &format!("{{ all = {example} }}"))?;
    if let Some(node) = fields.get("all") {
        out.all = read_intended(&node, known);
    }
    for (column, item) in entries(&fields, "columns", &format!("{{ name = {example} }}")) {
        let place = check(&item, table.column(&column));
        if let (Some(place), Some(ip)) = (place, read_intended(&item, known)) {
            out.columns.insert(place, ip);
        }
    }
    Some(out)
}

fn read_storage(node: &Node<'_, '_>, known: &Known) -> Storage {
    let storage = read_storage_form(node).unwrap_or(Storage::None);
    let width = known.tree.as_ref().map_or(0, crate::PurposeTree::width);
    if matches!(storage, Storage::Companion { .. }) && width > 63 {
        node.mistake(
            "policy-companion",
            "companion columns hold at most 63 purposes",
            "use `consent = \"table\"` or `{ row-code = \"column\" }`",
        );
    }
    storage
}

fn read_storage_form(node: &Node<'_, '_>) -> Option<Storage> {
    let suffixes = |names: [&str; 3]| {
        let [allowed, conditional, prohibited] = names.map(str::to_owned);
        Storage::Companion {
            allowed,
            conditional,
            prohibited,
        }
    };
    if node.is_string() {
        return match node.choice(&[("none", 0), ("table", 1), ("companion", 2)])? {
            1 => Some(Storage::Table),
            2 => Some(suffixes(["_aip", "_cip", "_pip"])),
            _ => Some(Storage::None),
        };
    }
    let fields = node.section(&["companion", "row-code"], "{ row-code = \"column\" }")?;
    if fields.get("row-code").is_some() {
        let column = text_of(&fields, "row-code", "column")?;
        return Some(Storage::RowCode { column });
    }
    let help = "write `companion = [\"_aip\", \"_cip\", \"_pip\"]`";
    let node = fields.need("companion", help)?;
    let names = names(&node, "_aip");
    let [allowed, conditional, prohibited] = &names[..] else {
        let message = "companion columns need three suffixes";
        node.mistake("policy-companion", message, help);
        return None;
    };
    Some(suffixes([allowed, conditional, prohibited]))
}

/// `{ allowed = [..], conditional = [..], prohibited = [..] }`, or the text `<{..}, {..}, {..}>`.
fn read_intended(node: &Node<'_, '_>, known: &Known) -> Option<IntendedPurpose> {
    if let Some(text) = node.text() {
        let tree = known.tree.as_ref()?;
        let found = IntendedPurpose::from_text(tree, text);
        if found.is_none() {
            let message = "the intended purpose cannot be read";
            let help = "write `<{allowed}, {conditional}, {prohibited}>` with declared purposes";
            node.mistake("policy-intended", message, help);
        }
        return found;
    }
    let fields = node.section(&SETS, "{ allowed = [\"general\"] }")?;
    Some(read_sets(&fields, known))
}

const SETS: [&str; 3] = ["allowed", "conditional", "prohibited"];

fn read_sets(fields: &Section<'_, '_>, known: &Known) -> IntendedPurpose {
    let [allowed, conditional, prohibited] = SETS.map(|key| read_set(fields.get(key), known));
    IntendedPurpose {
        allowed,
        conditional,
        prohibited,
    }
}

/// The sets of an entry: `intended = ".."`, or the three lists beside each other.
pub(super) fn read_intended_fields(
    fields: &Section<'_, '_>,
    known: &Known,
) -> Option<IntendedPurpose> {
    match fields.get("intended") {
        Some(node) if SETS.iter().any(|key| fields.get(key).is_some()) => {
            let message = "the intended purpose is said twice";
            node.mistake("policy-two-forms", message, "keep `intended`, or the lists");
            None
        }
        Some(node) => read_intended(&node, known),
        None => Some(read_sets(fields, known)),
    }
}

fn read_set(node: Option<Node<'_, '_>>, known: &Known) -> PurposeSet {
    let mut out = PurposeSet::empty();
    let (Some(node), Some(tree)) = (node, known.tree.as_ref()) else {
        return out;
    };
    for (item, name) in node.texts("general") {
        if let Some(id) = check(&item, tree.find(name)) {
            out.insert(tree.bit(id));
        }
    }
    out
}
