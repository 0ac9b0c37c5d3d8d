//! Whether a certificate says enough, and nothing that contradicts itself: without that there is no verdict.

use std::path::PathBuf;

use denym_data::{Dictionary, Kind, Strings};

use super::verdict::same;
use crate::Error;
use crate::certificate::{Certificate, Claim, DataFile, FORM, Sensitive, Shape};
use denym_measure::catalogue::Needs;
use denym_measure::{Bounded, joint_name};
use denym_policy::{Knowledge, PromiseSpec};

/// The certificate that a check stands on.
pub(super) struct Grounds<'a> {
    /// Where it is.
    pub(super) path: PathBuf,
    /// It.
    pub(super) certificate: &'a Certificate,
}

/// The most doublets or items that an adversary may be said to know.
const MOST: usize = 64;

impl Grounds<'_> {
    /// Why there is no verdict.
    pub(super) fn unjudged(&self, what: impl Into<String>) -> Error {
        // Names in a certificate are whoever's wrote it; none reaches a terminal as more than letters.
        let plain = |letter: char| if letter.is_control() { '?' } else { letter };
        Error::Unjudged {
            what: what.into().chars().map(plain).collect(),
            path: self.path.clone(),
        }
    }

    /// No verdict unless `sound`.
    pub(super) fn demand(&self, sound: bool, what: impl Into<String>) -> Result<(), Error> {
        if sound {
            Ok(())
        } else {
            Err(self.unjudged(what))
        }
    }

    /// Everything that can be said without the data; the kind of the release.
    pub(super) fn sound(&self) -> Result<Shape, Error> {
        let certificate = self.certificate;
        self.demand(
            certificate.form == FORM,
            "the certificate has an earlier form, which does not say what each published column is",
        )?;
        let shape = certificate
            .shape()
            .ok_or_else(|| self.unjudged("the certificate speaks of two kinds of data at once"))?;
        self.demand(
            !certificate.claims.is_empty(),
            "the certificate claims nothing, so there is nothing to verify",
        )?;
        for file in certificate.files() {
            self.listed(file)?;
        }
        let second = certificate.files().nth(1);
        self.demand(
            second.is_none_or(|second| second.file != certificate.data.file),
            "both tables of the certificate are the same file",
        )?;
        for (at, sensitive) in certificate.sensitive.iter().enumerate() {
            let before = &certificate.sensitive[..at];
            self.demand(
                before.iter().all(|other| other.name != sensitive.name),
                "the certificate describes a sensitive attribute twice",
            )?;
            self.described(sensitive)?;
        }
        match shape {
            Shape::Table => self.table()?,
            Shape::Paths => self.paths()?,
            Shape::Transactions => self.transactions()?,
            Shape::Trails => self.trails()?,
        }
        for claim in &certificate.claims {
            self.claim(claim)?;
        }
        Ok(shape)
    }

    /// The columns of a file are listed, each once.
    fn listed(&self, file: &DataFile) -> Result<(), Error> {
        self.demand(
            !file.columns.is_empty(),
            "the certificate does not list the published columns",
        )?;
        for (at, column) in file.columns.iter().enumerate() {
            self.demand(
                file.columns[..at].iter().all(|c| c.name != column.name),
                "the certificate lists a column twice",
            )?;
        }
        Ok(())
    }

    fn table(&self) -> Result<(), Error> {
        let certificate = self.certificate;
        self.demand(
            matches!(
                certificate.knows,
                Knowledge::QuasiIdentifiers | Knowledge::AtMost(1..)
            ),
            "the certificate does not say what an adversary knows of a person in a table",
        )?;
        let quasi = &certificate.quasi_identifiers;
        let Some(groups) = &certificate.groups else {
            return self.demand(
                !quasi.is_empty(),
                "the certificate names no quasi-identifier: a promise about an adversary who knows nothing is none",
            );
        };
        self.demand(
            certificate.subject.is_none(),
            "a release in groups cannot number people",
        )?;
        let one = |sensitive: &Sensitive| sensitive.name == groups.attribute;
        self.demand(
            certificate.sensitive.len() == 1 && certificate.sensitive.iter().all(one),
            "a release in groups has exactly the sensitive attribute of its groups",
        )?;
        for claim in &certificate.claims {
            let about = claim.terms.attribute().and_then(Option::as_ref);
            self.demand(
                about == Some(&groups.attribute)
                    && !claim.terms.is_private()
                    && claim.quasi_identifiers.is_empty(),
                format!(
                    "a release in groups publishes quasi-identifiers as they are, so it cannot promise `{}` on them",
                    claim.terms.name()
                ),
            )?;
        }
        Ok(())
    }

    fn paths(&self) -> Result<(), Error> {
        self.demand(
            matches!(self.certificate.knows, Knowledge::Doublets(1..=MOST)),
            "the number of known doublets is not between 1 and 64",
        )?;
        self.only(|terms| !matches!(terms.bounded(), Some((Bounded::Items(_), _))))
    }

    fn transactions(&self) -> Result<(), Error> {
        self.demand(
            matches!(self.certificate.knows, Knowledge::Items(1..=MOST)),
            "the number of known items is not between 1 and 64",
        )?;
        self.demand(
            self.certificate.quasi_identifiers.is_empty(),
            "what is known of transactions are items",
        )?;
        self.only(|terms| !terms.is_about_places())
    }

    fn trails(&self) -> Result<(), Error> {
        let bare = self.certificate.sensitive.is_empty()
            && self.certificate.quasi_identifiers.len() == 1
            && self.certificate.groups.is_none()
            && self.certificate.subject.is_some();
        self.demand(bare, "trails have no columns beside ids and institutions")?;
        for claim in &self.certificate.claims {
            let whole = claim.quasi_identifiers.is_empty();
            let size = claim.terms.size().is_some();
            self.demand(whole && size, "trails promise nothing but k-anonymity")?;
        }
        Ok(())
    }

    /// Every claim of paths or transactions is one of those that they can make, for everything the adversary knows.
    fn only(&self, allowed: impl Fn(&PromiseSpec) -> bool) -> Result<(), Error> {
        let certificate = self.certificate;
        self.demand(
            certificate.subject.is_none()
                && certificate.groups.is_none()
                && certificate.altered.is_empty(),
            "the certificate mixes tables with another kind of data",
        )?;
        for claim in &certificate.claims {
            let on_groups = !claim.terms.is_private() && claim.terms.counted().is_empty();
            self.demand(
                on_groups && allowed(&claim.terms) && claim.quasi_identifiers.is_empty(),
                format!(
                    "`{}` is not judged on this kind of data",
                    claim.terms.name()
                ),
            )?;
        }
        Ok(())
    }

    /// A claim says in words what its terms say, about columns that are there.
    fn claim(&self, claim: &Claim) -> Result<(), Error> {
        let certificate = self.certificate;
        let terms = &claim.terms;
        let name = terms.name();
        let about = terms.attribute().cloned().flatten();
        self.demand(
            claim.promise == name
                && claim.attribute == about
                && same(claim.asked, terms.bound())
                && claim.measured.is_finite(),
            format!("a claim of `{name}` says one thing in words and another in its terms"),
        )?;
        self.demand(
            terms.attribute() != Some(&None),
            format!("a claim of `{name}` names no sensitive attribute"),
        )?;
        let quasi = &claim.quasi_identifiers;
        for (at, column) in quasi.iter().enumerate() {
            self.demand(
                certificate.quasi_identifiers.contains(column) && !quasi[..at].contains(column),
                format!(
                    "a claim of `{name}` is made on columns that are not the quasi-identifiers"
                ),
            )?;
        }
        self.demand(
            terms.is_sound(),
            format!("the terms of `{name}` are not those of a policy"),
        )?;
        let described = |name: &str| certificate.sensitive.iter().find(|s| s.name == name);
        if !terms.counted().is_empty() {
            self.demand(
                described(&joint_name(terms.counted())).is_some(),
                "the certificate does not describe the columns that `xy-anonymity` counts",
            )?;
        }
        let Some(about) = about else {
            return Ok(());
        };
        let Some(sensitive) = described(&about).filter(|s| s.parts.is_empty()) else {
            return Err(self.unjudged(format!(
                "a claim of `{name}` is about a column that is not sensitive"
            )));
        };
        let listed = sensitive.reference.as_ref();
        self.demand(
            !terms.needs_reference() || listed.is_some_and(|values| !values.is_empty()),
            format!("there is no reference that `{name}` could be judged against"),
        )?;
        let hierarchical = terms.entry().needs() == Needs::Taxonomy;
        self.demand(
            !hierarchical || sensitive.taxonomy.is_some(),
            "there is no taxonomy for the hierarchical distance",
        )
    }

    /// A sensitive attribute is described without contradiction: its values once each and in their order.
    fn described(&self, sensitive: &Sensitive) -> Result<(), Error> {
        let parts = &sensitive.parts;
        let joint = parts.is_empty()
            || sensitive.name == joint_name(parts)
                && sensitive.reference.is_none()
                && sensitive.taxonomy.is_none();
        self.demand(joint, "several columns read as one have another name")?;
        let values = sensitive.reference.as_deref().unwrap_or_default();
        self.demand(
            ordered(values),
            "a reference does not list its values once each and in their order",
        )?;
        let Some(rows) = &sensitive.taxonomy else {
            return Ok(());
        };
        let leaf = |(row, (value, _)): (&Vec<Option<String>>, &(Option<String>, u64))| {
            row.first() == Some(value) && row.len() == rows[0].len()
        };
        self.demand(
            rows.len() == values.len() && rows.iter().zip(values).all(leaf),
            "a taxonomy does not begin with the values of its attribute",
        )
    }
}

/// Whether values stand once each and in their natural order, whatever they are taken for.
fn ordered(values: &[(Option<String>, u64)]) -> bool {
    let texts: Vec<&str> = values.iter().filter_map(|(v, _)| v.as_deref()).collect();
    let missing = values.len() - texts.len();
    if missing > 1 || values.iter().rev().skip(1).any(|(v, _)| v.is_none()) {
        // The missing value is one, and the last.
        return false;
    }
    let mut sorted = texts.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != texts.len() {
        return false;
    }
    let strings: Strings = texts.iter().copied().collect();
    let natural = |kind: Option<Kind>| {
        let (dictionary, _) = Dictionary::build(&strings, missing > 0, kind);
        dictionary.values().eq(texts.iter().copied())
    };
    natural(None) || natural(Some(Kind::Text))
}
