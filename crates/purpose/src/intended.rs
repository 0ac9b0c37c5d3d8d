//! Intended purposes <AIP, CIP, PIP> and the compliance check, by sets and by bits.
//!
//! # Idea
//! Whoever gives data says for which purposes it may be used in full (allowed), for which in a weakened form
//! (conditional) and for which never (prohibited). Denial wins, then condition, then allowance; what is not said is denied.
//!
//! # Guarantee
//! With `down` = with all descendants and `related` = with all descendants and ancestors:
//! full = down(AIP) - down(CIP) - related(PIP), conditional = down(CIP) - related(PIP), everything else is denied.
//! [`IntendedPurpose::check`] decides this with three bitwise ANDs against the two masks of an [`AccessPurpose`].
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: Definitions 2.3.3 to 2.3.5, section 2.6.1, Table 2.8.
//!
//! # Departures
//! The text writes PIP-down in section 2.3.1 and PIP-up in 3.2.2; Example 2.3.1 and Table 2.7 only fit both directions.
//! `Comp_Check1` as printed ignores CIP and would let a conditional value out in full; here the order is PIP, CIP, AIP.
//! Stored are the declared sets, not their closures, and the closure is in the masks of the access purpose: a code
//! stays right when the tree grows. [`IntendedPurpose::codes`] gives the closed codes of Table 2.7 for those who store these.
//!
//! # Cost
//! A check is a few nanoseconds for up to 64 purposes, one more AND per further 64.

use crate::bits::PurposeSet;
use crate::error::Error;
use crate::tree::{NOTHING, PurposeId, PurposeTree};
use serde::Serialize;

/// Whether an access purpose complies with an intended purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compliance {
    /// Nothing is served.
    Denied,
    /// The conditional value is served.
    Conditional,
    /// The value is served.
    Full,
}

/// What the data may serve: three sets of purposes as the provider declared them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntendedPurpose {
    /// AIP: in full.
    pub allowed: PurposeSet,
    /// CIP: in conditional form.
    pub conditional: PurposeSet,
    /// PIP: never.
    pub prohibited: PurposeSet,
}

/// A stated purpose, prepared for checks: the two masks that the declared sets are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessPurpose {
    id: PurposeId,
    up: PurposeSet,
    related: PurposeSet,
}

impl AccessPurpose {
    /// Prepares a purpose of the tree.
    pub fn new(tree: &PurposeTree, id: PurposeId) -> Self {
        Self {
            id,
            up: tree.up(id).clone(),
            related: tree.related(id).clone(),
        }
    }

    /// The purpose.
    pub fn id(&self) -> PurposeId {
        self.id
    }

    /// Compared with AIP and CIP: the purpose and all above it.
    pub fn up(&self) -> &PurposeSet {
        &self.up
    }

    /// Compared with PIP: the purpose, all above and all below it.
    pub fn related(&self) -> &PurposeSet {
        &self.related
    }
}

impl IntendedPurpose {
    /// From names.
    pub fn new(
        tree: &PurposeTree,
        allowed: &[&str],
        conditional: &[&str],
        prohibited: &[&str],
    ) -> Result<Self, Error> {
        Ok(Self {
            allowed: tree.set(allowed.iter().copied())?,
            conditional: tree.set(conditional.iter().copied())?,
            prohibited: tree.set(prohibited.iter().copied())?,
        })
    }

    /// Decides for one access purpose: PIP, then CIP, then AIP, else denied.
    #[inline]
    pub fn check(&self, access: &AccessPurpose) -> Compliance {
        if self.prohibited.meets(&access.related) {
            Compliance::Denied
        } else if self.conditional.meets(&access.up) {
            Compliance::Conditional
        } else if self.allowed.meets(&access.up) {
            Compliance::Full
        } else {
            Compliance::Denied
        }
    }

    /// IP*: all purposes the data may serve in full.
    pub fn implied(&self, tree: &PurposeTree) -> PurposeSet {
        let (aip, cip, pip) = self.codes(tree);
        aip.minus(&cip).minus(&pip)
    }

    /// The set of purposes the data may serve in conditional form.
    pub fn implied_conditional(&self, tree: &PurposeTree) -> PurposeSet {
        let (_, cip, pip) = self.codes(tree);
        cip.minus(&pip)
    }

    /// The closed codes (`aip_code`, `cip_code`, `pip_code`): sums of the codes of Table 2.7.
    pub fn codes(&self, tree: &PurposeTree) -> (PurposeSet, PurposeSet, PurposeSet) {
        (
            tree.close(&self.allowed, |id| tree.down(id).clone()),
            tree.close(&self.conditional, |id| tree.down(id).clone()),
            tree.close(&self.prohibited, |id| tree.related(id).clone()),
        )
    }

    /// With further purposes prohibited.
    #[must_use]
    pub fn with_prohibited(&self, more: &PurposeSet) -> Self {
        Self {
            prohibited: self.prohibited.union(more),
            ..self.clone()
        }
    }

    /// `<{general}, {marketing}, {}>`, in the order of declaration.
    pub fn to_text(&self, tree: &PurposeTree) -> String {
        let part = |set: &PurposeSet| format!("{{{}}}", tree.names(set).join(", "));
        format!(
            "<{}, {}, {}>",
            part(&self.allowed),
            part(&self.conditional),
            part(&self.prohibited)
        )
    }

    /// Reads what [`to_text`](Self::to_text) writes, and Kabir's own signs: angle brackets for the tuple, a phi (or the sign of
    /// the empty set) for no purpose. `None` when the text has another shape or an unknown purpose.
    pub fn from_text(tree: &PurposeTree, text: &str) -> Option<Self> {
        let inner = text.trim().strip_prefix(['<', '\u{27e8}'])?;
        let inner = inner.strip_suffix(['>', '\u{27e9}'])?;
        let mut sets = Vec::new();
        let mut rest = inner.trim();
        loop {
            rest = rest.strip_prefix('{')?;
            let end = rest.find('}')?;
            let names = rest[..end]
                .split(',')
                .map(str::trim)
                .filter(|name| !NOTHING.contains(name));
            sets.push(tree.set(names).ok()?);
            rest = rest[end + 1..].trim_start();
            if rest.is_empty() {
                break;
            }
            rest = rest.strip_prefix(',')?.trim_start();
        }
        let [allowed, conditional, prohibited]: [PurposeSet; 3] = sets.try_into().ok()?;
        Some(Self {
            allowed,
            conditional,
            prohibited,
        })
    }
}

/// The closed codes of one intended purpose checked with the access purpose's own bit, as section 2.6.1 prints it
/// (with the order PIP, CIP, AIP). The same answer as [`IntendedPurpose::check`].
pub fn check_closed(
    code: &PurposeSet,
    aip: &PurposeSet,
    cip: &PurposeSet,
    pip: &PurposeSet,
) -> Compliance {
    if code.meets(pip) {
        Compliance::Denied
    } else if code.meets(cip) {
        Compliance::Conditional
    } else if code.meets(aip) {
        Compliance::Full
    } else {
        Compliance::Denied
    }
}
