//! Reads the `[promise]` section.

use denym_data::Fraction;

use super::mistake::suggest;
use super::reader::{Node, Section};
use super::{Distance, Diversity, Exact, PromiseSpec, Promised};

/// The promises a policy can make.
const NAMES: &[&str] = &["k-anonymity", "l-diversity", "t-closeness", "confidence"];

/// Every promise of the section, in its order.
pub(super) fn promises(section: &Section<'_, '_>, sensitive: &[&str]) -> Vec<Promised> {
    section.only(NAMES);
    let mut promises = Vec::new();
    for (name, _, node) in section.entries() {
        let items = if node.is_array() {
            node.list("[{ ... }]").unwrap_or_default()
        } else {
            vec![node]
        };
        for item in items {
            let promise = match name.as_str() {
                "k-anonymity" => k_anonymity(&item),
                "l-diversity" => l_diversity(&item, sensitive),
                "t-closeness" => t_closeness(&item, sensitive),
                "confidence" => confidence(&item, sensitive),
                _ => None,
            };
            promises.extend(promise.map(|promise| Promised {
                promise,
                span: item.span(),
            }));
        }
    }
    promises
}

fn k_anonymity(node: &Node<'_, '_>) -> Option<PromiseSpec> {
    let k = if node.is_table() {
        node.section(&["k"], "{ k = 5 }")?
            .need("k", "add `k = 5`")?
            .whole(1)?
    } else {
        node.whole(1)?
    };
    Some(PromiseSpec::KAnonymity { k })
}

fn l_diversity(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    if !node.is_table() {
        let l = node.fraction(Fraction::ONE, None)?;
        return Some(PromiseSpec::LDiversity {
            attribute: None,
            kind: Diversity::Distinct,
            l: Exact(l),
        });
    }
    let example = r#"{ attribute = "disease", kind = "entropy", l = 3 }"#;
    let section = node.section(&["attribute", "kind", "l", "c"], example)?;
    let attribute = attribute(&section, sensitive);
    let l = section
        .need("l", "add `l = 3`")?
        .fraction(Fraction::ONE, None);
    let c = section.get("c");
    let kind = match section.get("kind") {
        None => 0,
        Some(kind) => kind.choice(&[("distinct", 0), ("entropy", 1), ("recursive", 2)])?,
    };
    let kind = match (kind, c) {
        (2, Some(c)) => Diversity::Recursive {
            c: Exact(c.fraction(Fraction::ZERO, None)?),
        },
        (2, None) => {
            section.need(
                "c",
                "add `c = 2`: the most frequent value must be rarer than c times the rest",
            );
            return None;
        }
        (_, Some(c)) => {
            c.mistake(
                "policy-unused-key",
                "`c` belongs to `kind = \"recursive\"`",
                "remove `c`, or set the kind",
            );
            return None;
        }
        (1, None) => Diversity::Entropy,
        _ => Diversity::Distinct,
    };
    let l = l?;
    if !matches!(kind, Diversity::Entropy) && l.denominator() != 1 {
        section.get("l")?.mistake(
            "policy-out-of-range",
            "`l` must be a whole number unless the kind is entropy",
            "write a whole number, or `kind = \"entropy\"`",
        );
        return None;
    }
    Some(PromiseSpec::LDiversity {
        attribute,
        kind,
        l: Exact(l),
    })
}

fn t_closeness(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    if !node.is_table() {
        let t = node.fraction(Fraction::ZERO, Some(Fraction::ONE))?;
        return Some(PromiseSpec::TCloseness {
            attribute: None,
            t: Exact(t),
            distance: Distance::Equal,
        });
    }
    let example = r#"{ attribute = "disease", t = 0.2, distance = "equal" }"#;
    let section = node.section(&["attribute", "t", "distance"], example)?;
    let attribute = attribute(&section, sensitive);
    let distance = match section.get("distance") {
        None => Some(Distance::Equal),
        Some(node) => node.choice(&[
            ("equal", Distance::Equal),
            ("ordered", Distance::Ordered),
            ("hierarchical", Distance::Hierarchical),
        ]),
    };
    let t = section
        .need("t", "add `t = 0.2`")?
        .fraction(Fraction::ZERO, Some(Fraction::ONE))?;
    Some(PromiseSpec::TCloseness {
        attribute,
        t: Exact(t),
        distance: distance?,
    })
}

fn confidence(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    if !node.is_table() {
        let at_most = Exact(node.fraction(Fraction::ZERO, Some(Fraction::ONE))?);
        return Some(PromiseSpec::Confidence {
            attribute: None,
            values: Vec::new(),
            at_most,
        });
    }
    let example = r#"{ attribute = "status", values = ["HIV"], at-most = 0.6 }"#;
    let section = node.section(&["attribute", "values", "at-most"], example)?;
    let attribute = attribute(&section, sensitive);
    let values = match section.get("values") {
        None => Some(Vec::new()),
        Some(values) => values.strings("HIV"),
    };
    let at_most = section
        .need("at-most", "add `at-most = 0.6`")?
        .fraction(Fraction::ZERO, Some(Fraction::ONE))?;
    Some(PromiseSpec::Confidence {
        attribute,
        values: values?,
        at_most: Exact(at_most),
    })
}

/// The attribute a promise speaks of; it must be a sensitive one.
fn attribute(section: &Section<'_, '_>, sensitive: &[&str]) -> Option<String> {
    let node = section.get("attribute")?;
    let name = node.string("disease")?;
    if !sensitive.contains(&name) {
        node.mistake(
            "policy-not-sensitive",
            format!("`{name}` is not a sensitive attribute"),
            suggest(name, sensitive),
        );
    }
    Some(name.to_owned())
}
