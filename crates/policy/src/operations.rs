//! Operations on single columns that a policy can name beside a role: top and bottom coding, numbers averaged within
//! classes, keyed pseudonyms; and how much a column's loss counts.

use std::path::PathBuf;

use denym_data::{Centroid, Fraction, Role};

use super::reader::{Node, Section};

/// The keys of an attribute that name operations.
pub(super) const KEYS: [&str; 5] = ["top", "bottom", "microaggregate", "pseudonym", "weight"];

/// What is done to a column beside generalizing it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Operations {
    /// Larger numbers are published as this one.
    pub top: Option<Fraction>,
    /// Smaller numbers are published as this one.
    pub bottom: Option<Fraction>,
    /// Each class publishes one number in the middle of its own: the mean, or the lower median, which occurs.
    pub middle: Option<Centroid>,
    /// An identifier is published as a keyed pseudonym.
    pub pseudonym: Option<Pseudonym>,
    /// What the loss of a quasi-identifier is multiplied by; 1 when it is not said.
    pub weight: Option<Fraction>,
}

/// How an identifier becomes a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pseudonym {
    /// Where its key is.
    pub key: KeySource,
    /// Where a person keeps the same token.
    pub per: Reach,
}

/// Where a person keeps the same token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// In every release that uses the key: records of several classes are tied together.
    #[default]
    Release,
    /// Among records that look alike: in every class another token.
    Class,
}

/// Where the key of a pseudonym is; the key itself is never in a policy or a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A file, relative to the policy.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
}

/// The operations of one attribute.
pub(super) fn operations(section: &Section<'_, '_>, role: Role) -> Operations {
    let number = |key: &str| {
        let node = section.get(key)?;
        if role == Role::Identifier || role == Role::Subject {
            misplaced(&node, key, "a quasi, sensitive or insensitive attribute");
        }
        node.fraction(Fraction::ZERO, None)
    };
    let found = Operations {
        top: number("top"),
        bottom: number("bottom"),
        middle: section.get("microaggregate").and_then(|node| {
            if role != Role::QuasiIdentifier {
                misplaced(&node, "microaggregate", "a quasi-identifier");
            }
            node.choice(&[("mean", Centroid::Mean), ("median", Centroid::Median)])
        }),
        pseudonym: section.get("pseudonym").and_then(|node| {
            if role != Role::Identifier {
                misplaced(&node, "pseudonym", "an identifier");
            }
            pseudonym(&node)
        }),
        weight: section.get("weight").and_then(|node| {
            if role != Role::QuasiIdentifier {
                misplaced(&node, "weight", "a quasi-identifier");
            }
            node.fraction(Fraction::ZERO, None)
        }),
    };
    if let (Some(top), Some(bottom), Some(node)) = (found.top, found.bottom, section.get("top"))
        && top < bottom
    {
        node.mistake(
            "policy-out-of-range",
            "`top` is below `bottom`",
            "exchange them",
        );
    }
    found
}

pub(super) fn misplaced(node: &Node<'_, '_>, key: &str, who: &str) {
    node.mistake(
        "policy-unused-key",
        format!("only {who} can have `{key}`"),
        "remove it, or change the role",
    );
}

fn pseudonym(node: &Node<'_, '_>) -> Option<Pseudonym> {
    let example = r#"{ key-file = "secret.key" }"#;
    let section = node.section(&["key-file", "key-env", "per"], example)?;
    let per = section.get("per").map_or(Some(Reach::default()), |node| {
        node.choice(&[("release", Reach::Release), ("class", Reach::Class)])
    });
    let key = match (section.get("key-file"), section.get("key-env")) {
        (Some(file), None) => Some(KeySource::File(PathBuf::from(file.string("secret.key")?))),
        (None, Some(name)) => Some(KeySource::Environment(name.string("DENYM_KEY")?.to_owned())),
        _ => {
            node.mistake(
                "policy-pseudonym-key",
                "a pseudonym has exactly one of `key-file` and `key-env`",
                format!("write for example `pseudonym = {example}`"),
            );
            None
        }
    };
    Some(Pseudonym {
        key: key?,
        per: per?,
    })
}
