//! Brute force on streams: every window from scratch, and every attack on what was published.
//!
//! Straight from the definitions, over plain lists; for tiny streams. All windows of a case begin on
//! a grid that starts at its first timestamp.

use std::collections::{BTreeMap, BTreeSet};

/// A doublet: time, then location.
pub type Doublet = (i64, String);

/// One subject: its path in time order, and for each bound whether it carries the secret.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Doublets, at most one per time.
    pub path: Vec<Doublet>,
    /// Per bound.
    pub secrets: Vec<bool>,
}

/// A tiny stream and what is asked of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Everybody who ever occurs.
    pub subjects: Vec<Subject>,
    /// Timestamps of a window.
    pub window: i64,
    /// Timestamps from one window to the next.
    pub step: i64,
    /// Longest knowledge.
    pub l: usize,
    /// Smallest group.
    pub k: usize,
    /// Bounds as (numerator, denominator).
    pub at_most: Vec<(u64, u64)>,
    /// Whether old doublets may be suppressed as well.
    pub retract: bool,
    /// Timestamps of the horizon; `None` is all. Only where nothing is retracted.
    pub horizon: Option<i64>,
}

/// What one window came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// First timestamp.
    pub from: i64,
    /// Last timestamp.
    pub to: i64,
    /// Whether the promise fails before any doublet is known, so that nothing may leave.
    pub withheld: bool,
    /// Doublets suppressed with this window, in order of choice; none if it was withheld.
    pub suppressed: Vec<Doublet>,
    /// What each subject shows, by subject; empty if it was withheld.
    pub shown: Vec<Vec<Doublet>>,
}

impl Case {
    /// Whether a group breaks the promise.
    pub fn broken(&self, group: &[usize]) -> bool {
        group.len() < self.k || self.too_sure(group)
    }

    fn too_sure(&self, group: &[usize]) -> bool {
        self.at_most.iter().enumerate().any(|(bound, &(num, den))| {
            let with = group.iter().filter(|&&s| self.subjects[s].secrets[bound]);
            with.count() as u64 * den > num * group.len() as u64
        })
    }

    /// All sequences of up to L doublets within a span that break the promise, over given paths.
    pub fn violations(&self, paths: &[Vec<Doublet>], span: Option<i64>) -> BTreeSet<Vec<Doublet>> {
        let mut groups: BTreeMap<Vec<Doublet>, Vec<usize>> = BTreeMap::new();
        for (subject, path) in paths.iter().enumerate() {
            for part in parts(path, self.l) {
                let wide = part[part.len() - 1].0 - part[0].0;
                if span.is_none_or(|span| wide < span) {
                    groups.entry(part).or_default().push(subject);
                }
            }
        }
        groups
            .into_iter()
            .filter(|(_, group)| self.broken(group))
            .map(|(part, _)| part)
            .collect()
    }

    /// Cuts every window from scratch on the carried one, up to the one that holds the last event.
    pub fn cuts(&self) -> Vec<Cut> {
        let times = self.subjects.iter().flat_map(|s| &s.path).map(|d| d.0);
        let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
            return Vec::new();
        };
        let mut published: BTreeSet<Doublet> = BTreeSet::new();
        let mut suppressed: BTreeSet<Doublet> = BTreeSet::new();
        let mut cuts = Vec::new();
        let mut to = first + self.window - 1;
        loop {
            let from = to - self.window + 1;
            cuts.push(self.cut(from, to, &mut published, &mut suppressed));
            if to >= last {
                return cuts;
            }
            to += self.step;
        }
    }

    fn cut(
        &self,
        from: i64,
        to: i64,
        published: &mut BTreeSet<Doublet>,
        suppressed: &mut BTreeSet<Doublet>,
    ) -> Cut {
        let within = |d: &&Doublet| d.0 <= to && (d.0 >= from || published.contains(*d));
        let reach = |d: &&Doublet| !self.retract || d.0 >= from;
        let carried: Vec<Vec<Doublet>> = self
            .subjects
            .iter()
            .map(|s| {
                let path = s.path.iter().filter(within).filter(reach);
                path.filter(|d| !suppressed.contains(*d)).cloned().collect()
            })
            .collect();
        let span = if self.retract { None } else { self.horizon };
        let all = self.violations(&carried, span);
        // Nothing that was published can be mended; it must not need it.
        let of_old = all
            .iter()
            .filter(|v| v.iter().all(|d| published.contains(d)));
        assert_eq!(of_old.count(), 0, "a violation of old doublets alone");
        let mut open: Vec<&Vec<Doublet>> = all
            .iter()
            .filter(|v| {
                let shorter = parts(v, v.len() - 1);
                shorter.iter().all(|part| !all.contains(part))
            })
            .collect();
        let mut loss: BTreeMap<&Doublet, u64> = BTreeMap::new();
        for doublet in carried.iter().flatten() {
            *loss.entry(doublet).or_default() += 1;
        }
        let mut chosen: Vec<Doublet> = Vec::new();
        while !open.is_empty() {
            let mut gain: BTreeMap<&Doublet, u64> = BTreeMap::new();
            let may_go = |d: &&Doublet| self.retract || !published.contains(*d);
            for doublet in open.iter().copied().flatten().filter(may_go) {
                *gain.entry(doublet).or_default() += 1;
            }
            // Doublets come in order: a later one must be strictly better.
            let mut best: Option<(&Doublet, u64, u64)> = None;
            for (doublet, gain) in gain {
                let cost = loss[doublet];
                if best.is_none_or(|(_, best_gain, best_cost)| gain * best_cost > best_gain * cost)
                {
                    best = Some((doublet, gain, cost));
                }
            }
            let winner = best.expect("every violation has a doublet that may go").0;
            open.retain(|violation| !violation.contains(winner));
            chosen.push(winner.clone());
        }
        let present: Vec<usize> = (0..self.subjects.len())
            .filter(|&s| {
                let mut path = self.subjects[s].path.iter();
                path.any(|d| from <= d.0 && d.0 <= to)
            })
            .collect();
        let withheld = present.len() >= self.k && self.too_sure(&present);
        let mut shown = Vec::new();
        if withheld {
            chosen.clear();
        } else {
            suppressed.extend(chosen.iter().cloned());
            for path in &carried {
                let here = path.iter().filter(|d| d.0 >= from && !chosen.contains(d));
                shown.push(here.cloned().collect::<Vec<_>>());
            }
            published.retain(|d| !chosen.contains(d));
            published.extend(shown.iter().flatten().cloned());
        }
        Cut {
            from,
            to,
            withheld,
            suppressed: chosen,
            shown,
        }
    }

    /// Whoever keeps all windows and can link a subject's records: sequences within a span that break the promise.
    pub fn leaks(&self, windows: &[Vec<Vec<Doublet>>], span: Option<i64>) -> usize {
        let together: Vec<Vec<Doublet>> = (0..self.subjects.len())
            .map(|subject| {
                let seen: BTreeSet<&Doublet> = windows.iter().flat_map(|w| &w[subject]).collect();
                seen.into_iter().cloned().collect()
            })
            .collect();
        self.violations(&together, span).len()
    }
}

/// All parts of 1..=l doublets.
fn parts(path: &[Doublet], l: usize) -> Vec<Vec<Doublet>> {
    let mut all: Vec<Vec<Doublet>> = vec![Vec::new()];
    for doublet in path {
        for at in 0..all.len() {
            if all[at].len() < l {
                let mut longer = all[at].clone();
                longer.push(doublet.clone());
                all.push(longer);
            }
        }
    }
    all.retain(|part| !part.is_empty());
    all
}
