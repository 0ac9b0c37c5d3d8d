//! Masks and hierarchies of a policy text.

use super::{HierarchyReader, Known, entries, names};
use crate::mask::{Bound, Levels, Mask, Reach, Shape};
use crate::value::Kind;
use denym_data::nearest;
use denym_policy::reader::{Node, Section};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// `[hierarchies] zip = { rows = [["4350", "43**"], ..] }` or `zip = { file = "zip.csv" }`.
pub(super) fn read_hierarchies(
    root: &Section<'_, '_>,
    hierarchy: &HierarchyReader<'_>,
) -> BTreeMap<String, Option<Arc<Levels>>> {
    let example = "{ file = \"zip.csv\" }";
    entries(root, "hierarchies", &format!("{{ zip = {example} }}"))
        .into_iter()
        .map(|(name, entry)| {
            let fields = entry.section(&["rows", "file"], example);
            let rows = fields.and_then(|fields| read_levels(&fields, hierarchy));
            (name, rows.map(|rows| Arc::new(Levels::new(rows))))
        })
        .collect()
}

fn read_levels(
    fields: &Section<'_, '_>,
    hierarchy: &HierarchyReader<'_>,
) -> Option<Vec<Vec<String>>> {
    if let Some(node) = fields.get("rows") {
        let lines = node.list("[[\"4350\", \"43**\"]]").unwrap_or_default();
        return Some(lines.iter().map(|line| names(line, "4350")).collect());
    }
    let node = fields.need("file", "add `file = \"zip.csv\"`, or the `rows` themselves")?;
    let rows = node.string("zip.csv").and_then(hierarchy);
    if rows.is_none() {
        let message = "the hierarchy file cannot be read";
        let help = "give a CSV file with one row per value and a column per level";
        node.mistake("policy-hierarchy-file", message, help);
    }
    rows
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
pub(super) fn read_mask(node: &Node<'_, '_>, known: &Known) -> Option<Mask> {
    if node.is_string() {
        return match node.choice(&[("null", 0), ("value", 1)])? {
            0 => Some(Mask::Null),
            _ => Some(Mask::Value),
        };
    }
    let fields = node.section(&MASKS, "{ first-letters = 1 }")?;
    let given: Vec<(&str, Node<'_, '_>)> = MASKS
        .iter()
        .filter_map(|key| fields.get(key).map(|node| (*key, node)))
        .collect();
    let [(key, item)] = &given[..] else {
        let message = format!("expected one mask, found {}", given.len());
        let help = format!("give one of: {}", MASKS.join(", "));
        node.mistake("policy-mask-form", message, help);
        return None;
    };
    match *key {
        "first-letters" => Some(Mask::FirstLetters(count(item, 1..=1000)?)),
        "characters" => {
            let keys = ["keep-first", "keep-last", "with"];
            let fields = item.section(&keys, "{ keep-last = 4 }")?;
            let keep = |key| match fields.get(key) {
                Some(node) => count(&node, 0..=1000),
                None => Some(0),
            };
            let (keep_first, keep_last) = (keep("keep-first")?, keep("keep-last")?);
            let with = match fields.get("with") {
                None => '*',
                Some(node) => {
                    let mut chars = node.string("*")?.chars();
                    let (first, second) = (chars.next(), chars.next());
                    let Some(only) = first.filter(|_| second.is_none()) else {
                        let message = "expected one character";
                        node.mistake("policy-out-of-range", message, "write one character");
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
        "interval" => read_interval(item),
        "level" => read_level(item, known),
        "pseudonym" => {
            let fields = item.section(&["length", "reach"], "{ length = 16 }")?;
            let length = match fields.get("length") {
                Some(node) => count(&node, 8..=64)?,
                None => 16,
            };
            let reach = match fields.get("reach") {
                Some(node) => node.choice(&[("cell", Reach::Cell), ("value", Reach::Value)])?,
                None => Reach::Cell,
            };
            Some(Mask::Pseudonym { length, reach })
        }
        "noise" => {
            let fields = item.section(&["spread", "shape"], "{ spread = 3 }")?;
            let spread = positive(&fields.need("spread", "add `spread = 3`")?)?;
            let shapes = [("uniform", Shape::Uniform), ("laplace", Shape::Laplace)];
            let shape = match fields.get("shape") {
                Some(node) => node.choice(&shapes)?,
                None => Shape::Laplace,
            };
            Some(Mask::Noise { spread, shape })
        }
        "stored" => {
            if let Some(column) = item.text() {
                return Some(Mask::Stored {
                    column: column.to_owned(),
                    kind: Kind::Text,
                });
            }
            let fields = item.section(&["column", "type"], "{ column = \"masked\" }")?;
            let node = fields.need("column", "add `column = \"NAME\"`")?;
            let column = node.string("masked")?.to_owned();
            let kind = match fields.get("type") {
                Some(node) => node.choice(&Kind::NAMES)?,
                None => Kind::Text,
            };
            Some(Mask::Stored { column, kind })
        }
        _ => {
            let keys = ["columns", "then", "otherwise"];
            let fields = item.section(&keys, "{ columns = [\"name\"] }")?;
            let node = fields.need("columns", "add `columns = [\"NAME\"]`")?;
            let columns = names(&node, "name");
            if columns.is_empty() {
                let message = "name the columns that must be hidden";
                node.mistake("policy-out-of-range", message, "name at least one column");
                return None;
            }
            let mask = |key, otherwise| match fields.get(key) {
                Some(node) => read_mask(&node, known),
                None => Some(otherwise),
            };
            let then = mask("then", Mask::Value)?;
            let otherwise = mask("otherwise", Mask::Null)?;
            Some(Mask::WhereHidden {
                columns,
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            })
        }
    }
}

/// `{ hierarchy = "zip", level = 1 }`.
fn read_level(item: &Node<'_, '_>, known: &Known) -> Option<Mask> {
    let fields = item.section(
        &["hierarchy", "level"],
        "{ hierarchy = \"zip\", level = 1 }",
    )?;
    let name = fields.need("hierarchy", "add `hierarchy = \"NAME\"`")?;
    let hierarchy = name.string("zip")?;
    let level = fields.need("level", "add `level = 1`")?;
    let Some(levels) = known.hierarchies.get(hierarchy) else {
        let message = format!("there is no hierarchy `{hierarchy}`");
        let names = known.hierarchies.keys().map(String::as_str);
        let help = nearest(hierarchy, names).map_or_else(
            || "declare it in `[hierarchies]`".into(),
            |near| format!("did you mean `{near}`?"),
        );
        name.mistake("policy-unknown-hierarchy", message, help);
        return None;
    };
    let levels = levels.clone()?;
    let level = count(&level, 1..=levels.height().max(1))?;
    Some(Mask::Level {
        hierarchy: hierarchy.to_owned(),
        levels,
        level,
    })
}

/// `interval = 10000`, or `{ width = 10000, origin = 0, show = "range" | "lower" | "midpoint" }`.
fn read_interval(item: &Node<'_, '_>) -> Option<Mask> {
    if !item.is_table() && !item.is_array() {
        return Some(Mask::Interval {
            width: positive(item)?,
            origin: 0.0,
            show: Bound::Range,
        });
    }
    let fields = item.section(&["width", "origin", "show"], "{ width = 10000 }")?;
    let width = positive(&fields.need("width", "add `width = 10000`")?)?;
    let origin = match fields.get("origin") {
        Some(node) => node.number("0")?,
        None => 0.0,
    };
    let bounds = [
        ("range", Bound::Range),
        ("lower", Bound::Lower),
        ("midpoint", Bound::Midpoint),
    ];
    let show = match fields.get("show") {
        Some(node) => node.choice(&bounds)?,
        None => Bound::Range,
    };
    Some(Mask::Interval {
        width,
        origin,
        show,
    })
}

fn positive(node: &Node<'_, '_>) -> Option<f64> {
    let number = node.number("10")?;
    if number > 0.0 {
        return Some(number);
    }
    let message = "the number must be above 0";
    node.mistake("policy-out-of-range", message, "write a number above 0");
    None
}

fn count(node: &Node<'_, '_>, range: RangeInclusive<usize>) -> Option<usize> {
    let (least, most) = range.into_inner();
    let (least, most) = (i64::try_from(least).ok()?, i64::try_from(most).ok()?);
    usize::try_from(node.integer(least..=most)?).ok()
}
