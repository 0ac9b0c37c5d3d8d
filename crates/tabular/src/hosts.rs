//! Classes laid out as a tree, so that the class which takes a tuple at the least loss is found without asking all of them.
//!
//! # Idea
//!
//! Classes are split by the widest column of what they cover, again and again, until few are left together. A part of the
//! tree knows a node above all values of its classes, so it knows the least that a tuple would cost there. The search looks
//! into the cheaper part first and leaves out what cannot beat the best so far.
//!
//! # Guarantee
//!
//! The best class is found unless the search ends at [`LOOKS`] classes; then it is the best of those. Covers that grew after
//! the tree was made are judged as they are, in the place they had.
//!
//! # Cost
//!
//! n log n to lay out, at most [`LOOKS`] classes to find one.

use denym_data::Hierarchy;

use crate::cover::{Cover, Covers};

/// Classes that stay together.
const LEAF: usize = 12;

/// Classes looked at for one tuple at most.
const LOOKS: usize = 160;

/// What a tree is made of and what it finds: a class as the tree sees it.
pub(crate) trait Host {
    /// What its values are published as.
    fn cover(&self) -> &Cover;
    /// Its records; none when it was dissolved.
    fn records(&self) -> u64;
    /// Loss of one record, summed over columns.
    fn cost(&self) -> f64;
}

/// A part of the tree.
#[derive(Debug)]
struct Branch {
    /// The node above all values of its classes.
    cover: Cover,
    /// The lowest level of any of its classes, column by column.
    least: Vec<u8>,
    fewest: u64,
    dearest: f64,
    inside: Inside,
}

#[derive(Debug)]
enum Inside {
    Classes(Vec<u32>),
    Two(usize, usize),
}

/// Classes by what they cover.
#[derive(Debug)]
pub(crate) struct HostTree {
    branches: Vec<Branch>,
    root: Option<usize>,
}

impl HostTree {
    /// Lays out all classes that have records.
    pub(crate) fn new<H: Host>(
        hosts: &[H],
        covers: &Covers<'_>,
        hierarchies: &[Hierarchy],
    ) -> HostTree {
        let mut all: Vec<u32> = (0..hosts.len() as u32)
            .filter(|&host| hosts[host as usize].records() > 0)
            .collect();
        let mut tree = HostTree {
            branches: Vec::new(),
            root: None,
        };
        if !all.is_empty() {
            tree.root = Some(tree.grow(&mut all, hosts, covers, hierarchies));
        }
        tree
    }

    fn grow<H: Host>(
        &mut self,
        part: &mut [u32],
        hosts: &[H],
        covers: &Covers<'_>,
        hierarchies: &[Hierarchy],
    ) -> usize {
        let first = hosts[part[0] as usize].cover();
        let (mut cover, mut least) = (first.clone(), first.levels.clone());
        let (mut fewest, mut dearest) = (u64::MAX, 0.0_f64);
        for &host in part.iter() {
            let host = &hosts[host as usize];
            let own = host.cover();
            covers.widen(&mut cover, |d| own.codes[d]);
            let both = cover.levels.iter_mut().zip(&mut least);
            for ((most, least), &level) in both.zip(&own.levels) {
                *most = (*most).max(level);
                *least = (*least).min(level);
            }
            fewest = fewest.min(host.records());
            dearest = dearest.max(host.cost());
        }
        let middle = if part.len() <= LEAF {
            None
        } else {
            Some(split(part, &cover, hosts, covers, hierarchies))
        };
        let inside = match middle {
            None => Inside::Classes(part.to_vec()),
            Some(middle) => {
                let (left, right) = part.split_at_mut(middle);
                let left = self.grow(left, hosts, covers, hierarchies);
                Inside::Two(left, self.grow(right, hosts, covers, hierarchies))
            }
        };
        self.branches.push(Branch {
            cover,
            least,
            fewest,
            dearest,
            inside,
        });
        self.branches.len() - 1
    }

    /// The class, other than `except`, that takes a tuple of `weight` records at the least additional loss.
    pub(crate) fn cheapest<H: Host>(
        &self,
        hosts: &[H],
        covers: &Covers<'_>,
        tuple: &[u32],
        weight: f64,
        except: Option<usize>,
    ) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        let mut looks = 0;
        let root = self.root?;
        let mut open = vec![(self.floor(root, covers, tuple, weight), root)];
        while let Some((floor, branch)) = open.pop() {
            if best.is_some_and(|(least, _)| floor >= least) {
                continue;
            }
            match &self.branches[branch].inside {
                &Inside::Two(left, right) => {
                    let near = (self.floor(left, covers, tuple, weight), left);
                    let far = (self.floor(right, covers, tuple, weight), right);
                    // The last one in is looked at first.
                    if near.0 <= far.0 {
                        open.extend([far, near]);
                    } else {
                        open.extend([near, far]);
                    }
                }
                Inside::Classes(classes) => {
                    for &host in classes {
                        let at = host as usize;
                        if Some(at) != except {
                            looks += 1;
                            compare(&mut best, &hosts[at], at, covers, tuple, weight);
                        }
                    }
                    if looks >= LOOKS {
                        break;
                    }
                }
            }
        }
        best
    }

    /// No class of this part takes the tuple at less.
    fn floor(&self, branch: usize, covers: &Covers<'_>, tuple: &[u32], weight: f64) -> f64 {
        let branch = &self.branches[branch];
        let mut total = 0.0;
        for (d, &code) in tuple.iter().enumerate() {
            let meet = covers.meet(d, branch.cover.codes[d], code);
            // Beneath the node above all of them, a class may be as low as the lowest.
            let level = if meet > branch.cover.levels[d] {
                meet
            } else {
                branch.least[d]
            };
            total += covers.cost(d, level, code);
        }
        weight * total + branch.fewest as f64 * (total - branch.dearest).max(0.0)
    }
}

/// Takes `host` if it takes the tuple at less than the best so far; the first of equals.
pub(crate) fn compare<H: Host>(
    best: &mut Option<(f64, usize)>,
    host: &H,
    at: usize,
    covers: &Covers<'_>,
    tuple: &[u32],
    weight: f64,
) {
    if host.records() == 0 {
        return;
    }
    let (records, cost) = (host.records() as f64, host.cost());
    // Added loss: the host's records pay the difference, the newcomer pays all.
    let enough = best.map_or(f64::INFINITY, |(least, _)| {
        (least + records * cost) / (records + weight)
    });
    let total = covers.total_with(host.cover(), tuple, enough);
    if total < enough {
        let added = records * (total - cost) + weight * total;
        if best.is_none_or(|(least, _)| added < least) {
            *best = Some((added, at));
        }
    }
}

/// Sorts classes by the widest column that tells them apart; where the second half begins.
fn split<H: Host>(
    part: &mut [u32],
    cover: &Cover,
    hosts: &[H],
    covers: &Covers<'_>,
    hierarchies: &[Hierarchy],
) -> usize {
    let mut widest: Vec<usize> = (0..cover.levels.len())
        .filter(|&d| cover.levels[d] > 0)
        .collect();
    let width = |d: usize| covers.cost(d, cover.levels[d], cover.codes[d]);
    widest.sort_by(|&a, &b| width(b).total_cmp(&width(a)).then(a.cmp(&b)));
    for d in widest {
        let below = usize::from(cover.levels[d]) - 1;
        let nodes = &hierarchies[d].levels()[below].nodes;
        // Classes that reach over several children stay behind all others.
        let key = |host: u32| {
            let own = hosts[host as usize].cover();
            if usize::from(own.levels[d]) > below {
                u32::MAX
            } else {
                nodes[own.codes[d] as usize]
            }
        };
        part.sort_by_cached_key(|&host| (key(host), host));
        let half = part.len() / 2;
        let (before, after) = (key(part[half - 1]), key(part[half]));
        if before != after {
            return half;
        }
        let start = part.partition_point(|&host| key(host) < after);
        let end = part.partition_point(|&host| key(host) <= after);
        // The border nearer to the middle.
        if start > 0 && (end == part.len() || half - start <= end - half) {
            return start;
        } else if end < part.len() {
            return end;
        }
    }
    part.len() / 2
}
