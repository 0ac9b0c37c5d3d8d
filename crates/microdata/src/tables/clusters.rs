//! Clusters of numbers and categories: numbers become ranges, categories their lowest common ancestor.

use denym_data::{Column, Hierarchy, numbers};

use super::onto::{self, EarlierGroups};
use super::{GroupFigures, GroupRequest, Grouped, Texts, Unconcerned, labels_of, recoding};
use crate::cluster::{
    CategoryTree, Extent, Records, best_clusters, diversify, k_member, keep_out, one_pass, runs,
    systematic,
};
use crate::{Error, Partition};

/// Rounds of refinement when nobody says: the descent. The cuts do most of it.
const USUAL: u64 = 8;

/// Every clustering algorithm; the last one, which is the best, where another name is given.
const NAMES: [&str; 5] = [
    "systematic-clustering",
    "k-member",
    "oka",
    "sorted-runs",
    "best-effort-clustering",
];

/// The quasi-identifiers as clusters see them.
struct ClusterColumns {
    records: Records,
    /// For each quasi-identifier, its place among the numeric or the categorical columns.
    places: Vec<ColumnPlace>,
}

enum ColumnPlace {
    Number(usize),
    /// With the label of every node of its tree.
    Category(usize, Vec<Option<String>>),
}

/// Solves with the clustering algorithm that the request names.
pub(super) fn solve(request: &GroupRequest<'_>) -> Result<Grouped, Error> {
    let mixed = mixed(request)?;
    let name = NAMES.iter().find(|name| **name == request.algorithm);
    let name = name.copied().unwrap_or("best-effort-clustering");
    let mut effort = None;
    let unconcerned = &request.unconcerned;
    let (groups, group_of, figures) = if unconcerned.is_empty() {
        let everyone: Vec<u32> = (0..mixed.records.len() as u32).collect();
        let partition = partition(request, &mixed.records, &everyone, name, &mut effort)?;
        (groups(&partition), labels_of(&partition), None)
    } else {
        let mut solve =
            |records: &Records, rows: &[u32]| partition(request, records, rows, name, &mut effort);
        let admits = |cluster: &[u32]| request.admission.admits(cluster);
        let found = keep_out(&mixed.records, unconcerned, &mut solve, &admits)?;
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
    request.proceed()?;
    let mut found = finish(request, &mixed, &groups, &group_of, name);
    found.figures.effort = effort;
    found.figures.unconcerned = figures;
    Ok(found)
}

/// Clusters of some records that keep every promise; `rows` are their numbers in the table.
fn partition(
    request: &GroupRequest<'_>,
    records: &Records,
    rows: &[u32],
    name: &str,
    effort: &mut Option<u64>,
) -> Result<Partition, Error> {
    let k = request.admission.k;
    let found = match name {
        "systematic-clustering" => systematic(records, k, &[], &[])?,
        "k-member" => k_member(records, k)?,
        "oka" => one_pass(records, k)?,
        "sorted-runs" => runs(records, k)?,
        _ => {
            let keep_going = || request.goes_on();
            let found = best_clusters(records, &request.options(USUAL), &keep_going)?;
            *effort = Some(found.effort);
            found.partition
        }
    };
    if request.admission.size_only {
        return Ok(found);
    }
    let admits = |cluster: &[u32]| {
        let own: Vec<u32> = cluster.iter().map(|&row| rows[row as usize]).collect();
        request.admission.admits(&own)
    };
    diversify(records, &found, &admits)
}

/// Adds new records to the clusters of an earlier release.
pub(super) fn onto(request: &GroupRequest<'_>, earlier: &EarlierGroups) -> Result<Grouped, Error> {
    let mixed = mixed(request)?;
    let inserted = onto::insert(request, &mixed.records, earlier)?;
    let mut found = finish(
        request,
        &mixed,
        &inserted.groups,
        &inserted.group_of,
        "insertion",
    );
    found.figures.waiting = Some(inserted.waiting);
    found.figures.unconcerned = inserted.unconcerned;
    Ok(found)
}

fn groups(partition: &Partition) -> Vec<Vec<u32>> {
    partition.groups().map(<[u32]>::to_vec).collect()
}

fn mixed(request: &GroupRequest<'_>) -> Result<ClusterColumns, Error> {
    let (mut numeric, mut categorical, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for quasi in &request.quasi {
        let column = quasi.column;
        if quasi.numeric {
            places.push(ColumnPlace::Number(numeric.len()));
            numeric.push(numbers::of(column).into_iter().flatten().collect());
        } else {
            let (tree, labels) = tree(quasi.hierarchy)?;
            places.push(ColumnPlace::Category(categorical.len(), labels));
            categorical.push((column.codes.clone(), tree));
        }
    }
    Ok(ClusterColumns {
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
    request: &GroupRequest<'_>,
    mixed: &ClusterColumns,
    groups: &[Vec<u32>],
    group_of: &[Option<u32>],
    algorithm: &'static str,
) -> Grouped {
    let records = &mixed.records;
    let extents: Vec<Extent> = groups
        .iter()
        .filter_map(|group| records.extent(group))
        .collect();
    let texts: Vec<Texts> = mixed
        .places
        .iter()
        .zip(&request.quasi)
        .map(|(place, quasi)| {
            let by_group: Vec<Option<String>> = match place {
                ColumnPlace::Number(at) => {
                    let words = NumberWords::new(quasi.column);
                    extents
                        .iter()
                        .map(|extent| Some(words.range(extent.ranges[*at])))
                        .collect()
                }
                ColumnPlace::Category(at, labels) => extents
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
    let percent = 100.0 * total / (published * texts.len()).max(1) as f64;
    Grouped {
        algorithm,
        recoding: recoding(group_of, &texts),
        attempts: Vec::new(),
        figures: GroupFigures {
            groups: groups.len() as u64,
            information_loss_percent: percent,
            information_loss: Some(total),
            attribute_loss: request.losses(&texts),
            ..GroupFigures::default()
        },
        changed: Vec::new(),
        adm: None,
        warnings: Vec::new(),
    }
}

/// The mean share of its domain that one attribute is widened to: what its part of the loss (4.1) is.
fn lost(records: &Records, extents: &[Extent], place: &ColumnPlace) -> f64 {
    let (mut lost, mut all) = (0.0, 0.0);
    for extent in extents {
        let mut alone = extent.clone();
        for (at, range) in alone.ranges.iter_mut().enumerate() {
            if !matches!(place, ColumnPlace::Number(own) if *own == at) {
                *range = (0.0, 0.0);
            }
        }
        for (at, node) in alone.nodes.iter_mut().enumerate() {
            if !matches!(place, ColumnPlace::Category(own, _) if *own == at) {
                *node = 0;
            }
        }
        lost += records.loss(&alone);
        all += extent.size as f64;
    }
    if all > 0.0 { lost / all } else { 0.0 }
}

/// The numbers of a column as the source writes them.
struct NumberWords<'a> {
    numbers: Vec<(f64, &'a str)>,
    plain: bool,
}

impl<'a> NumberWords<'a> {
    fn new(column: &'a Column) -> NumberWords<'a> {
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
        NumberWords { numbers, plain }
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
