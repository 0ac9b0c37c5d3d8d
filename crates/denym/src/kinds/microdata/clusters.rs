//! Clusters of numbers and categories: numbers become ranges, categories their lowest common ancestor.

use denym_data::{Column, Hierarchy, Role};
use denym_microdata::Partition;
use denym_microdata::cluster::{
    CategoryTree, Extent, Records, best_clusters, diversify, k_member, keep_out, one_pass, runs,
    systematic,
};

use super::onto::{Earlier, Published, insert};
use super::unconcerned::{self, Unconcerned};
use super::{Found, Microdata, Search, Texts, labels_of, solution};
use crate::catalogue::Algorithm;
use crate::policy::HierarchySpec;
use crate::{Error, numbers};

/// Rounds of refinement when nobody says: the descent. The cuts do most of it.
const USUAL: u64 = 8;

/// Every clustering algorithm, by name.
pub(crate) const CLUSTERING: [Algorithm; 5] = [
    Algorithm {
        name: "best-effort-clustering",
        data: "mixed",
        summary: "sorted runs cut optimally, then improved by moves and swaps for `effort` rounds",
        reference: "denym; annealing: Kirkpatrick, Gelatt and Vecchi 1983",
    },
    Algorithm {
        name: "systematic-clustering",
        data: "mixed",
        summary: "all clusters at once from every k-th record of a sorted list",
        reference: "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Table 4.3; its l-diverse step, Table 4.7",
    },
    Algorithm {
        name: "k-member",
        data: "mixed",
        summary: "one cluster after the other, each grown by the record that costs least",
        reference: "Byun, Kamra, Bertino and Li 2007",
    },
    Algorithm {
        name: "oka",
        data: "mixed",
        summary: "one pass of k-means, then sizes evened out",
        reference: "Lin and Wei 2008",
    },
    Algorithm {
        name: "sorted-runs",
        data: "mixed",
        summary: "the best of several sorted lists, each cut optimally into clusters",
        reference: "denym; Hansen and Mukherjee 2003",
    },
];

/// The quasi-identifiers as clusters see them.
struct Mixed {
    records: Records,
    /// For each quasi-identifier, its place among the numeric or the categorical columns.
    places: Vec<Place>,
}

enum Place {
    Number(usize),
    /// With the label of every node of its tree.
    Category(usize, Vec<Option<String>>),
}

/// Solves with the clustering algorithm that the policy names.
pub(super) fn solve(search: &Search<'_>) -> Result<Found, Error> {
    let mixed = mixed(search)?;
    let name = search.plan.policy.release.algorithm.as_str();
    let entry = CLUSTERING.iter().find(|entry| entry.name == name);
    let name = entry.map_or("best-effort-clustering", |entry| entry.name);
    let mut effort = None;
    let unconcerned = unconcerned::rows(search);
    let (groups, group_of, figures) = if unconcerned.is_empty() {
        let everyone: Vec<u32> = (0..mixed.records.len() as u32).collect();
        let partition = partition(search, &mixed.records, &everyone, name, &mut effort)?;
        (groups(&partition), labels_of(&partition), None)
    } else {
        let mut solve =
            |records: &Records, rows: &[u32]| partition(search, records, rows, name, &mut effort);
        let admits = |cluster: &[u32]| search.admission.admits(cluster);
        let found = keep_out(&mixed.records, &unconcerned, &mut solve, &admits)?;
        let mut group_of = vec![None; mixed.records.len()];
        for (number, cluster) in found.clusters.iter().enumerate() {
            for &row in cluster {
                group_of[row as usize] = Some(number as u32);
            }
        }
        let smallest = found.concerned.iter().min().map_or(0, |&size| size as u64);
        let figures = Unconcerned {
            records: unconcerned.len() as u64,
            smallest_group: smallest,
        };
        (found.clusters, group_of, Some(figures))
    };
    if !search.listener.keep_going() {
        return Err(Error::Stopped);
    }
    let mut found = finish(search, &mixed, &groups, group_of, name);
    found.figures.effort = effort;
    found.figures.unconcerned = figures;
    Ok(found)
}

/// Clusters of some records that keep every promise; `rows` are their numbers in the table.
fn partition(
    search: &Search<'_>,
    records: &Records,
    rows: &[u32],
    name: &str,
    effort: &mut Option<u64>,
) -> Result<Partition, denym_microdata::Error> {
    let k = search.admission.k;
    let found = match name {
        "systematic-clustering" => systematic(records, k, &[], &[])?,
        "k-member" => k_member(records, k)?,
        "oka" => one_pass(records, k)?,
        "sorted-runs" => runs(records, k)?,
        _ => {
            let keep_going = || search.keep_going();
            let found = best_clusters(records, &search.options(USUAL), &keep_going)?;
            *effort = Some(found.effort);
            found.partition
        }
    };
    if search.admission.size_only {
        return Ok(found);
    }
    let admits = |cluster: &[u32]| {
        let own: Vec<u32> = cluster.iter().map(|&row| rows[row as usize]).collect();
        search.admission.admits(&own)
    };
    diversify(records, &found, &admits)
}

/// Adds new records to the clusters of an earlier release.
pub(super) fn onto(search: &Search<'_>, earlier: &Earlier) -> Result<Found, Error> {
    let mixed = mixed(search)?;
    let inserted = insert(search, &mixed.records, earlier)?;
    let mut found = finish(
        search,
        &mixed,
        &inserted.groups,
        inserted.group_of,
        "insertion",
    );
    found.figures.waiting = Some(inserted.waiting);
    found.figures.unconcerned = inserted.unconcerned;
    Ok(found)
}

fn groups(partition: &Partition) -> Vec<Vec<u32>> {
    partition.groups().map(<[u32]>::to_vec).collect()
}

fn mixed(search: &Search<'_>) -> Result<Mixed, Error> {
    let (mut numeric, mut categorical, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let quasi = search.plan.policy.with_role(Role::QuasiIdentifier);
    let bound = search
        .plan
        .columns
        .quasi
        .iter()
        .zip(&search.plan.hierarchies);
    for (spec, (&position, hierarchy)) in quasi.zip(bound) {
        let column = &search.table.columns()[position];
        if numbers::is_numeric(column) && spec.hierarchy == HierarchySpec::Flat {
            places.push(Place::Number(numeric.len()));
            numeric.push(numbers::of(column).into_iter().flatten().collect());
        } else {
            let (tree, labels) = tree(hierarchy)?;
            places.push(Place::Category(categorical.len(), labels));
            categorical.push((column.codes.clone(), tree));
        }
    }
    Ok(Mixed {
        records: Records::new(numeric, categorical)?,
        places,
    })
}

/// A hierarchy as a tree, and the label of each of its nodes.
///
/// A label that only repeats the one below it is no node of its own, so a branch that was padded to the length of the
/// others is as high as it looks.
fn tree(hierarchy: &Hierarchy) -> Result<(CategoryTree, Vec<Option<String>>), Error> {
    let levels = hierarchy.levels();
    let codes = levels.first().map_or(0, |level| level.nodes.len());
    let text = |level: usize, node: u32| {
        levels[level].labels[node as usize]
            .as_deref()
            .map(str::to_owned)
    };
    let mut labels: Vec<Option<String>> = (0..codes)
        .map(|code| text(0, levels[0].nodes[code]))
        .collect();
    let mut first = vec![0; levels.len()];
    let mut inner = 0;
    for level in 1..levels.len() {
        first[level] = inner;
        let nodes = levels[level].labels.len() as u32;
        labels.extend((0..nodes).map(|node| text(level, node)));
        inner += nodes;
    }
    let rooted = levels.len() > 1 && levels.last().is_some_and(|top| top.labels.len() == 1);
    if !rooted {
        labels.push(Some("*".to_owned()));
    }
    let paths: Vec<Vec<u32>> = (0..codes)
        .map(|code| {
            let mut path = Vec::new();
            let mut below = &levels[0].labels[levels[0].nodes[code] as usize];
            for level in 1..levels.len() {
                let node = levels[level].nodes[code];
                let label = &levels[level].labels[node as usize];
                let root = rooted && level + 1 == levels.len();
                if root || label != below {
                    path.push(first[level] + node);
                }
                below = label;
            }
            if !rooted {
                path.push(inner);
            }
            path
        })
        .collect();
    Ok((CategoryTree::from_paths(&paths)?, labels))
}

/// Publishes ranges and common ancestors and measures what they lose.
fn finish(
    search: &Search<'_>,
    mixed: &Mixed,
    groups: &[Vec<u32>],
    group_of: Vec<Option<u32>>,
    algorithm: &'static str,
) -> Found {
    let records = &mixed.records;
    let extents: Vec<Extent> = groups
        .iter()
        .filter_map(|group| records.extent(group))
        .collect();
    let names = search.plan.quasi_names();
    let columns = search
        .plan
        .columns
        .quasi
        .iter()
        .map(|&position| &search.table.columns()[position]);
    let texts: Vec<Texts> = mixed
        .places
        .iter()
        .zip(columns)
        .map(|(place, column)| {
            let by_group: Vec<Option<String>> = match place {
                Place::Number(at) => {
                    let words = Words::new(column);
                    extents
                        .iter()
                        .map(|extent| Some(words.range(extent.ranges[*at])))
                        .collect()
                }
                Place::Category(at, labels) => extents
                    .iter()
                    .map(|extent| labels[extent.nodes[*at] as usize].clone())
                    .collect(),
            };
            Texts {
                loss: lost(records, &extents, place),
                by_group,
            }
        })
        .collect();
    let total: f64 = extents.iter().map(|extent| records.loss(extent)).sum();
    let published = group_of.iter().flatten().count();
    let percent = 100.0 * total / (published * names.len()).max(1) as f64;
    Found {
        algorithm,
        solution: solution(&group_of, &texts, percent),
        attempts: Vec::new(),
        figures: Microdata {
            groups: groups.len() as u64,
            information_loss_percent: percent,
            information_loss: Some(total),
            attribute_loss: names
                .into_iter()
                .zip(texts.iter().map(|column| column.loss))
                .collect(),
            ..Microdata::default()
        },
        columns: Vec::new(),
        adm: None,
        published: Published::new(group_of),
        warnings: Vec::new(),
    }
}

/// The mean share of its domain that one attribute is widened to: what its part of the loss (4.1) is.
fn lost(records: &Records, extents: &[Extent], place: &Place) -> f64 {
    let (mut lost, mut all) = (0.0, 0.0);
    for extent in extents {
        let mut alone = extent.clone();
        for (at, range) in alone.ranges.iter_mut().enumerate() {
            if !matches!(place, Place::Number(own) if *own == at) {
                *range = (0.0, 0.0);
            }
        }
        for (at, node) in alone.nodes.iter_mut().enumerate() {
            if !matches!(place, Place::Category(own, _) if *own == at) {
                *node = 0;
            }
        }
        lost += records.loss(&alone);
        all += extent.size as f64;
    }
    if all > 0.0 { lost / all } else { 0.0 }
}

/// The numbers of a column as the source writes them.
struct Words<'a> {
    numbers: Vec<(f64, &'a str)>,
    plain: bool,
}

impl<'a> Words<'a> {
    fn new(column: &'a Column) -> Words<'a> {
        let dictionary = &column.dictionary;
        let pairs = dictionary
            .numbers()
            .into_iter()
            .flatten()
            .zip(dictionary.values());
        let mut numbers: Vec<(f64, &str)> = pairs.collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let plain = numbers
            .iter()
            .all(|(_, text)| text.bytes().all(|byte| byte.is_ascii_digit()));
        Words { numbers, plain }
    }

    fn word(&self, number: f64) -> &'a str {
        let at = self.numbers.partition_point(|(other, _)| *other < number);
        self.numbers.get(at).map_or("", |(_, text)| *text)
    }

    /// A range with both ends in it, in the words of interval hierarchies.
    fn range(&self, (low, high): (f64, f64)) -> String {
        let (from, to) = (self.word(low), self.word(high));
        if from == to {
            from.to_owned()
        } else if self.plain {
            format!("{from}-{to}")
        } else {
            format!("[{from}, {to}]")
        }
    }
}
