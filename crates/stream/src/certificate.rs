//! A line per window that says what is promised and what was measured; each line holds the hash of the one before.
//!
//! Whoever has the lines can walk them: none is missing, none was changed, all make the same claims.
//! Whoever has a window as well can measure it again.

use denym_data::Fraction;
use denym_measure::paths::{PathAudit, covers};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::counts::Counts;
use crate::error::Error;
use crate::options::{Bound, Matching, Options, Rule, as_pair};
use crate::verify::knowledge;
use crate::window::Window;

/// What is promised of every window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Most doublets the adversary knows.
    pub l: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Sensitive values with their bounds.
    pub confidence: Vec<Bound>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// What may be suppressed.
    pub rule: Rule,
    /// Timestamps of a window.
    pub window: u32,
    /// Timestamps from one window to the next.
    pub step: u32,
}

impl Claims {
    /// The claims of a stream with these options.
    pub fn new(options: &Options) -> Self {
        Self {
            l: options.l,
            k: options.k,
            confidence: options.bounds.clone(),
            matching: options.matching,
            rule: options.rule,
            window: options.window,
            step: options.step,
        }
    }
}

/// What the judge found in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Sequences that break the promise.
    pub violations: u64,
}

impl Measured {
    pub(crate) fn new(audit: &PathAudit) -> Self {
        Self {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// SHA-256 of the certificate line before; zeros for the first.
    pub previous: String,
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// What stands before the first line.
pub(crate) fn no_line() -> String {
    "0".repeat(64)
}

impl Certificate {
    /// One line of JSON.
    pub fn line(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|_| Error::Internal {
            what: "a certificate can be written",
        })
    }
}

/// What a walk along the chain found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    let unsure = widest.is_none_or(|widest| measured.largest_confidence <= widest);
    measured.violations == 0 && large && unsure
}

/// Measures a window again and compares it with its certificate; `line` is the window in full.
pub fn verify_window(certificate: &Certificate, line: &str) -> Result<Measured, Error> {
    let broken = |what| Error::BrokenChain { line: 1, what };
    if certificate.content != sha256(line) {
        return Err(broken("certifies another window"));
    }
    let window = Window::from_line(line).ok_or(broken("certifies something that is no window"))?;
    let claims = &certificate.claims;
    let asked = knowledge(claims.l, claims.k, &claims.confidence);
    let audit = covers(&window.to_paths()?, &asked);
    let measured = Measured::new(&audit);
    if !audit.holds {
        return Err(broken("claims what its window does not keep"));
    }
    // Contradiction is judged from the source, which the reader does not have.
    if claims.matching == Matching::Covers && measured != certificate.measured {
        return Err(broken("states other measures than its window has"));
    }
    Ok(measured)
}
