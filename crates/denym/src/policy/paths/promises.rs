//! The promises that can be judged on paths.

use denym_data::{Fraction, Role};

use crate::policy::mistake::suggest;
use crate::policy::reader::{Mistakes, Node, Section};
use crate::policy::{AttributeSpec, Exact, PromiseSpec, Promised};

/// The promises that can be judged on paths.
const PROMISES: &[&str] = &["k-anonymity", "confidence"];

/// Every promise of the section; a column that only a promise names becomes a sensitive attribute.
pub(super) fn promises(
    section: &Section<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    mistakes: &Mistakes,
) -> Vec<Promised> {
    let mut found = Vec::new();
    for (name, span, node) in section.entries() {
        if !PROMISES.contains(&name.as_str()) {
            mistakes.add(
                "policy-unknown-key",
                span,
                format!("`{name}` is not judged on paths"),
                suggest(&name, PROMISES),
            );
            continue;
        }
        if name == "k-anonymity" {
            found.extend(k_anonymity(&node));
            continue;
        }
        let items = if node.is_array() {
            node.list("[{ ... }]").unwrap_or_default()
        } else {
            vec![node]
        };
        for item in items {
            found.extend(confidence(&item, attributes).map(|promise| Promised {
                quasi: None,
                promise,
                span: item.span(),
            }));
        }
    }
    found
}

/// `k-anonymity = 5`, or a table with `k`.
pub(in crate::policy) fn k_anonymity(node: &Node<'_, '_>) -> Option<Promised> {
    let k = if node.is_table() {
        node.section(&["k"], "{ k = 5 }")
            .and_then(|table| table.need("k", "add `k = 5`"))
            .and_then(|k| k.whole(1))
    } else {
        node.whole(1)
    };
    Some(Promised {
        quasi: None,
        promise: PromiseSpec::KAnonymity { k: k? },
        span: node.span(),
    })
}

fn confidence(node: &Node<'_, '_>, attributes: &mut Vec<AttributeSpec>) -> Option<PromiseSpec> {
    let whole = (Fraction::ZERO, Some(Fraction::ONE));
    let (attribute, values, places, at_most) = if node.is_table() {
        let example = r#"{ attribute = "status", values = ["On-welfare"], at-most = 0.6 }"#;
        let section = node.section(&["attribute", "values", "places", "at-most"], example)?;
        let list = |key: &str| match section.get(key) {
            None => Some(Vec::new()),
            Some(list) => list.strings("On-welfare"),
        };
        let attribute = section.get("attribute");
        let places = section.get("places").map(|list| list.strings("Clinic"));
        let at_most = section
            .need("at-most", "add `at-most = 0.6`")
            .and_then(|node| node.fraction(whole.0, whole.1));
        if let (Some(_), Some(attribute)) = (&places, &attribute) {
            attribute.mistake(
                "policy-two-forms",
                "a bound speaks of an attribute or of places, not of both",
                "write two bounds",
            );
        }
        (attribute, list("values")?, places, at_most?)
    } else {
        let at_most = node.fraction(whole.0, whole.1)?;
        (None, Vec::new(), None, at_most)
    };
    if let Some(places) = places {
        return Some(PromiseSpec::Places {
            places: places?,
            at_most: Exact(at_most),
        });
    }
    let sensitive: Vec<&str> = attributes
        .iter()
        .filter(|spec| spec.role == Role::Sensitive)
        .map(|spec| spec.name.as_str())
        .collect();
    let Some(attribute) = attribute else {
        let [only] = sensitive[..] else {
            node.mistake(
                "policy-which-attribute",
                format!(
                    "`confidence` does not say which of {} sensitive attributes it speaks of",
                    sensitive.len()
                ),
                "add `attribute = \"status\"`",
            );
            return None;
        };
        return Some(PromiseSpec::Confidence {
            attribute: Some(only.to_owned()),
            values,
            at_most: Exact(at_most),
        });
    };
    let name = attribute.string("status")?.to_owned();
    match attributes.iter().find(|spec| spec.name == name) {
        Some(spec) if spec.role != Role::Sensitive => {
            attribute.mistake(
                "policy-not-sensitive",
                format!("`{name}` is not a sensitive attribute"),
                suggest(&name, &sensitive),
            );
            return None;
        }
        Some(_) => {}
        // For paths the promise alone may say that a column is sensitive.
        None => attributes.push(AttributeSpec::plain(
            name.clone(),
            attribute.span(),
            Role::Sensitive,
        )),
    }
    Some(PromiseSpec::Confidence {
        attribute: Some(name),
        values,
        at_most: Exact(at_most),
    })
}
