//! The stages of a release: written, proven, gated. Each can be had only from the one before it.
//!
//! ```text
//!  Draft ──write, read back──> Written ──judge──> Proven ──red team──> Gated ──certificate, bundle──> Release
//! ```
//!
//! # Guarantee
//!
//! A [`Gated`] exists only where every claim was judged on what was written and holds, and no attack achieves more than the policy
//! allows; only a [`Gated`] has a certificate, and only a certificate makes a release.

use crate::certificate::{AttackResult, Certificate, Claim};

/// Data that was written and read back; nothing is known of it yet.
pub struct Written<S> {
    shown: S,
}

/// Written data with what a judge found on it.
pub struct Proven<S> {
    shown: S,
    claims: Vec<Claim>,
}

/// Written data whose every claim holds, and which the red team could not do enough to.
pub struct Gated<S> {
    shown: S,
    claims: Vec<Claim>,
    attacks: Vec<AttackResult>,
}

/// What the gate found where it lets nothing through.
pub struct Refused {
    /// What was promised and measured.
    pub claims: Vec<Claim>,
    /// What the red team achieved.
    pub attacks: Vec<AttackResult>,
}

impl<S> Written<S> {
    /// What was read back.
    pub fn new(shown: S) -> Written<S> {
        Written { shown }
    }

    /// Judges every claim; what else the judge found comes beside.
    pub fn prove<J, E>(
        self,
        judge: impl FnOnce(&S) -> Result<(Vec<Claim>, J), E>,
    ) -> Result<(Proven<S>, J), E> {
        let (claims, beside) = judge(&self.shown)?;
        let shown = self.shown;
        Ok((Proven { shown, claims }, beside))
    }
}

impl<S> Proven<S> {
    /// All that an adversary sees.
    pub fn shown(&self) -> &S {
        &self.shown
    }

    /// Lets the data through, if every claim holds and no attack achieves more than it may.
    pub fn gate(self, attacks: Vec<AttackResult>) -> Result<Gated<S>, Refused> {
        let Proven { shown, claims } = self;
        let holds = |claim: &Claim| claim.holds == Some(true);
        // Where nothing is promised nothing is proven either.
        let proven = !claims.is_empty() && claims.iter().all(holds);
        if proven && !attacks.iter().any(AttackResult::exceeds) {
            Ok(Gated {
                shown,
                claims,
                attacks,
            })
        } else {
            Err(Refused { claims, attacks })
        }
    }
}

impl<S> Gated<S> {
    /// All that an adversary sees.
    pub fn shown(&self) -> &S {
        &self.shown
    }

    /// What the red team achieved.
    pub fn attacks(&self) -> &[AttackResult] {
        &self.attacks
    }

    /// The certificate: `statement` with the claims and attacks that passed, each marked by what it rests on.
    pub fn certificate(&self, statement: Certificate) -> Certificate {
        Certificate {
            claims: self.claims.clone(),
            attacks: self.attacks.clone(),
            ..statement
        }
        .marked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Check;
    use denym_policy::PromiseSpec;

    fn claim(holds: Option<bool>) -> Claim {
        Claim {
            promise: "k-anonymity".into(),
            attribute: None,
            quasi_identifiers: Vec::new(),
            asked: 2.0,
            measured: 1.0,
            holds,
            violating_records: 0,
            check: Check::Recheckable,
            terms: PromiseSpec::k_anonymity(2),
        }
    }

    fn gated(holds: Option<bool>, attacks: Vec<AttackResult>) -> bool {
        let judged = Written::new(()).prove(|()| Ok::<_, ()>((vec![claim(holds)], ())));
        let (proven, ()) = judged.expect("a judge that answers");
        proven.gate(attacks).is_ok()
    }

    #[test]
    fn nothing_passes_the_gate_whose_claim_is_not_confirmed() {
        assert!(gated(Some(true), Vec::new()));
        assert!(!gated(Some(false), Vec::new()));
        assert!(!gated(None, Vec::new()));
        let nothing = Written::new(()).prove(|()| Ok::<_, ()>((Vec::new(), ())));
        let (nothing, ()) = nothing.expect("a judge that answers");
        assert!(nothing.gate(Vec::new()).is_err());
    }

    #[test]
    fn nothing_passes_the_gate_that_an_attack_breaks() {
        let attack = |rate: f64| AttackResult {
            attack: "linkage".into(),
            attribute: None,
            knows: "everything".into(),
            success_rate: rate,
            attempts: 10,
            coverage: "exhaustive".into(),
            interval: None,
            refuse_above: Some(0.5),
        };
        assert!(gated(Some(true), vec![attack(0.5)]));
        assert!(!gated(Some(true), vec![attack(0.51)]));
    }
}
