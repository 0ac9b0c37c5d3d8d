//! The keys of `[data]` that only paths have: columns, the grid and the slot of raw points.

use denym_data::Fraction;

use crate::parse::set;
use crate::reader::{Node, Section};
use crate::sequences::{Named, SequenceColumns, SequencesSpec};

/// The keys of `[data]` that only paths have.
pub(crate) fn data_keys(section: &Section<'_, '_>, spec: &mut SequencesSpec) {
    let column = |key: &str, example: &str| {
        let node = section.get(key)?;
        let name = node.string(example)?.to_owned();
        Some(Named {
            name,
            span: node.span(),
        })
    };
    spec.columns = SequenceColumns {
        subject: column("subject", "card"),
        location: column("location", "station"),
        time: column("time", "hour"),
        cell: column("path-column", "route"),
        latitude: column("latitude", "lat"),
        longitude: column("longitude", "lon"),
    };
    if let Some(node) = section.get("collapse-repeats") {
        spec.keep_repeats = node.boolean() == Some(false);
    }
    if let Some(node) = section.get("several-places") {
        set(&mut spec.several_places, node.boolean());
    }
    if let Some(node) = section.get("grid") {
        let meters = if node.is_table() {
            node.section(&["meters"], "{ meters = 500 }")
                .and_then(|table| table.need("meters", "add `meters = 500`"))
        } else {
            Some(node.clone())
        };
        spec.grid = meters
            .and_then(|node| positive(&node))
            .map(Fraction::to_f64);
    }
    if let Some(node) = section.get("slot") {
        spec.slot = slot(&node);
    }
    let columns = &spec.columns;
    let clash = |one: &Option<Named>, key: &str, because: &str| {
        if let (Some(_), Some(node)) = (one, section.get(key)) {
            node.mistake("policy-two-forms", because, format!("remove `{key}`"));
        }
    };
    let wide = "a path column holds places and times already";
    clash(&columns.cell, "location", wide);
    clash(&columns.cell, "time", wide);
    clash(&columns.cell, "latitude", wide);
    clash(&columns.cell, "longitude", wide);
    clash(
        &columns.cell,
        "collapse-repeats",
        "the wide form is taken as it is written",
    );
    clash(
        &columns.location,
        "latitude",
        "a record has a place or a point, not both",
    );
    match (&columns.latitude, &columns.longitude) {
        (Some(_), None) => {
            section.need("longitude", "add `longitude = \"lon\"`");
        }
        (None, Some(_)) => {
            section.need("latitude", "add `latitude = \"lat\"`");
        }
        (Some(_), Some(_)) => {
            section.need("grid", "add `grid = { meters = 500 }`: points become cells");
            section.need("slot", "add `slot = { minutes = 60 }`: times become slots");
        }
        (None, None) => {
            if let Some(node) = section.get("grid") {
                node.mistake(
                    "policy-unused-key",
                    "a grid is for points",
                    "name the columns `latitude` and `longitude`, or remove `grid`",
                );
            }
        }
    }
}

/// A positive number.
fn positive(node: &Node<'_, '_>) -> Option<Fraction> {
    let value = node.fraction(Fraction::ZERO, None)?;
    if value > Fraction::ZERO {
        return Some(value);
    }
    node.mistake(
        "policy-out-of-range",
        format!("`{}` must be above zero", node.key),
        "write a number above zero",
    );
    None
}

/// A length of time in seconds: a whole number, or one unit.
fn slot(node: &Node<'_, '_>) -> Option<i64> {
    const UNITS: [(&str, u64); 4] = [
        ("seconds", 1),
        ("minutes", 60),
        ("hours", 3600),
        ("days", 86400),
    ];
    if !node.is_table() {
        return node.whole(1).and_then(|n| i64::try_from(n).ok());
    }
    let section = node.section(&UNITS.map(|unit| unit.0), "{ minutes = 60 }")?;
    let given: Vec<(u64, Node<'_, '_>)> = UNITS
        .iter()
        .filter_map(|(unit, seconds)| Some((*seconds, section.get(unit)?)))
        .collect();
    let [(seconds, value)] = &given[..] else {
        node.mistake(
            "policy-slot",
            "a slot has exactly one of `seconds`, `minutes`, `hours`, `days`",
            "write for example `{ minutes = 60 }`",
        );
        return None;
    };
    let count = value.whole(1)?;
    i64::try_from(count.checked_mul(*seconds)?).ok()
}
