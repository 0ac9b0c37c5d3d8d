//! Microaggregation: numbers become the centroids of their groups.
//!
//! # Guarantee
//!
//! Every group has k records or more and keeps every promise on its own. Loss is measured on the numbers as they are
//! written. With groups of attributes each of them has k records; whether the release as a whole keeps its promises
//! is for the audit to say.

use denym_data::numbers::{self, NumberFormat};
use denym_data::{Recoding, Scaling};

use super::onto::{self, EarlierGroups};
use super::{
    ChangedColumn, GroupAttempt, GroupFigures, GroupRequest, Grouped, Texts, labels_of, recoding,
};
use crate::{
    BestEffort, Centroid, Error, Matrix, Options, Partition, algorithm, centroid_of, cluster,
    constrain, loss, solve as run,
};

/// Rounds of best effort when nobody says: about a second for a thousand records.
const USUAL: u64 = 200;
/// Rounds of best effort as one of several in `auto`.
const AMONG_OTHERS: u64 = 40;
/// Above this many records `auto` sweeps twice: more would take minutes.
const LARGE: usize = 20_000;
/// Half the records of a round, about.
const ROUND: usize = 4_096;
/// Above this many records `auto` takes the one solver that is linear in them.
const HUGE: usize = 200_000;

/// Groups of one group of attributes.
struct AttributePart {
    /// Positions among the quasi-identifiers.
    columns: Vec<usize>,
    /// The group of each record; `None` when it waits.
    group_of: Vec<Option<u32>>,
    groups: Vec<Vec<u32>>,
    effort: Option<u64>,
    algorithm: &'static str,
}

/// Solves with the algorithm that the request names, or with the best of several.
pub(super) fn solve(
    request: &GroupRequest<'_>,
    confirms: &mut dyn FnMut(&Recoding) -> bool,
) -> Result<Grouped, Error> {
    let matrix = matrix(request)?;
    if request.algorithm != "auto" {
        let entry = algorithm(request.algorithm)?;
        let parts = parts(request, &matrix, entry.entry.name, USUAL)?;
        return finish(request, &matrix, &parts);
    }
    let effort = if matrix.rows() > LARGE {
        (matrix.rows() / ROUND) as u64
    } else {
        AMONG_OTHERS
    };
    let names = portfolio(request, &matrix);
    // Until something is found, why nothing was.
    let mut best: Result<Grouped, Error> = Err(Error::Empty { what: "columns" });
    let mut attempts = Vec::new();
    for &name in names {
        let tried = parts(request, &matrix, name, effort);
        let tried = tried.and_then(|parts| finish(request, &matrix, &parts));
        let score = tried.as_ref().ok().map(Grouped::loss);
        let better = best
            .as_ref()
            .map_or(true, |best| score.is_some_and(|score| score < best.loss()));
        // What would be the best so far is audited; the next one has its turn when it fails.
        let confirmed = match &tried {
            Ok(found) if better => confirms(&found.recoding),
            _ => true,
        };
        attempts.push(GroupAttempt {
            algorithm: name,
            score,
            outcome: match &tried {
                Ok(_) if !confirmed => "the audit did not confirm it".to_owned(),
                Ok(_) => "found more loss".to_owned(),
                Err(Error::Stopped) => return Err(Error::Stopped),
                Err(error) => error.to_string(),
            },
            chosen: false,
        });
        // Where nothing was confirmed, the last one shows by its claims what stands in the way.
        let last = best.is_err() && names.len() == attempts.len();
        match tried {
            Ok(found) if better && (confirmed || last) => best = Ok(found),
            Err(error) if best.is_err() => best = Err(error),
            _ => {}
        }
    }
    let mut best = best?;
    for tried in &mut attempts {
        tried.chosen = tried.algorithm == best.algorithm;
        if tried.chosen {
            tried.outcome = "chosen".into();
        }
    }
    best.attempts = attempts;
    Ok(best)
}

/// What `auto` tries: one column is solved optimally, many records by what is fast.
fn portfolio(request: &GroupRequest<'_>, matrix: &Matrix) -> &'static [&'static str] {
    let groups = &request.attribute_groups;
    let alone = !groups.is_empty() && groups.iter().all(|group| group.len() == 1);
    if matrix.columns() == 1 || alone {
        &["univariate"]
    } else if matrix.rows() > HUGE {
        &["mdav-blocks"]
    } else if matrix.rows() > LARGE {
        &["mdav", "best-effort"]
    } else {
        &["mdav", "mdav-1", "v-mdav", "p-s", "mhm-mdav", "best-effort"]
    }
}

/// The quasi-identifiers as numbers.
fn matrix(request: &GroupRequest<'_>) -> Result<Matrix, Error> {
    let columns = request.quasi.iter().map(|quasi| {
        let numbers = numbers::of(quasi.column).into_iter();
        numbers.collect::<Option<Vec<f64>>>()
    });
    let columns = columns.collect::<Option<Vec<_>>>();
    Matrix::from_columns(&columns.ok_or(Error::MissingNumber)?)
}

/// Groups for every group of attributes.
fn parts(
    request: &GroupRequest<'_>,
    matrix: &Matrix,
    name: &'static str,
    usual: u64,
) -> Result<Vec<AttributePart>, Error> {
    let options = request.options(usual);
    let groups = if request.attribute_groups.is_empty() {
        vec![(0..matrix.columns()).collect()]
    } else {
        request.attribute_groups.clone()
    };
    let scaled = groups
        .iter()
        .map(|columns| Ok(matrix.select_columns(columns)?.scaled(request.scaling)))
        .collect::<Result<Vec<Matrix>, Error>>()?;
    let (partitions, effort) = if name == "best-effort" {
        let (partitions, effort) = improved(request, &scaled, &options)?;
        (partitions, Some(effort))
    } else {
        let solved = scaled.iter().map(|part| run(name, part, &options));
        (solved.collect::<Result<Vec<Partition>, _>>()?, None)
    };
    request.proceed()?;
    groups
        .into_iter()
        .zip(scaled.iter().zip(partitions))
        .map(|(columns, (scaled, partition))| {
            let partition = if request.admission.size_only {
                partition
            } else {
                constrain(scaled, &partition, &|group| request.admission.admits(group))?
            };
            Ok(AttributePart {
                columns,
                group_of: labels_of(&partition),
                groups: partition.groups().map(<[u32]>::to_vec).collect(),
                effort,
                algorithm: name,
            })
        })
        .collect()
}

/// Best effort for every group of attributes, in turn, so that each has its share of the time; and the rounds of all together.
fn improved(
    request: &GroupRequest<'_>,
    scaled: &[Matrix],
    options: &Options,
) -> Result<(Vec<Partition>, u64), Error> {
    let keep_going = || request.goes_on();
    let mut searches = scaled
        .iter()
        .map(|part| BestEffort::new(part, options))
        .collect::<Result<Vec<_>, _>>()?;
    let mut effort = 0;
    // The search whose turn it is may have nothing left to improve: then the next has its turn, until none has.
    let (mut turn, mut idle) = (0, 0);
    while effort < options.effort && idle < searches.len() && request.goes_on() {
        if searches[turn].round(&keep_going) {
            effort += 1;
            idle = 0;
        } else {
            idle += 1;
        }
        turn = (turn + 1) % searches.len();
    }
    let found = searches.into_iter().map(BestEffort::finish);
    let partitions = found.map(|found| Ok(found?.partition));
    Ok((partitions.collect::<Result<_, Error>>()?, effort))
}

/// Adds new records to the groups of an earlier release.
pub(super) fn onto(request: &GroupRequest<'_>, earlier: &EarlierGroups) -> Result<Grouped, Error> {
    let matrix = matrix(request)?;
    let columns = (0..matrix.columns()).map(|column| matrix.column(column));
    let records = cluster::Records::new(columns.collect(), Vec::new())?;
    let inserted = onto::insert(request, &records, earlier)?;
    let part = AttributePart {
        columns: (0..matrix.columns()).collect(),
        group_of: inserted.group_of,
        groups: inserted.groups,
        effort: None,
        algorithm: "insertion",
    };
    let mut found = finish(request, &matrix, &[part])?;
    found.figures.waiting = Some(inserted.waiting);
    Ok(found)
}

/// Publishes the centroids and measures what they lose.
fn finish(
    request: &GroupRequest<'_>,
    matrix: &Matrix,
    parts: &[AttributePart],
) -> Result<Grouped, Error> {
    let units = units(matrix, request.scaling);
    let forms: Vec<NumberFormat> = request
        .quasi
        .iter()
        // Six more digits than the source: means of small groups stay apart, and sums come out right.
        .map(|quasi| NumberFormat::of(quasi.column, 6))
        .collect();
    let (group_of, joint) = joined(parts, matrix.rows());
    let mut texts: Vec<Texts> = forms
        .iter()
        .map(|_| Texts {
            by_group: vec![None; joint.len()],
            loss: 0.0,
        })
        .collect();
    let mut after: Vec<Vec<f64>> = (0..matrix.columns())
        .map(|column| matrix.column(column))
        .collect();
    let mut adm = 0.0;
    for (at, part) in parts.iter().enumerate() {
        let own = matrix.select_columns(&part.columns)?;
        let centroids: Vec<Vec<f64>> = part
            .groups
            .iter()
            .map(|group| centroid_of(&own, group, request.centroid))
            .collect();
        for (place, &column) in part.columns.iter().enumerate() {
            let form = forms[column];
            for (joint, members) in texts[column].by_group.iter_mut().zip(&joint) {
                *joint = Some(form.text(centroids[members[at] as usize][place]));
            }
            for (group, centroid) in part.groups.iter().zip(&centroids) {
                let written = form.read_back(centroid[place]);
                for &row in group {
                    after[column][row as usize] = written;
                }
            }
        }
        adm += part.deviations(&own, request.scaling)?;
    }
    let (mut sse, mut sst) = (0.0, 0.0);
    let mut changed = Vec::new();
    let published: Vec<usize> = (0..matrix.rows())
        .filter(|&row| group_of[row].is_some())
        .collect();
    for (column, after) in after.into_iter().enumerate() {
        let before = matrix.column(column);
        let mean =
            published.iter().map(|&row| before[row]).sum::<f64>() / published.len().max(1) as f64;
        let square = |x: f64| {
            if units[column] > 0.0 {
                (x / units[column]).powi(2)
            } else {
                0.0
            }
        };
        let lost: f64 = published
            .iter()
            .map(|&row| square(before[row] - after[row]))
            .sum();
        let total: f64 = published
            .iter()
            .map(|&row| square(before[row] - mean))
            .sum();
        texts[column].loss = if total > 0.0 { lost / total } else { 0.0 };
        sse += lost;
        sst += total;
        changed.push(ChangedColumn {
            name: request.quasi[column].column.name.clone(),
            before: published.iter().map(|&row| before[row]).collect(),
            after: published.iter().map(|&row| after[row]).collect(),
        });
    }
    let percent = if sst > 0.0 { 100.0 * sse / sst } else { 0.0 };
    let mut warnings = Vec::new();
    if parts.len() > 1 {
        warnings.push("groups of attributes keep k within each of them; an adversary who knows several of them may single out records".to_owned());
    }
    Ok(Grouped {
        algorithm: parts.first().map_or("", |part| part.algorithm),
        recoding: recoding(&group_of, &texts),
        attempts: Vec::new(),
        figures: GroupFigures {
            groups: parts.iter().map(|part| part.groups.len() as u64).sum(),
            information_loss_percent: percent,
            effort: parts.iter().filter_map(|part| part.effort).max(),
            attribute_loss: request.losses(&texts),
            ..GroupFigures::default()
        },
        changed,
        adm: Some(adm),
        warnings,
    })
}

impl AttributePart {
    /// Absolute deviations from the group medians on the scale that was grouped on (7.1).
    fn deviations(&self, own: &Matrix, scaling: Scaling) -> Result<f64, Error> {
        let rows: Vec<u32> = self.groups.iter().flatten().copied().collect();
        let mut label = 0;
        let labels: Vec<u32> = self
            .groups
            .iter()
            .flat_map(|group| {
                label += 1;
                std::iter::repeat_n(label - 1, group.len())
            })
            .collect();
        let scaled = own.scaled(scaling).select_rows(&rows)?;
        Ok(loss(&scaled, &Partition::from_labels(&labels), Centroid::Mean)?.adm)
    }
}

/// Records that share a group in every part, as one group each: the group of each record, and the groups it stands for.
fn joined(parts: &[AttributePart], rows: usize) -> (Vec<Option<u32>>, Vec<Vec<u32>>) {
    if let [part] = parts {
        let alone = (0..part.groups.len() as u32).map(|group| vec![group]);
        return (part.group_of.clone(), alone.collect());
    }
    let mut known = std::collections::BTreeMap::new();
    let mut joint: Vec<Vec<u32>> = Vec::new();
    let group_of = (0..rows)
        .map(|row| {
            let key: Option<Vec<u32>> = parts.iter().map(|part| part.group_of[row]).collect();
            key.map(|key| {
                *known.entry(key.clone()).or_insert_with(|| {
                    joint.push(key);
                    joint.len() as u32 - 1
                })
            })
        })
        .collect();
    (group_of, joint)
}

/// What a difference of 1 on the scaled column is in the source's unit; 0 for a constant column.
fn units(matrix: &Matrix, scaling: Scaling) -> Vec<f64> {
    (0..matrix.columns())
        .map(|column| {
            let cells = matrix.column(column);
            let n = cells.len() as f64;
            match scaling {
                Scaling::Raw => 1.0,
                Scaling::Standardize => {
                    let mean = cells.iter().sum::<f64>() / n;
                    (cells.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
                }
                Scaling::MinMax => {
                    let low = cells.iter().copied().fold(f64::INFINITY, f64::min);
                    let high = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    high - low
                }
            }
        })
        .collect()
}
