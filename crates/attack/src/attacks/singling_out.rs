//! Singling out: a combination of published values that exactly one person has; compared with people who are not in the data.
//!
//! # Idea
//!
//! A record of the release is drawn; what it shows of the known attributes is the predicate, and it succeeds when one person satisfies it.
//!
//! # Reference
//!
//! M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi, "A unified framework for quantifying privacy risk in synthetic data", `PoPETs` 2023.

use crate::Error;
use crate::catalogue::{AttackEntry, GIOMI, Gate, Run, Shape, Threat};
use crate::control::{Comparison, Controlled, rows};
use crate::evidence::{AttackTrial, Draw};
use crate::finding::{Declined, Ran};
use crate::table::{TableScene, compared, controlled};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "singling-out",
    place: 270,
    threat: Threat::RecordLinkage,
    shape: Shape::Table,
    summary: "a predicate that one person satisfies, against a control group",
    knows: "the quasi-identifiers of members, and of people of the same kind who are not in the data",
    limits: "one predicate per record, of everything that is known; another may single out more; only what members lose beyond the others is due to the release",
    reference: GIOMI,
    gate: Gate::Never,
    run: Run::Table(run),
};

fn run(scene: &TableScene<'_>) -> Ran {
    let (setting, _) = controlled(scene)?;
    // Whoever is one of few stands out more easily: crowds of different size cannot be compared.
    if rows(setting.members) != rows(setting.held_out) {
        return Err(Declined::because(
            "it needs as many people who are not in the data as members",
        ));
    }
    Ok(vec![compared(scene, None, singling_out(setting)?)])
}

/// Predicates of what a published record shows of everything known; success when exactly one person satisfies them.
///
/// # Errors
///
/// When the tables do not fit together.
pub fn singling_out(setting: &Comparison<'_>) -> Result<Controlled, Error> {
    setting.compare(ENTRY.name, |people| SinglingOut {
        setting: *setting,
        people,
    })
}

struct SinglingOut<'a> {
    setting: Comparison<'a>,
    people: &'a [&'a [u32]],
}

impl AttackTrial for SinglingOut<'_> {
    type Knowledge = usize;

    fn victims(&self) -> usize {
        self.setting.records()
    }

    fn knowledge(&self, record: usize, _: Draw<'_>) -> Vec<usize> {
        vec![record]
    }

    fn succeeds(&self, _: usize, &record: &usize) -> bool {
        let satisfies = |person: &usize| {
            (0..self.setting.known).all(|at| {
                let shown = self.setting.published[at][record];
                self.setting.covers[at].covers(shown, self.people[at][*person])
            })
        };
        (0..rows(self.people)).filter(satisfies).take(2).count() == 1
    }
}
