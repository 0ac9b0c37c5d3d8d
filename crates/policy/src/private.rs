//! Reads the promises that only the publisher can judge: those with a population or with guarding nodes.

use denym_data::Fraction;

use super::promises::{attribute, share};
use super::reader::Node;
use super::{Exact, PromiseSpec};

/// `{ population = "voters.csv", k = 5 }`.
pub(super) fn k_map(node: &Node<'_, '_>) -> Option<PromiseSpec> {
    let section = node.section(
        &["population", "k", "quasi"],
        r#"{ population = "voters.csv", k = 5 }"#,
    )?;
    let k = section
        .need("k", "add `k = 5`")
        .and_then(|node| node.whole(1));
    let population = section
        .need(
            "population",
            "add `population = \"voters.csv\"`: a register",
        )?
        .string("voters.csv")?
        .to_owned();
    Some(PromiseSpec::KMap { population, k: k? })
}

/// `{ population = "voters.csv", least = 0, most = 0.3 }`.
pub(super) fn delta_presence(node: &Node<'_, '_>) -> Option<PromiseSpec> {
    let section = node.section(
        &["population", "least", "most", "quasi"],
        r#"{ population = "voters.csv", least = 0, most = 0.3 }"#,
    )?;
    let least = section.get("least").map_or(Some(Fraction::ZERO), |node| {
        node.fraction(Fraction::ZERO, Some(Fraction::ONE))
    });
    let most = share(&section, "most", "0.3");
    let population = section
        .need(
            "population",
            "add `population = \"voters.csv\"`: a register",
        )?
        .string("voters.csv")?
        .to_owned();
    let (least, most) = (Exact(least?), most?);
    if least.0 > most.0 {
        node.mistake(
            "policy-out-of-range",
            "`least` is above `most`",
            "exchange the two",
        );
        return None;
    }
    Some(PromiseSpec::DeltaPresence {
        population,
        least,
        most,
    })
}

/// `{ attribute = "disease", guards = "guard", at-most = 0.5 }`.
pub(super) fn personalized(node: &Node<'_, '_>, sensitive: &[&str]) -> Option<PromiseSpec> {
    let section = node.section(
        &["attribute", "guards", "at-most", "quasi"],
        r#"{ attribute = "disease", guards = "guard", at-most = 0.5 }"#,
    )?;
    let attribute = attribute(&section, sensitive);
    let at_most = share(&section, "at-most", "0.5");
    let guards = section
        .need(
            "guards",
            "add `guards = \"guard\"`: the column with each person's guarding node",
        )?
        .string("guard")?
        .to_owned();
    Some(PromiseSpec::PersonalizedPrivacy {
        attribute,
        guards,
        at_most: at_most?,
    })
}
