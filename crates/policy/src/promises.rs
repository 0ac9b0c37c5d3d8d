//! Reads the `[promise]` section.

use denym_data::Fraction;

use super::mistake::suggest;
use super::private;
use super::reader::{Node, Section};
use super::{Distance, Diversity, Exact, Likeness, LogBase, PromiseSpec, Promised};

/// The promises a policy can make.
const NAMES: &[&str] = &[
    "k-anonymity",
    "l-diversity",
    "t-closeness",
    "confidence",
    "xy-anonymity",
    "xy-privacy",
    "alpha-k-anonymity",
    "k-e-anonymity",
    "epsilon-m-anonymity",
    "beta-likeness",
    "delta-disclosure",
    "k-map",
    "delta-presence",
    "personalized-privacy",
];

/// Every promise of the section, in its order.
pub fn promises(section: &Section<'_, '_>, sensitive: &[&str], quasi: &[&str]) -> Vec<Promised> {
    section.only(NAMES);
    let mut promises = Vec::new();
    for (name, _, node) in section.entries() {
        let items = if node.is_array() {
            node.list("[{ ... }]").unwrap_or_default()
        } else {
            vec![node]
        };
        for item in items {
            let promise = promise(&name, &item, sensitive);
            let known = scope(&item, quasi);
            promises.extend(promise.map(|promise| Promised {
                promise,
                quasi: known,
                span: item.span(),
            }));
        }
    }
    promises
}

/// The promise that one entry of the section asks for.
pub(super) fn promise(name: &str, node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    match name {
        "k-anonymity" => k_anonymity(node),
        "l-diversity" => l_diversity(node, sensitive),
        "t-closeness" => t_closeness(node, sensitive),
        "confidence" => confidence(node, sensitive),
        "xy-anonymity" => xy_anonymity(node),
        "xy-privacy" => xy_privacy(node, sensitive),
        "alpha-k-anonymity" => alpha_k(node, sensitive),
        "k-e-anonymity" => k_e(node, sensitive),
        "epsilon-m-anonymity" => epsilon_m(node, sensitive),
        "beta-likeness" => beta_likeness(node, sensitive),
        "delta-disclosure" => delta_disclosure(node, sensitive),
        "k-map" => private::k_map(node),
        "delta-presence" => private::delta_presence(node),
        "personalized-privacy" => private::personalized(node, sensitive),
        _ => None,
    }
}

fn k_anonymity(node: &Node<'_, '_>) -> Option<PromiseSpec> {
    let k = if node.is_table() {
        node.section(&["k", "quasi"], "{ k = 5 }")?
            .need("k", "add `k = 5`")?
            .whole(1)?
    } else {
        node.whole(1)?
    };
    Some(PromiseSpec::KAnonymity { k })
}

fn l_diversity(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    if !node.is_table() {
        let l = whole(node)?;
        return Some(PromiseSpec::LDiversity {
            attribute: None,
            kind: Diversity::Distinct,
            l: Exact(l),
        });
    }
    let example = r#"{ attribute = "disease", kind = "entropy", l = 3 }"#;
    let section = node.section(
        &[
            "attribute",
            "kind",
            "l",
            "c",
            "allowed",
            "floor",
            "least",
            "quasi",
        ],
        example,
    )?;
    let attribute = attribute(&section, sensitive);
    let l = section.need("l", "add `l = 3`")?;
    let c = section.get("c");
    let kind = match section.get("kind") {
        None => 0,
        Some(kind) => kind.choice(&[("distinct", 0), ("entropy", 1), ("recursive", 2)])?,
    };
    let kind = match (kind, c) {
        (2, Some(c)) => {
            let texts = |key: &str| {
                section
                    .get(key)
                    .map_or(Some(Vec::new()), |node| node.strings("flu"))
            };
            let least = section.get("least").map_or(Some(Fraction::ZERO), |node| {
                node.fraction(Fraction::ZERO, Some(Fraction::ONE))
            });
            Diversity::Recursive {
                c: Exact(c.fraction(Fraction::ZERO, None)?),
                allowed: texts("allowed")?,
                floor: texts("floor")?,
                least: Exact(least?),
            }
        }
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
    let l = if matches!(kind, Diversity::Entropy) {
        l.fraction(Fraction::ONE, None)?
    } else {
        whole(&l)?
    };
    Some(PromiseSpec::LDiversity {
        attribute,
        kind,
        l: Exact(l),
    })
}

/// How many values there must be, where the kind is not entropy.
fn whole(node: &Node<'_, '_>) -> Option<Fraction> {
    let l = node.fraction(Fraction::ONE, None)?;
    if l.denominator() != 1 {
        node.mistake(
            "policy-out-of-range",
            "`l` must be a whole number unless the kind is entropy",
            "write a whole number, or `{ kind = \"entropy\", l = 2.5 }`",
        );
        return None;
    }
    Some(l)
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
    let section = node.section(&["attribute", "t", "distance", "quasi"], example)?;
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
    let section = node.section(&["attribute", "values", "at-most", "quasi"], example)?;
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

fn xy_anonymity(node: &Node<'_, '_>) -> Option<PromiseSpec> {
    let section = node.section(
        &["y", "k", "quasi"],
        r#"{ y = ["ward", "diagnosis"], k = 3 }"#,
    )?;
    let k = section
        .need("k", "add `k = 3`")
        .and_then(|node| node.whole(1));
    let y = section
        .need(
            "y",
            "add `y = [\"ward\"]`: the columns whose values are counted",
        )?
        .strings("ward")?;
    Some(PromiseSpec::XyAnonymity { y, k: k? })
}

fn xy_privacy(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    let example = r#"{ attribute = "status", values = ["HIV"], at-most = 0.6, k = 5 }"#;
    let section = node.section(&["attribute", "values", "at-most", "k", "quasi"], example)?;
    let attribute = attribute(&section, sensitive);
    let values = section
        .get("values")
        .map_or(Some(Vec::new()), |values| values.strings("HIV"));
    let k = section
        .need("k", "add `k = 5`")
        .and_then(|node| node.whole(1));
    let at_most = share(&section, "at-most", "0.6")?;
    Some(PromiseSpec::XyPrivacy {
        attribute,
        values: values?,
        at_most,
        k: k?,
    })
}

fn alpha_k(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    let section = node.section(
        &["attribute", "alpha", "k", "quasi"],
        r#"{ attribute = "status", alpha = 0.5, k = 5 }"#,
    )?;
    let attribute = attribute(&section, sensitive);
    let k = section
        .need("k", "add `k = 5`")
        .and_then(|node| node.whole(1));
    let alpha = share(&section, "alpha", "0.5")?;
    Some(PromiseSpec::AlphaKAnonymity {
        attribute,
        alpha,
        k: k?,
    })
}

fn k_e(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    let section = node.section(
        &["attribute", "k", "e", "quasi"],
        r#"{ attribute = "salary", k = 3, e = 1000 }"#,
    )?;
    let attribute = attribute(&section, sensitive);
    let k = section
        .need("k", "add `k = 3`")
        .and_then(|node| node.whole(1));
    let e = section
        .need("e", "add `e = 1000`: the smallest range")?
        .fraction(Fraction::ZERO, None)?;
    Some(PromiseSpec::KEAnonymity {
        attribute,
        k: k?,
        e: Exact(e),
    })
}

fn epsilon_m(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    let section = node.section(
        &["attribute", "epsilon", "m", "quasi"],
        r#"{ attribute = "salary", epsilon = 500, m = 3 }"#,
    )?;
    let attribute = attribute(&section, sensitive);
    let m = section
        .need("m", "add `m = 3`: one in m may lie in an interval")
        .and_then(|node| node.whole(1));
    let epsilon = section
        .need("epsilon", "add `epsilon = 500`")?
        .fraction(Fraction::ZERO, None)?;
    Some(PromiseSpec::EpsilonMAnonymity {
        attribute,
        epsilon: Exact(epsilon),
        m: m?,
    })
}

fn beta_likeness(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    if !node.is_table() {
        let beta = Exact(node.fraction(Fraction::ZERO, None)?);
        return Some(PromiseSpec::BetaLikeness {
            attribute: None,
            beta,
            kind: Likeness::Enhanced,
        });
    }
    let section = node.section(
        &["attribute", "beta", "kind", "quasi"],
        r#"{ attribute = "disease", beta = 2 }"#,
    )?;
    let attribute = attribute(&section, sensitive);
    let kind = section
        .get("kind")
        .map_or(Some(Likeness::Enhanced), |node| {
            node.choice(&[("basic", Likeness::Basic), ("enhanced", Likeness::Enhanced)])
        });
    let beta = section
        .need("beta", "add `beta = 2`")?
        .fraction(Fraction::ZERO, None)?;
    Some(PromiseSpec::BetaLikeness {
        attribute,
        beta: Exact(beta),
        kind: kind?,
    })
}

fn delta_disclosure(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    if !node.is_table() {
        let delta = Exact(node.fraction(Fraction::ZERO, None)?);
        return Some(PromiseSpec::DeltaDisclosure {
            attribute: None,
            delta,
            base: LogBase::E,
        });
    }
    let section = node.section(
        &["attribute", "delta", "base", "quasi"],
        r#"{ attribute = "disease", delta = 1.5 }"#,
    )?;
    let attribute = attribute(&section, sensitive);
    let base = section.get("base").map_or(Some(LogBase::E), |node| {
        node.choice(&[("e", LogBase::E), ("2", LogBase::Two)])
    });
    let delta = section
        .need("delta", "add `delta = 1.5`")?
        .fraction(Fraction::ZERO, None)?;
    Some(PromiseSpec::DeltaDisclosure {
        attribute,
        delta: Exact(delta),
        base: base?,
    })
}

/// The quasi-identifiers that the adversary of this promise knows; `None` when it does not say.
fn scope(node: &Node<'_, '_>, quasi: &[&str]) -> Option<Vec<String>> {
    if !node.is_table() {
        return None;
    }
    let list = node.open("")?.get("quasi")?;
    let names = list.strings("age")?;
    for name in &names {
        if !quasi.contains(&name.as_str()) {
            list.mistake(
                "policy-not-quasi",
                format!("`{name}` is not a quasi-identifier"),
                suggest(name, quasi),
            );
        }
    }
    if names.is_empty() {
        list.mistake(
            "policy-out-of-range",
            "an adversary who knows nothing needs no promise",
            "name at least one quasi-identifier, or leave `quasi` out",
        );
    }
    Some(names)
}

/// A number between 0 and 1 that must be there.
pub(super) fn share(section: &Section<'_, '_>, key: &str, example: &str) -> Option<Exact> {
    let node = section.need(key, &format!("add `{key} = {example}`"))?;
    node.fraction(Fraction::ZERO, Some(Fraction::ONE))
        .map(Exact)
}

/// The attribute a promise speaks of; it must be a sensitive one.
pub(super) fn attribute(section: &Section<'_, '_>, sensitive: &[&str]) -> Option<String> {
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
