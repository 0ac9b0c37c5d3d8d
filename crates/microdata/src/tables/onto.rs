//! Groups onto those of an earlier release: new records join published groups, safe against whoever compares the two.
//!
//! # Guarantee
//!
//! A group gains nobody, or new records that keep every promise among themselves: what the difference of the two releases
//! shows is a group like any other. New records that find no such company wait; they are not published.

use super::{GroupRequest, Unconcerned};
use crate::Error;
use crate::cluster::{self, Records};

/// The groups of an earlier release, and the records that came since.
pub struct EarlierGroups {
    groups: Vec<Vec<u32>>,
    new: Vec<u32>,
}

impl EarlierGroups {
    /// The groups of an earlier release whose records are the first of `records`; `None` was not published then.
    pub fn new(group_of: &[Option<u32>], records: usize) -> EarlierGroups {
        let count = group_of
            .iter()
            .flatten()
            .max()
            .map_or(0, |&group| group as usize + 1);
        let mut groups = vec![Vec::new(); count];
        let mut new = Vec::new();
        for (row, group) in group_of.iter().enumerate() {
            match group {
                Some(group) => groups[*group as usize].push(row as u32),
                None => new.push(row as u32),
            }
        }
        groups.retain(|group| !group.is_empty());
        new.extend(group_of.len() as u32..records as u32);
        EarlierGroups { groups, new }
    }
}

/// The groups after new records joined.
pub(super) struct Inserted {
    pub(super) groups: Vec<Vec<u32>>,
    pub(super) group_of: Vec<Option<u32>>,
    pub(super) waiting: u64,
    pub(super) unconcerned: Option<Unconcerned>,
}

/// Lets new records join the groups that the rule of the request picks for them, a company at a time.
pub(super) fn insert(
    request: &GroupRequest<'_>,
    records: &Records,
    earlier: &EarlierGroups,
) -> Result<Inserted, Error> {
    // Values of one attribute are counted; every promise on every attribute is asked below.
    let sensitive: Vec<u32> = request
        .admission
        .first_sensitive()
        .map_or_else(|| (0..records.len() as u32).collect(), <[u32]>::to_vec);
    // People who do not mind are no company for those who do: they come after, to groups that gained anyway.
    let mut minds = vec![true; records.len()];
    let unconcerned = &request.unconcerned;
    for &row in unconcerned {
        minds[row as usize] = false;
    }
    let (new, others): (Vec<u32>, Vec<u32>) =
        earlier.new.iter().partition(|&&row| minds[row as usize]);
    let inserted = cluster::insert(
        records,
        &earlier.groups,
        &new,
        &sensitive,
        request.admission.k,
        request.admission.values.min(request.admission.k),
        request.insertion,
    )?;
    let mut groups = Vec::with_capacity(inserted.clusters.len());
    for (old, grown) in earlier.groups.iter().zip(inserted.clusters) {
        let came = &grown[old.len()..];
        let joined =
            came.is_empty() || (request.admission.admits(came) && request.admission.admits(&grown));
        groups.push(if joined { grown } else { old.clone() });
    }
    for row in others {
        let gained = earlier.groups.iter().zip(&groups).enumerate();
        let best = gained
            .filter(|(_, (old, grown))| {
                let with = |rows: &[u32]| request.admission.admits(&[rows, &[row]].concat());
                grown.len() > old.len() && with(&grown[old.len()..]) && with(grown)
            })
            .filter_map(|(number, (_, grown))| {
                let extent = records.extent(grown)?;
                Some((records.increase(&extent, row), number))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, number)) = best {
            groups[number].push(row);
        }
    }
    let mut group_of = vec![None; request.table.records()];
    for (number, group) in groups.iter().enumerate() {
        for &row in group {
            group_of[row as usize] = Some(number as u32);
        }
    }
    let waiting = group_of.iter().filter(|group| group.is_none()).count() as u64;
    let concerned = |group: &Vec<u32>| group.iter().filter(|&&row| minds[row as usize]).count();
    let figures = Unconcerned {
        records: unconcerned.len() as u64,
        smallest_group: groups.iter().map(concerned).min().unwrap_or(0) as u64,
    };
    Ok(Inserted {
        groups,
        group_of,
        waiting,
        unconcerned: (!unconcerned.is_empty()).then_some(figures),
    })
}
