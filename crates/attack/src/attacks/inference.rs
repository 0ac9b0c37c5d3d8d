//! Inference: the nearest published record's secret is the person's; compared with people who are not in the data.
//!
//! # Idea
//!
//! The adversary takes the commonest secret among the published records nearest to what is known of a person.
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
    name: "inference",
    place: 290,
    threat: Threat::AttributeLinkage,
    shape: Shape::Table,
    summary: "a sensitive value guessed from the nearest published record, against a control group",
    knows: "the quasi-identifiers of members, and of people of the same kind who are not in the data",
    limits: "the nearest record is one that fails to show the fewest known values; a better guess may exist; only what members lose beyond the others is due to the release",
    reference: GIOMI,
    gate: Gate::Never,
    run: Run::Table(run),
};

fn run(scene: &TableScene<'_>) -> Ran {
    let (setting, secrets) = controlled(scene)?;
    if secrets.is_empty() {
        return Err(Declined::because(
            "no sensitive attribute is in the tables of people",
        ));
    }
    let found = (setting.known..).zip(secrets);
    found
        .map(|(at, name)| Ok(compared(scene, Some(name), inference(setting, at)?)))
        .collect()
}

/// The secret is attribute number `secret`; the adversary knows the first ones.
///
/// # Errors
///
/// When the tables do not fit together or there is no such attribute.
pub fn inference(setting: &Comparison<'_>, secret: usize) -> Result<Controlled, Error> {
    if secret >= setting.covers.len() {
        return Err(Error::OutOfRange {
            what: "secret",
            range: "among the attributes",
        });
    }
    let known: Vec<usize> = (0..setting.known).filter(|&at| at != secret).collect();
    setting.compare(ENTRY.name, |people| Inference {
        setting: *setting,
        people,
        known: &known,
        secret,
    })
}

struct Inference<'a> {
    setting: Comparison<'a>,
    people: &'a [&'a [u32]],
    known: &'a [usize],
    secret: usize,
}

impl AttackTrial for Inference<'_> {
    type Knowledge = ();

    fn victims(&self) -> usize {
        rows(self.people)
    }

    fn knowledge(&self, _: usize, _: Draw<'_>) -> Vec<()> {
        vec![()]
    }

    /// The guess is the commonest published secret among the nearest records, the smallest code among equals.
    fn succeeds(&self, person: usize, (): &()) -> bool {
        let column = self.setting.published[self.secret];
        let nearest = self.setting.nearest(self.people, person, self.known);
        let mut codes: Vec<u32> = nearest
            .iter()
            .map(|&record| column[record as usize])
            .collect();
        codes.sort_unstable();
        let guess = codes
            .chunk_by(|a, b| a == b)
            .max_by_key(|chunk| (chunk.len(), std::cmp::Reverse(chunk[0])));
        guess.is_some_and(|chunk| {
            self.setting.covers[self.secret].covers(chunk[0], self.people[self.secret][person])
        })
    }
}
