//! Reads the `[attributes]` section: a role per column, and how its values generalize.

use std::path::PathBuf;

use denym_data::notation::AskedNotation;
use denym_data::{DatePart, Decimal, End, Fraction, Kind, ReadyMade, Role};

use super::kinds::{DataKind, Part};
use super::operations::{self, Operations};
use super::reader::{Node, Section};
use super::{AttributeSpec, HierarchySpec, Missing, written};

/// Every attribute of the section, in its order.
pub(super) fn attributes(section: &Section<'_, '_>, kind: DataKind) -> Vec<AttributeSpec> {
    section
        .entries()
        .into_iter()
        .filter_map(|(name, span, node)| attribute(name, span, &node, kind))
        .collect()
}

fn attribute(
    name: String,
    span: std::ops::Range<usize>,
    node: &Node<'_, '_>,
    of: DataKind,
) -> Option<AttributeSpec> {
    let mut spec = AttributeSpec {
        name,
        span,
        role: Role::Insensitive,
        description: None,
        hierarchy: HierarchySpec::Flat,
        hierarchy_span: node.span(),
        kind: None,
        levels: (None, None),
        missing: Missing::Value,
        missing_values: Vec::new(),
        notation: AskedNotation::default(),
        operations: Operations::default(),
    };
    if node.is_string() {
        spec.role = node.choice(&Role::ALL)?;
        return Some(spec);
    }
    let section = node.open(r#"{ role = "quasi" }"#)?;
    of.check(&section, Part::Attribute);
    spec.role = section
        .need(
            "role",
            "add `role = \"quasi\"`, \"sensitive\", \"identifier\", ...",
        )?
        .choice(&Role::ALL)?;
    let word = if spec.role == Role::Sensitive {
        "taxonomy"
    } else {
        "hierarchy"
    };
    let other = if spec.role == Role::Sensitive {
        "hierarchy"
    } else {
        "taxonomy"
    };
    if let Some(node) = section.get(other) {
        node.mistake(
            "policy-unused-key",
            format!("a {} attribute has no `{other}`", spec.role.name()),
            format!("call it `{word}`, or change the role"),
        );
    }
    if let Some(node) = section.get(word) {
        spec.hierarchy_span = node.span();
        spec.hierarchy = hierarchy(&node)?;
    }
    if let Some(node) = section.get("type") {
        let kinds = [
            Kind::Text,
            Kind::Integer,
            Kind::Decimal,
            Kind::Date,
            Kind::Boolean,
        ]
        .map(|kind| (kind.name(), kind));
        spec.kind = node.choice(&kinds);
    }
    let level = |key: &str| {
        let node = section.get(key)?;
        if spec.role != Role::QuasiIdentifier {
            operations::misplaced(&node, key, "a quasi-identifier");
        }
        node.whole(0).map(|level| level as usize)
    };
    spec.levels = (level("min-level"), level("max-level"));
    spec.operations = operations::operations(&section, spec.role);
    if let Some(node) = section.get("description") {
        spec.description = node.string("age at admission, in years").map(str::to_owned);
        if spec.role == Role::Identifier && spec.operations.pseudonym.is_none() {
            operations::misplaced(&node, "description", "a column that is published");
        }
    }
    if of.takes(Part::Attribute, "missing-values") {
        (spec.notation, spec.missing_values) = written::of_values(&section, spec.kind);
    }
    // A list says which texts are missing values, a word what they mean.
    if let Some(node) = section.get("missing").filter(Node::is_array) {
        if let Some(other) = section.get("missing-values") {
            other.mistake(
                "policy-contradiction",
                "`missing` and `missing-values` are two lists of the same thing",
                "keep one of them",
            );
        }
        spec.missing_values = node.some_strings("NA")?;
    } else if let Some(node) = section.get("missing") {
        spec.missing = node.choice(&[
            ("value", Missing::Value),
            ("suppress", Missing::Suppress),
            ("wildcard", Missing::Wildcard),
        ])?;
    }
    Some(spec)
}

fn hierarchy(node: &Node<'_, '_>) -> Option<HierarchySpec> {
    if node.is_string() {
        return node
            .string("hierarchies/zip.csv")
            .map(|path| HierarchySpec::File(PathBuf::from(path)));
    }
    let known = [
        "file",
        "interval",
        "date",
        "redact",
        "step",
        "order",
        "groups",
        "priority",
        "steps",
        "ready-made",
    ];
    let section = node.section(&known, r#""hierarchies/zip.csv""#)?;
    let forms = [
        "file",
        "interval",
        "date",
        "redact",
        "order",
        "priority",
        "ready-made",
    ];
    let given: Vec<&str> = forms
        .into_iter()
        .filter(|form| section.get(form).is_some())
        .collect();
    let [form] = given[..] else {
        node.mistake(
            "policy-hierarchy-form",
            "a hierarchy has exactly one of `file`, `interval`, `date`, `redact`, `order`, `priority`, `ready-made`",
            "write for example `{ interval = [5, 10, 20] }`",
        );
        return None;
    };
    let value = section.get(form)?;
    for (key, own) in [
        ("step", "redact"),
        ("groups", "order"),
        ("steps", "priority"),
    ] {
        if let Some(node) = section.get(key).filter(|_| form != own) {
            node.mistake(
                "policy-unused-key",
                format!("`{key}` belongs to `{own}`"),
                format!("remove `{key}`"),
            );
        }
    }
    let whole = |key: &str| {
        section
            .get(key)
            .map_or(Some(1), |node| node.whole(1))
            .map(|n| n as usize)
    };
    match form {
        "file" => value
            .string("hierarchies/zip.csv")
            .map(|path| HierarchySpec::File(PathBuf::from(path))),
        "interval" => {
            let widths = value.some("[5, 10, 20]")?;
            let parsed = widths.iter().map(decimal).collect::<Option<Vec<_>>>()?;
            Some(HierarchySpec::Intervals(parsed))
        }
        "date" => {
            let parts = value.some(r#"["month", "year"]"#)?;
            parts
                .iter()
                .map(|part| part.choice(&DatePart::ALL))
                .collect::<Option<_>>()
                .map(HierarchySpec::Dates)
        }
        "ready-made" => {
            let names: Vec<(&'static str, &'static str)> = ReadyMade::all()
                .iter()
                .map(|entry| (entry.name, entry.name))
                .collect();
            value.choice(&names).map(HierarchySpec::ReadyMade)
        }
        "redact" => {
            let end = value.choice(&[("right", End::Right), ("left", End::Left)])?;
            Some(HierarchySpec::Redaction(end, whole("step")?))
        }
        "order" => {
            let order = value.some_strings("low")?;
            let groups = section.need(
                "groups",
                "add `groups = [2, 2]`: how many neighbours join at each level",
            )?;
            let sizes = groups
                .some("[2, 2]")?
                .iter()
                .map(|node| node.whole(2))
                .collect::<Option<Vec<_>>>()?;
            Some(HierarchySpec::Ordered(
                order,
                sizes.into_iter().map(|size| size as usize).collect(),
            ))
        }
        _ => {
            let steps = section.get("steps").map_or(Some(4), |node| node.whole(1))? as usize;
            let order = if value.is_string() {
                value.choice(&[("frequency", ())])?;
                Vec::new()
            } else {
                value.some_strings("common")?
            };
            Some(HierarchySpec::Priority(order, steps))
        }
    }
}

/// A positive decimal, read from its text.
fn decimal(node: &Node<'_, '_>) -> Option<Decimal> {
    let fraction = node.fraction(Fraction::ZERO, None)?;
    let parsed =
        Decimal::parse(&format!("{}", fraction.to_f64())).filter(|_| fraction > Fraction::ZERO);
    if parsed.is_none() {
        node.mistake(
            "policy-out-of-range",
            "a width must be positive",
            "write a width such as 5 or 0.5",
        );
    }
    parsed
}
