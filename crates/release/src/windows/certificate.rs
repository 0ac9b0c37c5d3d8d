//! A line per window that says what is promised and what was measured; each line holds the hash of the one before.
//!
//! Whoever has the lines can walk them: none is missing, none was changed, all make the same claims.
//! Whoever has a window as well can measure it again.

use denym_data::{Fraction, Matching};
use denym_measure::sequences::SequenceAudit;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::counts::Counts;
use super::judge::{Asked, shown};
use super::window::Window;
use crate::Error;
use crate::certificate::{AttackResult, Check, Claim, Program};
use denym_policy::JudgedOn;
use denym_policy::PromiseSpec;
use denym_policy::stream::{Bound, Options, Reference, Rule, as_pair};

/// The part that a column of published windows plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Places with their times, what an adversary may know.
    Path,
    /// What an adversary must not learn.
    Sensitive,
}

/// What every record of every published window shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The part it plays.
    pub role: Part,
}

/// The name of the column of places with their times; that of the key in a window's line.
const PATH: &str = "path";

/// What is promised of every window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// Most doublets the adversary knows.
    pub l: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Sensitive values with their bounds.
    pub confidence: Vec<Bound>,
    /// What else is promised of every group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<PromiseSpec>,
    /// What distributions are compared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<Reference>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// What may be suppressed.
    pub rule: Rule,
    /// Timestamps of a window.
    pub window: u32,
    /// Timestamps from one window to the next.
    pub step: u32,
    /// Everything that windows show.
    #[serde(default)]
    pub columns: Vec<Column>,
}

impl Claims {
    /// What is promised of every window under these options.
    pub fn new(options: &Options) -> Claims {
        Claims {
            l: options.l,
            k: options.k,
            confidence: options.bounds.clone(),
            promises: options.promises.clone(),
            reference: options.reference.clone(),
            matching: options.matching,
            rule: options.rule,
            window: options.window,
            step: options.step,
            columns: columns(&options.attributes),
        }
    }

    /// Why no verdict can be given on these claims: they say too little, or promise nothing.
    fn unclear(&self) -> Option<&'static str> {
        let attributes: Vec<String> = self.attributes().map(str::to_owned).collect();
        if self.columns != columns(&attributes) {
            return Some("does not list what its windows show");
        }
        let mut sorted = attributes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != attributes.len() {
            return Some("lists an attribute twice");
        }
        if self.l == 0 || self.k == 0 {
            return Some("promises nothing");
        }
        let shown = |bound: &Bound| attributes.contains(&bound.attribute);
        if !self.confidence.iter().all(shown) {
            return Some("bounds an attribute that its windows do not show");
        }
        let about = |promise: &PromiseSpec| promise.attribute().cloned().flatten();
        let judged = |promise: &PromiseSpec| {
            let on_windows = JudgedOn::STREAM.lacks(promise.entry()).is_none();
            on_windows && about(promise).is_none_or(|name| attributes.contains(&name))
        };
        if !self.promises.iter().all(judged) {
            return Some("promises what is not judged on its windows");
        }
        let compared = |promise: &PromiseSpec| {
            !promise.needs_reference()
                || (self.reference.iter())
                    .any(|own| Some(&own.attribute) == about(promise).as_ref())
        };
        if !self.promises.iter().all(compared) {
            return Some("does not say what a distribution is compared with");
        }
        None
    }

    /// What must hold of every group.
    pub fn asked(&self) -> Asked<'_> {
        Asked {
            l: self.l,
            k: self.k,
            bounds: &self.confidence,
            promises: &self.promises,
            reference: &self.reference,
        }
    }

    /// Each claim with what the judge measured; where `holds` is false, one of them does not.
    pub fn judged(&self, audit: &SequenceAudit, holds: bool) -> Vec<Claim> {
        let bounds = self.confidence.iter().map(|bound| {
            let values = vec![bound.value.clone()];
            PromiseSpec::confidence(&bound.attribute, values, bound.at_most)
        });
        let promised = std::iter::once(PromiseSpec::k_anonymity(self.k))
            .chain(bounds)
            .chain(self.promises.iter().cloned());
        promised
            .zip(&audit.measured)
            .map(|(terms, found)| Claim {
                promise: terms.name().to_owned(),
                attribute: terms.attribute().cloned().flatten(),
                quasi_identifiers: Vec::new(),
                asked: terms.bound(),
                measured: found.measured.unwrap_or_default(),
                holds: Some(holds),
                violating_records: audit.exposed_records,
                check: Check::Recheckable,
                terms,
            })
            .collect()
    }

    /// Names of the sensitive attributes that windows show.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        let sensitive = self.columns.iter().filter(|c| c.role == Part::Sensitive);
        sensitive.map(|column| column.name.as_str())
    }
}

/// The columns of windows with these sensitive attributes.
pub fn columns(attributes: &[String]) -> Vec<Column> {
    let path = Column {
        name: PATH.to_owned(),
        role: Part::Path,
    };
    let sensitive = attributes.iter().map(|name| Column {
        name: name.clone(),
        role: Part::Sensitive,
    });
    std::iter::once(path).chain(sensitive).collect()
}

/// What the judge found in a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Subjects in the window.
    pub subjects: u64,
    /// Doublets shown.
    pub doublets: u64,
    /// Fewest subjects in any group.
    pub smallest_group: u64,
    /// Highest share of a sensitive value in any group.
    #[serde(with = "as_pair")]
    pub largest_confidence: Fraction,
    /// The worst value of each further promise in any group, in decimals: text, so that a line is the same wherever it is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<String>,
    /// Sequences that break the promise.
    pub violations: u64,
}

impl Measured {
    /// What the judge's audit says.
    pub fn new(audit: &SequenceAudit, asked: &Asked<'_>) -> Self {
        // Size comes first, then the bounds.
        let further = audit.measured.iter().skip(1 + asked.bounds.len());
        let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        Self {
            promises: further.map(|own| text(own.measured)).collect(),
            subjects: audit.records,
            doublets: audit.doublets,
            smallest_group: audit.smallest_group,
            largest_confidence: audit.largest_confidence,
            violations: audit.violations,
        }
    }
}

/// Whether the window left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It did.
    Published,
    /// It did not: the judge found that the promise does not hold.
    Withheld,
}

/// One line of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Number of the window.
    pub window: u64,
    /// First timestamp.
    pub from: i64,
    /// Last timestamp.
    pub to: i64,
    /// Whether it left.
    pub status: Status,
    /// What is promised.
    pub claims: Claims,
    /// What was measured.
    pub measured: Measured,
    /// Fates of all events up to this window.
    pub counts: Counts,
    /// SHA-256 of the window's line; empty if it was withheld.
    pub content: String,
    /// What the red team could do to the window, alone and beside the one published before it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub attacks: Vec<AttackResult>,
    /// SHA-256 of the certificate line before; zeros for the first.
    pub previous: String,
    /// How the rule of publication stands against somebody who knows the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
}

/// SHA-256 in hexadecimal.
pub fn sha256(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// What stands before the first line.
pub fn no_line() -> String {
    "0".repeat(64)
}

impl Certificate {
    /// One line of JSON.
    pub fn line(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|_| Error::Internal {
            what: "a certificate has no JSON form".into(),
        })
    }
}

/// What a walk along the chain found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Windows published.
    pub published: u64,
    /// Windows withheld.
    pub withheld: u64,
    /// Hash of the last line.
    pub last: String,
    /// The claims that all lines make.
    pub claims: Option<Claims>,
}

/// Walks the lines: order, hashes, equal claims, and measured values that keep the claims.
pub fn verify_chain<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Chain, Error> {
    let mut chain = Chain {
        published: 0,
        withheld: 0,
        last: no_line(),
        claims: None,
    };
    let mut number = 0;
    for (at, line) in lines.into_iter().enumerate() {
        let broken = |what| Error::BrokenChain { line: at + 1, what };
        let certificate: Certificate =
            serde_json::from_str(line).map_err(|_| broken("is not a certificate"))?;
        if let Some(what) = certificate.claims.unclear() {
            return Err(broken(what));
        }
        if certificate.line()? != line {
            return Err(broken("has more in it than a certificate"));
        }
        if certificate.previous != chain.last {
            return Err(broken("does not follow from the line before it"));
        }
        if certificate.window <= number {
            return Err(broken("has a window number that does not grow"));
        }
        let claims = chain
            .claims
            .get_or_insert_with(|| certificate.claims.clone());
        if *claims != certificate.claims {
            return Err(broken("makes other claims than the first"));
        }
        match certificate.status {
            Status::Withheld => chain.withheld += 1,
            Status::Published if certificate.attacks.iter().any(AttackResult::exceeds) => {
                return Err(broken("states an attack that achieves more than it may"));
            }
            Status::Published if keeps(&certificate.claims, &certificate.measured) => {
                chain.published += 1;
            }
            Status::Published => return Err(broken("does not keep its claims")),
        }
        number = certificate.window;
        chain.last = sha256(line);
    }
    Ok(chain)
}

fn keeps(claims: &Claims, measured: &Measured) -> bool {
    let large = measured.subjects == 0 || measured.smallest_group >= claims.k;
    let widest = claims.confidence.iter().map(|bound| bound.at_most).max();
    // Further promises may bound other shares.
    let unsure = !claims.promises.is_empty()
        || widest.is_none_or(|widest| measured.largest_confidence <= widest);
    measured.violations == 0 && large && unsure
}

/// Measures a window again and compares it with its certificate; `line` is the window in full.
pub fn verify_window(certificate: &Certificate, line: &str) -> Result<Measured, Error> {
    let broken = |what| Error::BrokenChain { line: 1, what };
    if certificate.content != sha256(line) {
        return Err(broken("certifies another window"));
    }
    let window = Window::from_line(line).ok_or(broken("certifies something that is no window"))?;
    if window.line() != line {
        return Err(broken("certifies a line with more in it than a window"));
    }
    let claims = &certificate.claims;
    if !window
        .attributes
        .iter()
        .map(String::as_str)
        .eq(claims.attributes())
    {
        return Err(broken("lists other columns than its window has"));
    }
    if (window.from, window.to) != (certificate.from, certificate.to) {
        return Err(broken("speaks of another time than its window"));
    }
    let asked = claims.asked();
    let audit = shown(&window, &asked)
        .map_err(|_| broken("makes a promise that its window cannot be judged by"))?;
    let measured = Measured::new(&audit, &asked);
    if !audit.holds {
        return Err(broken("claims what its window does not keep"));
    }
    // Contradiction is judged from the source, which the reader does not have.
    if claims.matching == Matching::Covers && measured != certificate.measured {
        return Err(broken("states other measures than its window has"));
    }
    Ok(measured)
}

/// The highest share of each bounded value in any group of a window.
pub fn window_confidences(claims: &Claims, window: &Window) -> Vec<Fraction> {
    let bounds = claims.confidence.iter();
    bounds
        .map(|bound| {
            let alone = Asked {
                k: 1,
                bounds: std::slice::from_ref(bound),
                promises: &[],
                ..claims.asked()
            };
            shown(window, &alone).map_or(Fraction::ZERO, |audit| audit.largest_confidence)
        })
        .collect()
}
