//! Masks and hierarchies of a policy text.

use super::node::{Fields, Node, Reader};
use super::{HierarchyReader, Known};
use crate::mask::{Bound, Levels, Mask, Reach, Shape};
use crate::nearest::nearest;
use crate::value::Kind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// `[hierarchies] zip = { rows = [["4350", "43**"], ..] }` or `zip = { file = "zip.csv" }`.
pub(super) fn read_hierarchies<'a>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
    hierarchy: &HierarchyReader<'_>,
) -> BTreeMap<String, Option<Arc<Levels>>> {
    let mut out = BTreeMap::new();
    let Some(node) = fields.get("hierarchies") else {
        return out;
    };
    for (name, entry) in reader.entries(&node) {
        let fields = reader.fields(&entry, &["rows", "file"]);
        let rows = if let Some(node) = fields.get("rows") {
            let lines = reader.list(&node);
            Some(
                lines
                    .iter()
                    .map(|line| reader.texts(line).into_iter().map(|(_, t)| t).collect())
                    .collect(),
            )
        } else if let Some(node) = reader.need(&fields, "file") {
            let rows = reader.text_of(&node).and_then(|file| hierarchy(&file));
            if rows.is_none() {
                let message = "the hierarchy file cannot be read";
                let help = "give a CSV file with one row per value and a column per level";
                reader.mistake(node.at, &node.path, "hierarchy-unreadable", message, help);
            }
            rows
        } else {
            None
        };
        out.insert(name, rows.map(|rows| Arc::new(Levels::new(rows))));
    }
    out
}

const MASKS: [&str; 8] = [
    "first-letters",
    "characters",
    "interval",
    "level",
    "pseudonym",
    "noise",
    "stored",
    "where-hidden",
];

/// A mask: `"null"`, `"value"`, or a table with one of the masks.
pub(super) fn read_mask<'a>(
    reader: &mut Reader<'a>,
    node: &Node<'a>,
    known: &Known,
) -> Option<Mask> {
    if node.is_text() {
        return match reader.choice(node, &[("null", 0), ("value", 1)])? {
            0 => Some(Mask::Null),
            _ => Some(Mask::Value),
        };
    }
    let fields = reader.fields(node, &MASKS);
    let given: Vec<(&str, Node<'a>)> = MASKS
        .iter()
        .filter_map(|key| fields.get(key).map(|node| (*key, node)))
        .collect();
    let [(key, item)] = &given[..] else {
        let message = format!("expected one mask, found {}", given.len());
        let help = format!("give one of: {}", MASKS.join(", "));
        reader.mistake(node.at, &node.path, "mask-not-one", message, help);
        return None;
    };
    match *key {
        "first-letters" => Some(Mask::FirstLetters(count(reader, item, 1, 1000)?)),
        "characters" => {
            let fields = reader.fields(item, &["keep-first", "keep-last", "with"]);
            let mut keep = |key: &str| match fields.get(key) {
                Some(node) => count(reader, &node, 0, 1000),
                None => Some(0),
            };
            let (keep_first, keep_last) = (keep("keep-first")?, keep("keep-last")?);
            let with = match fields.get("with") {
                None => '*',
                Some(node) => {
                    let text = reader.text_of(&node)?;
                    let mut chars = text.chars();
                    let (first, second) = (chars.next(), chars.next());
                    let Some(only) = first.filter(|_| second.is_none()) else {
                        let message = "expected one character";
                        reader.mistake(
                            node.at,
                            &node.path,
                            "out-of-range",
                            message,
                            "write one character",
                        );
                        return None;
                    };
                    only
                }
            };
            Some(Mask::Characters {
                keep_first,
                keep_last,
                with,
            })
        }
        "interval" => read_interval(reader, item),
        "level" => {
            let fields = reader.fields(item, &["hierarchy", "level"]);
            let name_node = reader.need(&fields, "hierarchy")?;
            let hierarchy = reader.text_of(&name_node)?;
            let level_node = reader.need(&fields, "level")?;
            let Some(levels) = known.hierarchies.get(&hierarchy) else {
                let message = format!("there is no hierarchy `{hierarchy}`");
                let help = nearest(&hierarchy, known.hierarchies.keys().map(String::as_str))
                    .map_or_else(
                        || "declare it in `[hierarchies]`".into(),
                        |n| format!("did you mean `{n}`?"),
                    );
                reader.mistake(
                    name_node.at,
                    &name_node.path,
                    "hierarchy-unknown",
                    message,
                    help,
                );
                return None;
            };
            let levels = levels.clone()?;
            let level = count(reader, &level_node, 1, levels.height().max(1))?;
            Some(Mask::Level {
                hierarchy,
                levels,
                level,
            })
        }
        "pseudonym" => {
            let fields = reader.fields(item, &["length", "reach"]);
            let length = match fields.get("length") {
                Some(node) => count(reader, &node, 8, 64)?,
                None => 16,
            };
            let reach = match fields.get("reach") {
                Some(node) => {
                    reader.choice(&node, &[("cell", Reach::Cell), ("value", Reach::Value)])?
                }
                None => Reach::Cell,
            };
            Some(Mask::Pseudonym { length, reach })
        }
        "noise" => {
            let fields = reader.fields(item, &["spread", "shape"]);
            let node = reader.need(&fields, "spread")?;
            let spread = positive(reader, &node)?;
            let shapes = [("uniform", Shape::Uniform), ("laplace", Shape::Laplace)];
            let shape = match fields.get("shape") {
                Some(node) => reader.choice(&node, &shapes)?,
                None => Shape::Laplace,
            };
            Some(Mask::Noise { spread, shape })
        }
        "stored" => {
            if item.is_text() {
                let column = reader.text_of(item)?;
                return Some(Mask::Stored {
                    column,
                    kind: Kind::Text,
                });
            }
            let fields = reader.fields(item, &["column", "type"]);
            let node = reader.need(&fields, "column")?;
            let column = reader.text_of(&node)?;
            let kind = match fields.get("type") {
                Some(node) => reader.choice(&node, &Kind::NAMES)?,
                None => Kind::Text,
            };
            Some(Mask::Stored { column, kind })
        }
        _ => {
            let fields = reader.fields(item, &["columns", "then", "otherwise"]);
            let node = reader.need(&fields, "columns")?;
            let columns: Vec<String> = reader.texts(&node).into_iter().map(|(_, c)| c).collect();
            if columns.is_empty() {
                let message = "name the columns that must be hidden";
                reader.mistake(
                    node.at,
                    &node.path,
                    "out-of-range",
                    message,
                    "name at least one column",
                );
                return None;
            }
            let then = match fields.get("then") {
                Some(node) => read_mask(reader, &node, known)?,
                None => Mask::Value,
            };
            let otherwise = match fields.get("otherwise") {
                Some(node) => read_mask(reader, &node, known)?,
                None => Mask::Null,
            };
            Some(Mask::WhereHidden {
                columns,
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            })
        }
    }
}

/// `interval = 10000`, or `{ width = 10000, origin = 0, show = "range" | "lower" | "midpoint" }`.
fn read_interval<'a>(reader: &mut Reader<'a>, item: &Node<'a>) -> Option<Mask> {
    if !item.is_table() && !item.is_list() {
        return Some(Mask::Interval {
            width: positive(reader, item)?,
            origin: 0.0,
            show: Bound::Range,
        });
    }
    let fields = reader.fields(item, &["width", "origin", "show"]);
    let node = reader.need(&fields, "width")?;
    let width = positive(reader, &node)?;
    let origin = match fields.get("origin") {
        Some(node) => reader.number(&node)?,
        None => 0.0,
    };
    let bounds = [
        ("range", Bound::Range),
        ("lower", Bound::Lower),
        ("midpoint", Bound::Midpoint),
    ];
    let show = match fields.get("show") {
        Some(node) => reader.choice(&node, &bounds)?,
        None => Bound::Range,
    };
    Some(Mask::Interval {
        width,
        origin,
        show,
    })
}

fn positive<'a>(reader: &mut Reader<'a>, node: &Node<'a>) -> Option<f64> {
    let number = reader.number(node)?;
    if number > 0.0 {
        return Some(number);
    }
    let message = "the number must be above 0";
    reader.mistake(
        node.at,
        &node.path,
        "out-of-range",
        message,
        "write a number above 0",
    );
    None
}

fn count<'a>(reader: &mut Reader<'a>, node: &Node<'a>, least: usize, most: usize) -> Option<usize> {
    let (least, most) = (i64::try_from(least).ok()?, i64::try_from(most).ok()?);
    usize::try_from(reader.integer(node, least, most)?).ok()
}
