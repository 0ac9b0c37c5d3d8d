//! The promises of paths, transactions and streams: every one that can be judged on a group.

use denym_data::{Fraction, Role};
use denym_measure::KnowledgeEntry;
use denym_measure::catalogue::{Needs, PROMISES, PromiseEntry};

use crate::mistake::suggest;
use crate::promises::promise;
use crate::reader::{Mistakes, Node, Section};
use crate::{AttributeSpec, Distance, Exact, HierarchySpec, Missing, PromiseSpec, Promised};

/// Data that are sequences, as the reader of their promises sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequenced {
    /// What they are called.
    pub name: &'static str,
    /// What may be sensitive within a sequence itself: its key in `confidence`, and an example.
    pub within: Option<(&'static str, &'static str)>,
    /// What is known of them.
    pub knowledge: KnowledgeEntry,
}

impl Sequenced {
    /// Who was where and when.
    pub const PATHS: Sequenced = Sequenced {
        name: "paths",
        within: Some(("places", "Clinic")),
        knowledge: KnowledgeEntry::DOUBLETS,
    };
    /// Which items each person has.
    pub const TRANSACTIONS: Sequenced = Sequenced {
        name: "transactions",
        within: Some(("items", "pregnancy test")),
        knowledge: KnowledgeEntry::ITEMS,
    };
    /// Windows over live events.
    pub const STREAM: Sequenced = Sequenced {
        name: "a stream",
        within: None,
        knowledge: KnowledgeEntry::WINDOWS,
    };

    /// Why a promise cannot be judged on these data; `None` when it can.
    pub fn lacks(&self, entry: &PromiseEntry) -> Option<&'static str> {
        self.knowledge.lacks(entry)
    }

    /// The keys of the promises that can be judged on these data.
    pub fn promises(&self) -> Vec<&'static str> {
        let judged = PROMISES.iter().filter(|entry| self.lacks(entry).is_none());
        let mut keys: Vec<&str> = judged
            .filter_map(|entry| entry.in_policy.map(|(key, _)| key))
            .collect();
        keys.dedup();
        keys
    }
}

/// Every promise of the section; a column that only a bound on confidence names becomes a sensitive attribute.
pub fn promises(
    section: &Section<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    mistakes: &Mistakes,
    data: Sequenced,
) -> Vec<Promised> {
    let judged = data.promises();
    let mut found = Vec::new();
    for (name, span, node) in section.entries() {
        if !judged.contains(&name.as_str()) {
            let of_name =
                |entry: &&PromiseEntry| entry.in_policy.is_some_and(|(key, _)| key == name);
            let lacks = PROMISES
                .iter()
                .find(of_name)
                .and_then(|entry| data.lacks(entry));
            mistakes.add(
                "policy-unknown-key",
                span,
                format!("`{name}` is not judged on {}", data.name),
                lacks.map_or_else(
                    || suggest(&name, &judged),
                    |lacks| format!("{lacks}; use one of {}", judged.join(", ")),
                ),
            );
            continue;
        }
        let items = if node.is_array() {
            node.list("[{ ... }]").unwrap_or_default()
        } else {
            vec![node]
        };
        for item in items {
            let promise = match name.as_str() {
                "k-anonymity" => k_anonymity(&item),
                "confidence" => confidence(&item, attributes, data),
                _ => about_an_attribute(&name, &item, attributes, data),
            };
            found.extend(promise.map(|promise| Promised {
                quasi: None,
                promise,
                span: item.span(),
            }));
        }
    }
    unused_taxonomies(attributes, &found, mistakes);
    found
}

/// Notes what attributes beside a sequence have no use for: they are not generalized, and each is declared once.
pub(super) fn beside(attributes: &[AttributeSpec], mistakes: &Mistakes, data: Sequenced) {
    for (index, attribute) in attributes.iter().enumerate() {
        if attribute.hierarchy != HierarchySpec::Flat && attribute.role != Role::Sensitive {
            mistakes.add(
                "policy-unused-key",
                attribute.hierarchy_span.clone(),
                format!(
                    "`{}` stands beside {} and is not generalized",
                    attribute.name, data.name
                ),
                "remove the hierarchy; with `suppress-at-most` records that stand out are removed",
            );
        }
        if attribute.missing != Missing::Value {
            mistakes.add(
                "policy-unused-key",
                attribute.span.clone(),
                format!("beside {} a missing value is a value of its own", data.name),
                "remove `missing`",
            );
        }
        if attributes[..index].iter().any(|a| a.name == attribute.name) {
            mistakes.add(
                "policy-duplicate",
                attribute.span.clone(),
                "this attribute is declared twice",
                "keep one",
            );
        }
    }
}

/// Notes taxonomies that no promise looks at.
fn unused_taxonomies(attributes: &[AttributeSpec], found: &[Promised], mistakes: &Mistakes) {
    let looks = |name: &str| {
        found.iter().any(|promised| {
            let of = |attribute: &Option<String>| attribute.as_deref() == Some(name);
            matches!(&promised.promise, PromiseSpec::TCloseness { attribute, distance: Distance::Hierarchical, .. } if of(attribute))
        })
    };
    for attribute in attributes {
        let sensitive = attribute.role == Role::Sensitive;
        if sensitive && attribute.hierarchy != HierarchySpec::Flat && !looks(&attribute.name) {
            mistakes.add(
                "policy-unused-key",
                attribute.hierarchy_span.clone(),
                format!("no promise looks at the taxonomy of `{}`", attribute.name),
                "remove it, or ask for `t-closeness` with `distance = \"hierarchical\"`",
            );
        }
    }
}

/// A promise about one sensitive attribute beside the sequence, judged on every group that a little knowledge forms.
fn about_an_attribute(
    name: &str,
    node: &Node<'_, '_>,
    attributes: &[AttributeSpec],
    data: Sequenced,
) -> Option<PromiseSpec> {
    let sensitive: Vec<&str> = attributes
        .iter()
        .filter(|spec| spec.role == Role::Sensitive)
        .map(|spec| spec.name.as_str())
        .collect();
    if node.is_table()
        && let Some(quasi) = node.open("").and_then(|table| table.get("quasi"))
    {
        quasi.mistake(
            "policy-unused-key",
            format!(
                "on {} every promise is judged on all that the adversary knows",
                data.name
            ),
            "remove `quasi`",
        );
    }
    let promise = promise(name, node, &sensitive)?;
    let promise = match (promise.attribute(), &sensitive[..]) {
        (Some(None), [only]) => promise.clone().about(only),
        (Some(None), _) => {
            node.mistake(
                "policy-which-attribute",
                format!(
                    "`{name}` does not say which of {} sensitive attributes it speaks of",
                    sensitive.len()
                ),
                "give one attribute the role `sensitive`, or add `attribute = \"status\"`",
            );
            return None;
        }
        _ => promise,
    };
    if let PromiseSpec::TCloseness {
        distance: Distance::Hierarchical,
        attribute: Some(about),
        ..
    } = &promise
    {
        let own = attributes.iter().find(|spec| spec.name == *about);
        if own.is_none_or(|spec| spec.hierarchy == HierarchySpec::Flat) {
            let help = if data.knowledge.has.contains(&Needs::Taxonomy) {
                "give the attribute `taxonomy = \"diseases.csv\"`, or use another distance"
            } else {
                "use `distance = \"equal\"` or `distance = \"ordered\"`"
            };
            node.mistake(
                "policy-no-taxonomy",
                format!("`{about}` has no taxonomy"),
                help,
            );
            return None;
        }
    }
    Some(promise)
}

/// `k-anonymity = 5`, or a table with `k`.
fn k_anonymity(node: &Node<'_, '_>) -> Option<PromiseSpec> {
    let k = if node.is_table() {
        node.section(&["k"], "{ k = 5 }")
            .and_then(|table| table.need("k", "add `k = 5`"))
            .and_then(|k| k.whole(1))
    } else {
        node.whole(1)
    };
    Some(PromiseSpec::KAnonymity { k: k? })
}

/// A bound on how sure anybody becomes of a value, or of what is sensitive within the sequence.
fn confidence(
    node: &Node<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    data: Sequenced,
) -> Option<PromiseSpec> {
    let whole = (Fraction::ZERO, Some(Fraction::ONE));
    let (attribute, values, within, at_most) = if node.is_table() {
        let example = r#"{ attribute = "status", values = ["On-welfare"], at-most = 0.6 }"#;
        let mut keys = vec!["attribute", "values", "at-most"];
        keys.extend(data.within.map(|(key, _)| key));
        let section = node.section(&keys, example)?;
        let list = |key: &str| match section.get(key) {
            None => Some(Vec::new()),
            Some(list) => list.strings("On-welfare"),
        };
        let attribute = section.get("attribute");
        let within = data
            .within
            .and_then(|(key, example)| Some((key, section.get(key)?.strings(example))));
        let at_most = section
            .need("at-most", "add `at-most = 0.6`")
            .and_then(|node| node.fraction(whole.0, whole.1));
        if let (Some((key, _)), Some(attribute)) = (&within, &attribute) {
            attribute.mistake(
                "policy-two-forms",
                format!("a bound speaks of an attribute or of {key}, not of both"),
                "write two bounds",
            );
        }
        (attribute, list("values")?, within, at_most?)
    } else {
        let at_most = node.fraction(whole.0, whole.1)?;
        (None, Vec::new(), None, at_most)
    };
    if let Some((key, names)) = within {
        let (names, at_most) = (names?, Exact(at_most));
        return Some(if key == "items" {
            PromiseSpec::Items {
                items: names,
                at_most,
            }
        } else {
            PromiseSpec::Places {
                places: names,
                at_most,
            }
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
                match data.within {
                    Some((key, example)) => {
                        format!("add `attribute = \"status\"`, or `{key} = [\"{example}\"]`")
                    }
                    None => "add `attribute = \"status\"`".to_owned(),
                },
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
        None if data.within.is_none() => {
            attribute.mistake(
                "policy-not-sensitive",
                format!("`{name}` is not a sensitive attribute"),
                suggest(&name, &sensitive),
            );
            return None;
        }
        // The bound alone may say that a column is sensitive.
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
