//! Linkability: the records nearest to one half of what is known of a person and to the other half are the same; compared with people who are not in the data.
//!
//! # Idea
//!
//! Who holds one half of the columns and who holds the other put a person's halves together through the release.
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
    name: "linkability",
    place: 280,
    threat: Threat::RecordLinkage,
    shape: Shape::Table,
    summary: "two halves of a record linked through the release, against a control group",
    knows: "the quasi-identifiers of members, and of people of the same kind who are not in the data",
    limits: "the halves are those of the columns' order; other halves may link better; only what members lose beyond the others is due to the release",
    reference: GIOMI,
    gate: Gate::Never,
    run: Run::Table(run),
};

fn run(scene: &TableScene<'_>) -> Ran {
    let (setting, _) = controlled(scene)?;
    if setting.known < 2 {
        return Err(Declined::because("one known column has no halves"));
    }
    let half: Vec<usize> = (0..setting.known / 2).collect();
    Ok(vec![compared(scene, None, linkability(setting, &half)?)])
}

/// Attributes numbered in `first` are one half of what is known, the other known ones the second half.
///
/// # Errors
///
/// When the tables do not fit together.
pub fn linkability(setting: &Comparison<'_>, first: &[usize]) -> Result<Controlled, Error> {
    let second: Vec<usize> = (0..setting.known)
        .filter(|at| !first.contains(at))
        .collect();
    setting.compare(ENTRY.name, |people| Linkability {
        setting: *setting,
        people,
        halves: [first, &second],
    })
}

struct Linkability<'a> {
    setting: Comparison<'a>,
    people: &'a [&'a [u32]],
    halves: [&'a [usize]; 2],
}

impl AttackTrial for Linkability<'_> {
    type Knowledge = ();

    fn victims(&self) -> usize {
        rows(self.people)
    }

    fn knowledge(&self, _: usize, _: Draw<'_>) -> Vec<()> {
        vec![()]
    }

    /// The halves are linked when their nearest records are one and the same record.
    fn succeeds(&self, person: usize, (): &()) -> bool {
        let [a, b] = self
            .halves
            .map(|half| self.setting.nearest(self.people, person, half));
        let mut common = a.iter().filter(|record| b.binary_search(record).is_ok());
        common.next().is_some() && common.next().is_none()
    }
}
