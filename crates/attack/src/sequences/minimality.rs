//! Minimality attack on paths: raw paths that would have been published differently are ruled out.
//!
//! # Idea
//!
//! From a public data set the adversary has, for each published record, the raw paths it may come from. Each choice of one
//! per record is a possible original; the algorithm (a closure) is run on each, and those that do not give the observed
//! release are discarded. What is left says which doublets a record lost.
//!
//! # Guarantee
//!
//! Exact posterior, every choice equally likely before.
//!
//! # Reference
//!
//! ITSA, section 4.5.1, which holds that it fails against suppression because a gap may also be a stay; it does not fail
//! when the possible raw paths are few.
//!
//! # Cost
//!
//! The product of the numbers of possible paths, one run of the algorithm each.

use super::Doublet;
use crate::{Coverage, Error, Evidence};

/// What the adversary believes of each record's raw path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathBeliefs {
    /// Choices tried.
    pub worlds: u64,
    /// Choices that give the observed release.
    pub possible: u64,
    /// For each record, the probability of each of its possible raw paths; all zero when nothing is possible.
    pub after: Vec<Vec<f64>>,
}

impl PathBeliefs {
    /// Records with more than one possible raw path of which one remains with more than `confidence`.
    pub fn evidence(&self, confidence: f64) -> Evidence {
        let open = self.after.iter().filter(|chances| chances.len() > 1);
        let told = open
            .clone()
            .filter(|chances| chances.iter().any(|&chance| chance > confidence))
            .count();
        Evidence::new(
            "path-minimality",
            told as u64,
            open.count() as u64,
            Coverage::Exhaustive,
        )
    }
}

/// What a recipient sees: what each record shows with its attributes, in no order.
pub type PublishedPaths = Vec<(Vec<u32>, Vec<u32>)>;

/// The source paths that each record may come from, and what the search makes of each choice.
pub struct PathOriginals<'a> {
    /// For each record the source paths that would show as it does.
    pub possible: Vec<Vec<Vec<Doublet>>>,
    /// What was published.
    pub observed: PublishedPaths,
    /// What the search publishes for these source paths; `None` when it finds nothing.
    pub publish: Box<dyn Fn(&[&[Doublet]]) -> Option<PublishedPaths> + Sync + 'a>,
    /// How sure the adversary wants to be.
    pub confidence: f64,
    /// The most originals that are tried.
    pub limit: u64,
}

impl PathOriginals<'_> {
    /// Tries every choice: originals tried, those that would have been published like this, and what that tells.
    ///
    /// # Errors
    ///
    /// As [`path_minimality`].
    pub fn run(&self) -> Result<((u64, u64), Evidence), Error> {
        let observed = Some(self.observed.clone());
        let beliefs = path_minimality(&self.possible, &observed, &self.publish, self.limit)?;
        Ok((
            (beliefs.worlds, beliefs.possible),
            beliefs.evidence(self.confidence),
        ))
    }
}

/// Runs `publish` on every choice of one raw path per record.
///
/// # Errors
///
/// When a record has no possible raw path, or there are more than `limit` choices.
pub fn path_minimality<R: PartialEq>(
    possible_paths: &[Vec<Vec<Doublet>>],
    observed: &R,
    publish: &dyn Fn(&[&[Doublet]]) -> R,
    limit: u64,
) -> Result<PathBeliefs, Error> {
    if possible_paths.iter().any(Vec::is_empty) {
        return Err(Error::LengthsDiffer {
            what: "possible paths of a record",
            expected: 1,
            found: 0,
        });
    }
    let worlds = possible_paths.iter().try_fold(1_u64, |product, paths| {
        product.checked_mul(paths.len() as u64)
    });
    let worlds = worlds
        .filter(|&worlds| worlds <= limit)
        .ok_or(Error::TooManySteps { limit })?;
    let mut counts: Vec<Vec<u64>> = possible_paths
        .iter()
        .map(|paths| vec![0; paths.len()])
        .collect();
    let mut choice = vec![0_usize; possible_paths.len()];
    let mut possible = 0;
    for _ in 0..worlds {
        let original: Vec<&[Doublet]> = possible_paths
            .iter()
            .zip(&choice)
            .map(|(paths, &at)| &paths[at][..])
            .collect();
        if publish(&original) == *observed {
            possible += 1;
            for (counts, &at) in counts.iter_mut().zip(&choice) {
                counts[at] += 1;
            }
        }
        // The next choice, as an odometer turns.
        for (at, paths) in choice.iter_mut().zip(possible_paths) {
            *at += 1;
            if *at < paths.len() {
                break;
            }
            *at = 0;
        }
    }
    let share = |count: u64| {
        if possible == 0 {
            0.0
        } else {
            count as f64 / possible as f64
        }
    };
    let after = counts
        .into_iter()
        .map(|counts| counts.into_iter().map(share).collect())
        .collect();
    Ok(PathBeliefs {
        worlds,
        possible,
        after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_have_stayed_was_not_there() {
        const A: Doublet = (0, 1);
        const B: Doublet = (1, 2);
        // A publisher that suppresses every doublet that only one record has.
        let publish = |paths: &[&[Doublet]]| -> Vec<Vec<Doublet>> {
            let shown = |d: &Doublet| paths.iter().filter(|path| path.contains(d)).count() > 1;
            paths
                .iter()
                .map(|path| path.iter().copied().filter(|d| shown(d)).collect())
                .collect()
        };
        let observed = vec![vec![A], vec![A], vec![A]];
        // Each record may or may not have been at b2. Two or more at b2 would have been published: at most one was.
        let may = vec![vec![A], vec![A, B]];
        let beliefs = path_minimality(
            &[may.clone(), may.clone(), may.clone()],
            &observed,
            &publish,
            100,
        )
        .unwrap();
        assert_eq!((beliefs.worlds, beliefs.possible), (8, 4));
        assert!(
            (beliefs.after[0][1] - 0.25).abs() < 1e-12,
            "one half before"
        );
        // Whoever knows that the first was at b2 knows that the others were not.
        let beliefs = path_minimality(
            &[vec![vec![A, B]], may.clone(), may.clone()],
            &observed,
            &publish,
            100,
        )
        .unwrap();
        assert_eq!(
            (beliefs.possible, beliefs.after[1].clone()),
            (1, vec![1.0, 0.0])
        );
        assert_eq!(
            (
                beliefs.evidence(0.9).successes,
                beliefs.evidence(0.9).attempts
            ),
            (2, 2)
        );
        assert!(path_minimality(&[may.clone(), may], &observed, &publish, 3).is_err());
    }
}
