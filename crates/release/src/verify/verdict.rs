//! What a check of a release found, and what it may be called.

use crate::Verdict;
use crate::certificate::{Basis, Certificate, Claim, ColumnRole, DataFile, OverReleases, Shape};
use crate::windows::VerifiedWindows;
use denym_measure::Sense;
use denym_policy::{Knowledge, PromiseSpec};

/// What a check of something published found.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Verification {
    /// A release with its certificate.
    Release(VerifiedRelease),
    /// Windows of a stream with the chain of their certificates.
    Windows(VerifiedWindows),
}

impl Verification {
    /// Whether it is what it says: no where something is wrong, unknown where something rests on the publisher's word.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Self::Release(found) => found.holds(),
            Self::Windows(found) => found.holds(),
        }
    }

    /// What this may be called; nothing where what was published is elsewhere.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Release(found) => Some(found.verdict()),
            Self::Windows(found) => found.verdict(),
        }
    }

    /// Claims that were measured again on what is published alone.
    pub fn measured_again(&self) -> usize {
        match self {
            Self::Release(found) => found.measured_again(),
            Self::Windows(found) => found.measured_again(),
        }
    }

    /// Claims that rest on the publisher's word.
    pub fn attested(&self) -> usize {
        let claimed = match self {
            Self::Release(found) => found.claims.len(),
            Self::Windows(found) => found.claimed(),
        };
        claimed - self.measured_again()
    }

    /// Published columns that no promise looks at, each once.
    pub fn unjudged(&self) -> Vec<&str> {
        match self {
            Self::Release(found) => found.unjudged(),
            Self::Windows(found) => found.unjudged(),
        }
    }

    /// What was found of a release; nothing of windows.
    pub fn release(&self) -> Option<&VerifiedRelease> {
        match self {
            Self::Release(found) => Some(found),
            Self::Windows(_) => None,
        }
    }

    /// What was found of windows; nothing of a release.
    pub fn windows(&self) -> Option<&VerifiedWindows> {
        match self {
            Self::Release(_) => None,
            Self::Windows(found) => Some(found),
        }
    }
}

/// What a check of a release found.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedRelease {
    /// Whether the data is byte for byte what the certificate speaks of.
    pub data_intact: bool,
    /// Every claim and what can be said of it.
    pub claims: Vec<Verified>,
    /// Every published file with its columns.
    pub files: Vec<JudgedFile>,
    /// What an adversary is assumed to know, in words.
    pub knows: String,
    /// What is counted, in words.
    pub counts: &'static str,
    /// Records that were removed, as the publisher says.
    pub suppressed_records: u64,
    /// What the publisher says of this release together with earlier ones; nothing of it can be measured here.
    pub releases: Option<OverReleases>,
    /// What is wrong beside the claims.
    pub problems: Vec<&'static str>,
    /// Whether the codebook is the one that the certificate speaks of; `None` where it speaks of none.
    pub codebook_intact: Option<bool>,
    /// Files beside the certificate that it says nothing about.
    pub other_files: Vec<String>,
}

/// A claim and what can be said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// What is promised.
    pub promise: String,
    /// The sensitive attribute, when it speaks of one.
    pub attribute: Option<String>,
    /// The quasi-identifiers its adversary knows, where these are not all.
    pub quasi_identifiers: Vec<String>,
    /// The columns it is judged on.
    pub columns: Vec<String>,
    /// The bound that was asked for.
    pub asked: f64,
    /// The value that the certificate states.
    pub stated: f64,
    /// The value that was measured again, on the published data alone.
    pub measured: Option<f64>,
    /// The value that was counted with the help of the publisher's word.
    pub counted: Option<f64>,
    /// Whether it holds; `None` where that is the publisher's word.
    pub holds: Option<bool>,
    /// Records in groups that do not meet it.
    pub violating_records: u64,
    /// What it rests on.
    pub basis: Basis,
    /// Why it fails, where the bound is not the reason.
    pub problem: Option<&'static str>,
    /// What else must be known to read it.
    pub note: Option<String>,
}

/// A published file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedFile {
    /// Its name.
    pub file: String,
    /// Its columns.
    pub columns: Vec<JudgedColumn>,
}

/// A published column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedColumn {
    /// Its name.
    pub name: String,
    /// The part it plays.
    pub role: ColumnRole,
    /// Whether any promise looks at it.
    pub judged: bool,
}

/// What cannot be true of several releases, since people who are told apart in one are told apart in all.
fn over_releases(certificate: &Certificate) -> Option<&'static str> {
    let over = certificate.releases.as_ref()?;
    if over.covered == 0 || over.claims.is_empty() {
        return Some("claims over several releases cover none, or claim nothing");
    }
    let broken = |claim: &Claim| claim.holds != Some(true) || !claim.measured.is_finite();
    if over.claims.iter().any(broken) {
        return Some("a claim over several releases is not held up by who makes it");
    }
    let more = over.claims.iter().any(|claim| {
        let mut own = certificate.claims.iter();
        claim.terms.size().is_some()
            && own.any(|own| own.terms == claim.terms && claim.measured > own.measured)
    });
    more.then_some("more people are stated over several releases than in this one alone")
}

impl VerifiedRelease {
    /// What was found, with the columns that the claims look at.
    pub(super) fn new(
        certificate: &Certificate,
        shape: Shape,
        data_intact: bool,
        claims: Vec<Verified>,
        mut problems: Vec<&'static str>,
    ) -> VerifiedRelease {
        problems.extend(over_releases(certificate));
        let file = |file: &DataFile| JudgedFile {
            file: file.file.clone(),
            columns: file
                .columns
                .iter()
                .map(|column| JudgedColumn {
                    name: column.name.clone(),
                    role: column.role,
                    judged: certificate.is_judged(column),
                })
                .collect(),
        };
        VerifiedRelease {
            data_intact,
            files: certificate.files().map(file).collect(),
            knows: knows(certificate),
            counts: counts(certificate, shape),
            suppressed_records: certificate.suppressed_records,
            claims,
            releases: certificate.releases.clone(),
            problems,
            codebook_intact: None,
            other_files: Vec::new(),
        }
    }

    /// Claims that were measured again on the published data alone.
    pub fn measured_again(&self) -> usize {
        self.claims.iter().filter(|c| c.measured.is_some()).count()
    }

    /// Published columns that no promise looks at, each once.
    pub fn unjudged(&self) -> Vec<&str> {
        let columns = self.files.iter().flat_map(|file| &file.columns);
        let mut found: Vec<&str> = Vec::new();
        for column in columns.filter(|column| !column.judged) {
            if !found.contains(&column.name.as_str()) {
                found.push(&column.name);
            }
        }
        found
    }

    /// Whether the release is what it says: no where something is wrong, unknown where something rests on the publisher's word.
    pub fn holds(&self) -> Option<bool> {
        let wrong = !self.data_intact
            || !self.problems.is_empty()
            || self.claims.iter().any(|claim| claim.holds == Some(false));
        if wrong {
            return Some(false);
        }
        let known = |claim: &Verified| claim.holds == Some(true);
        (!self.claims.is_empty() && self.claims.iter().all(known)).then_some(true)
    }

    /// What this may be called.
    pub fn verdict(&self) -> Verdict {
        match self.holds() {
            Some(false) => Verdict::Failed,
            Some(true) if self.unjudged().is_empty() && self.other_files.is_empty() => {
                Verdict::Verified
            }
            _ if self.measured_again() > 0 => Verdict::InPart,
            _ => Verdict::Attested,
        }
    }
}

impl Verified {
    /// A claim on which nothing was measured yet: the publisher's word, unless even that does not say that it holds.
    pub(super) fn stated(certificate: &Certificate, claim: &Claim) -> Verified {
        let said = claim.holds == Some(true);
        Verified {
            promise: claim.terms.name().to_owned(),
            attribute: claim.attribute.clone(),
            quasi_identifiers: claim.quasi_identifiers.clone(),
            columns: certificate.judged_on(claim),
            asked: claim.terms.bound(),
            stated: claim.measured,
            measured: None,
            counted: None,
            holds: (!said).then_some(false),
            violating_records: 0,
            basis: certificate.basis(claim),
            problem: (!said).then_some("the certificate itself does not say that it holds"),
            note: note(&claim.terms),
        }
    }

    /// Takes what was measured for this claim, and compares it with what is stated.
    pub(super) fn take(&mut self, claim: &Claim, value: f64, holds: bool, violating: u64) {
        self.violating_records = violating;
        match self.basis {
            Basis::Released => {
                self.measured = Some(value);
                if !holds {
                    self.holds = Some(false);
                } else if !same(value, claim.measured) {
                    self.fail("the certificate states another value");
                } else if claim.violating_records != violating {
                    self.fail("the certificate states another number of records that break it");
                } else if self.holds.is_none() {
                    self.holds = Some(true);
                }
            }
            Basis::Counted(_) => {
                self.counted = Some(value);
                let safer = if claim.terms.entry().sense == Sense::AtLeast {
                    claim.measured > value
                } else {
                    claim.measured < value
                };
                if !holds {
                    self.holds = Some(false);
                } else if safer && !same(value, claim.measured) {
                    self.fail("the certificate states a safer value than can be counted");
                }
            }
            Basis::Attested(_) => {}
        }
    }

    /// It does not hold, for this reason.
    pub(super) fn fail(&mut self, why: &'static str) {
        self.holds = Some(false);
        self.problem.get_or_insert(why);
    }
}

/// Whether two values are the same but for the last digits of a float.
pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// What an adversary is assumed to know, in words.
fn knows(certificate: &Certificate) -> String {
    let names = certificate.quasi_identifiers.join(", ");
    match certificate.knows {
        Knowledge::QuasiIdentifiers => names,
        Knowledge::AtMost(most) => format!("any {most} of {names}"),
        Knowledge::Doublets(l) if names.is_empty() => format!("any {l} places with their times"),
        Knowledge::Doublets(l) => format!("any {l} places with their times, and {names}"),
        Knowledge::Items(m) => format!("any {m} items, sensitive ones apart"),
        Knowledge::Institutions => "which institutions hold data of whom".to_owned(),
    }
}

/// What is counted, in words.
fn counts(certificate: &Certificate, shape: Shape) -> &'static str {
    match shape {
        Shape::Table if certificate.subject.is_some() => {
            "people, by the numbers that the publisher gave them"
        }
        Shape::Table => "records; that each is another person's is the publisher's word",
        Shape::Paths => "paths; that each is another person's is the publisher's word",
        Shape::Transactions => {
            "sets of items; that each is another person's is the publisher's word"
        }
        Shape::Trails => "possible owners of trails",
    }
}

/// What else must be known to read a claim.
fn note(terms: &PromiseSpec) -> Option<String> {
    let mut notes: Vec<String> = Vec::new();
    let beside = terms.entry().beside;
    if let Some(k) = terms.whole("k").filter(|_| !beside.is_empty()) {
        notes.push(beside.replace("{k}", &k.to_string()));
    }
    for (key, what) in [
        ("values", "bounds"),
        ("items", "bounds"),
        ("allowed", "allows to disclose"),
    ] {
        let count = terms.texts(key).len();
        let values = if count == 1 { "value" } else { "values" };
        if count > 0 {
            notes.push(format!("{what} {count} named {values}"));
        }
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}
