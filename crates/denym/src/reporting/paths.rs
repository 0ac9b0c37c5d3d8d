//! What a run on paths tells people: where and when doublets were lost, and what is left.

use std::fmt::Write as _;

use denym_data::paths::Paths;
use denym_report::{
    Bar, Bars, Chart, Columns, Count, Distribution, Figure, Format, Grid, Outcome, Report,
};
use denym_sequences::PathRecoding;
use serde_json::Value;

use super::{claim, counts, fact, provenance};
use crate::account::Account;
use crate::certificate::{Certificate, Check, Claim, share};
use crate::paths::{PathForm, PathTable, knowledge_of};
use crate::policy::paths::Matching;
use crate::policy::{Knowledge, Policy};

/// Rows of the grid of places and hours; more are not readable.
const MOST_PLACES: usize = 40;
/// Columns of the grid; more times are joined.
const MOST_TIMES: usize = 48;

/// The steward's report on released paths.
pub(crate) fn report(
    policy: &Policy,
    source: &PathTable,
    released: &Paths,
    losses: &Losses,
    account: &Account,
) -> Report {
    let figures = &account.figures;
    let published = account.records - account.suppressed_records;
    let kept = share(
        figures.count("unchanged_doublets"),
        figures.count("doublets"),
    );
    let l = knowledge_of(policy);
    let matching = policy
        .paths
        .as_ref()
        .map(|p| p.matching)
        .unwrap_or_default();
    let mut notes = vec![match matching {
        Matching::Consistent => format!(
            "The adversary knows up to {l} doublets of the victim's source path and discards every record that contradicts them (matching `consistent`)."
        ),
        Matching::Covers => format!(
            "The adversary knows up to {l} doublets and keeps the records that show all of them (matching `covers`, the papers' definition); contradictions are not counted."
        ),
    }];
    if let Some(exposed) = figures.get("exposed_records").and_then(Value::as_u64) {
        notes.push(format!(
            "{} of {} records fall below the promise for somebody who knows their source path and uses contradictions; matching `consistent` protects them.",
            denym_report::count(exposed),
            denym_report::count(account.records),
        ));
    }
    Report {
        title: format!("Release of {}", policy.data_name()),
        data_name: policy.data.path.clone(),
        outcome: Outcome::Released,
        unit: "people".to_owned(),
        summary: vec![format!(
            "{} of {} paths are published. {} of {} doublets ({}) are removed; {} are shown at their source place and time.",
            denym_report::count(published),
            denym_report::count(account.records),
            denym_report::count(figures.count("lost_doublets")),
            denym_report::count(figures.count("doublets")),
            denym_report::percent(figures.decimal("distortion")),
            denym_report::percent(kept),
        )],
        facts: vec![
            fact(
                "Paths published",
                denym_report::count(published),
                format!("of {}", denym_report::count(account.records)),
            ),
            fact(
                "Doublets unchanged",
                denym_report::percent(kept),
                format!("of {}", denym_report::count(figures.count("doublets"))),
            ),
            fact(
                "Doublets removed",
                denym_report::count(figures.count("lost_doublets")),
                format!(
                    "{} of them everywhere",
                    denym_report::count(figures.count("suppressed_doublets"))
                ),
            ),
            fact(
                "Critical violations",
                denym_report::count(figures.count("critical_violations")),
                "in the source; none is left".to_owned(),
            ),
        ],
        claims: account.claims.iter().map(|c| path_claim(c, l)).collect(),
        distributions: distributions(policy, source, released),
        figures: vec![
            losses.grid(&source.paths),
            losses.hours(&source.paths),
            lengths(&source.paths, released),
            losses.places(&source.paths),
        ],
        notes: notes
            .into_iter()
            .chain(account.program.map(|program| program.sentence()))
            .collect(),
        warnings: account.warnings.clone(),
        provenance: provenance(policy, account, steps(policy)),
        ..Report::default()
    }
}

/// What is done, a line per step.
pub(crate) fn steps(policy: &Policy) -> Vec<String> {
    let l = knowledge_of(policy);
    let matching = policy
        .paths
        .as_ref()
        .map(|p| p.matching)
        .unwrap_or_default();
    vec![
        "read the paths as codes, one record per subject".to_owned(),
        format!(
            "search with `{}` for what to remove, for an adversary with {l} doublets and matching `{}`",
            policy.release.algorithm,
            matching.name()
        ),
        crate::program::of(policy).step(),
        "write the records sorted by what they show, subjects renumbered".to_owned(),
        "read the written file back and count every group of up to that many doublets; release only if all promises hold"
            .to_owned(),
    ]
}

fn path_claim(certified: &Claim, l: usize) -> denym_report::Claim {
    let mut found = claim(certified, "people");
    let asked = &found.asked;
    found.explanation = match &certified.terms {
        terms if terms.size().is_some() => format!(
            "Whoever knows up to {l} places and times of a person finds {asked} people who fit, never one alone."
        ),
        terms if terms.is_about_places() => format!(
            "Whoever knows up to {l} other places and times of a person cannot conclude a visit to a sensitive place with a certainty above the bound ({asked})."
        ),
        _ => format!(
            "Whoever knows up to {l} places and times of a person cannot conclude a protected value with a certainty above the bound ({asked})."
        ),
    };
    found
}

/// Instances of each source doublet, and how many of them are removed.
pub(crate) struct Losses {
    all: Vec<u64>,
    lost: Vec<u64>,
}

impl Losses {
    /// Counts the instances of each doublet.
    pub(crate) fn new(source: &Paths, recoding: &PathRecoding) -> Losses {
        let words = &recoding.vocabulary;
        let mut all = vec![0_u64; source.doublets().len()];
        let mut dropped = vec![false; source.len()];
        for &record in &recoding.dropped_records {
            dropped[record as usize] = true;
        }
        let own = words
            .stands_for
            .iter()
            .zip(0..)
            .all(|(chain, id)| chain[..] == [id]);
        let mut shown = vec![0_u64; words.doublets.len()];
        let mut lost = vec![0_u64; all.len()];
        for (record, path) in source.records().enumerate() {
            for &id in path {
                all[id as usize] += 1;
            }
            let published: &[u32] = if dropped[record] {
                &[]
            } else {
                recoding.published(record)
            };
            if own {
                for &id in published {
                    shown[id as usize] += 1;
                }
                continue;
            }
            for &id in path {
                let mut chain = words.stands_for[id as usize].iter();
                if !chain.any(|word| published.binary_search(word).is_ok()) {
                    lost[id as usize] += 1;
                }
            }
        }
        if own {
            for ((lost, all), shown) in lost.iter_mut().zip(&all).zip(&shown) {
                *lost = all - shown;
            }
        }
        Losses { all, lost }
    }

    /// Sums of all and lost instances by a code of the doublet.
    fn by(
        &self,
        paths: &Paths,
        size: usize,
        code: impl Fn(&denym_data::paths::Doublet) -> u32,
    ) -> Vec<(u64, u64)> {
        let mut sums = vec![(0, 0); size];
        for ((doublet, all), lost) in paths.doublets().iter().zip(&self.all).zip(&self.lost) {
            let sum: &mut (u64, u64) = &mut sums[code(doublet) as usize];
            sum.0 += all;
            sum.1 += lost;
        }
        sums
    }

    /// The places with the most instances, by code.
    fn busiest(&self, paths: &Paths) -> Vec<u32> {
        let sums = self.by(paths, paths.locations().len(), |doublet| doublet.location);
        let mut order: Vec<u32> = (0..sums.len() as u32).collect();
        order.sort_by_key(|&place| (std::cmp::Reverse(sums[place as usize].0), place));
        order.truncate(MOST_PLACES);
        order.sort_unstable();
        order
    }

    fn grid(&self, paths: &Paths) -> Figure {
        let places = self.busiest(paths);
        let join = paths.times().len().div_ceil(MOST_TIMES).max(1);
        let columns = paths.times().len().div_ceil(join);
        let mut sums = vec![vec![(0_u64, 0_u64); columns]; places.len()];
        for ((doublet, all), lost) in paths.doublets().iter().zip(&self.all).zip(&self.lost) {
            if let Ok(row) = places.binary_search(&doublet.location) {
                let sum = &mut sums[row][doublet.time as usize / join];
                sum.0 += all;
                sum.1 += lost;
            }
        }
        let shares = |row: &Vec<(u64, u64)>| {
            let cells = row
                .iter()
                .map(|&(all, lost)| if all == 0 { f64::NAN } else { share(lost, all) });
            cells.collect()
        };
        let shown = places.len();
        let all = paths.locations().len();
        Figure {
            title: "Lost doublets by place and time".to_owned(),
            caption: if shown < all {
                format!("The share of doublets that are removed, for the {shown} busiest of {all} places.")
            } else {
                "The share of doublets that are removed; an empty cell means that nobody was there then.".to_owned()
            },
            chart: Chart::Grid(Grid {
                title: "Lost doublets by place and time".to_owned(),
                description: "A row per place, a column per time; the stronger the shade, the more is removed.".to_owned(),
                x_axis: "time".to_owned(),
                columns: paths.times().iter().step_by(join).cloned().collect(),
                rows: places.iter().map(|&place| paths.locations()[place as usize].clone()).collect(),
                values: sums.iter().map(shares).collect(),
                format: Format::Share,
            }),
        }
    }

    fn hours(&self, paths: &Paths) -> Figure {
        let sums = self.by(paths, paths.times().len(), |doublet| doublet.time);
        let join = sums.len().div_ceil(MOST_TIMES).max(1);
        let joined: Vec<(u64, u64)> = sums
            .chunks(join)
            .map(|part| {
                part.iter()
                    .fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
            })
            .collect();
        Figure {
            title: "Doublets by time".to_owned(),
            caption: "How many doublets there are at each time, before and after.".to_owned(),
            chart: Chart::Columns(Columns {
                title: "Doublets by time".to_owned(),
                description:
                    "Two columns per time: doublets of the source, doublets of the release."
                        .to_owned(),
                x_axis: "time".to_owned(),
                series: vec!["before".to_owned(), "after".to_owned()],
                bars: paths
                    .times()
                    .iter()
                    .step_by(join)
                    .zip(&joined)
                    .map(|(label, &(all, lost))| Bar {
                        label: label.clone(),
                        values: vec![all as f64, (all - lost) as f64],
                    })
                    .collect(),
                format: Format::Count,
            }),
        }
    }

    fn places(&self, paths: &Paths) -> Figure {
        let sums = self.by(paths, paths.locations().len(), |doublet| doublet.location);
        let mut order = self.busiest(paths);
        order.sort_by_key(|&place| {
            let (all, lost) = sums[place as usize];
            (std::cmp::Reverse(lost), std::cmp::Reverse(all), place)
        });
        order.truncate(20);
        Figure {
            title: "Places that lose most".to_owned(),
            caption: "The share of its doublets that each place loses; of the busiest places."
                .to_owned(),
            chart: Chart::Bars(Bars {
                title: "Places that lose most".to_owned(),
                description: "A bar per place: the share of its doublets that are removed."
                    .to_owned(),
                bars: order
                    .iter()
                    .map(|&place| Bar {
                        label: paths.locations()[place as usize].clone(),
                        values: vec![share(sums[place as usize].1, sums[place as usize].0)],
                    })
                    .collect(),
                format: Format::Share,
                ..Bars::default()
            }),
        }
    }
}

/// Lengths of paths before and after.
fn lengths(source: &Paths, released: &Paths) -> Figure {
    let longest = source
        .records()
        .map(<[u32]>::len)
        .max()
        .unwrap_or(0)
        .min(MOST_TIMES);
    let count = |paths: &Paths| {
        let mut counts = vec![0_u64; longest + 1];
        for path in paths.records() {
            counts[path.len().min(longest)] += 1;
        }
        counts
    };
    let (before, after) = (count(source), count(released));
    Figure {
        title: "Lengths of paths".to_owned(),
        caption: "How many paths show so many doublets, before and after; the last column holds all longer ones.".to_owned(),
        chart: Chart::Columns(Columns {
            title: "Lengths of paths".to_owned(),
            description: "Two columns per length: paths of the source, paths of the release.".to_owned(),
            x_axis: "doublets".to_owned(),
            series: vec!["before".to_owned(), "after".to_owned()],
            bars: before
                .iter()
                .zip(&after)
                .enumerate()
                .map(|(length, (before, after))| Bar {
                    label: length.to_string(),
                    values: vec![*before as f64, *after as f64],
                })
                .collect(),
            format: Format::Count,
        }),
    }
}

/// The attributes beside the path, which are published as they are.
fn distributions(policy: &Policy, source: &PathTable, released: &Paths) -> Vec<Distribution> {
    let attributes = released.sensitive().iter().chain(released.quasi());
    attributes
        .filter_map(|attribute| {
            let spec = policy
                .attributes
                .iter()
                .find(|spec| spec.name == attribute.name)?;
            let column = source
                .attributes
                .iter()
                .find(|column| column.name == attribute.name)?;
            let mut after = vec![0_u64; attribute.values.len()];
            for &code in &attribute.codes {
                after[code as usize] += 1;
            }
            Some(Distribution {
                attribute: attribute.name.clone(),
                role: spec.role.name().to_owned(),
                how: "published as it is".to_owned(),
                ordered: column.dictionary.kind() != denym_data::Kind::Text,
                before: counts(column),
                after: (0..)
                    .zip(after)
                    .map(|(code, count)| Count {
                        label: column.dictionary.text(code).map(str::to_owned),
                        count,
                    })
                    .collect(),
            })
        })
        .collect()
}

/// A short text for whoever receives the public half.
pub(crate) fn readme(certificate: &Certificate) -> String {
    let l = match certificate.knows {
        Knowledge::Doublets(doublets) => doublets,
        _ => 0,
    };
    let mut text = format!(
        "# What this is\n\n`{}` is an anonymized data set: the paths of {} people, who was where and when, changed so that nobody in it \
         can be found under the assumptions below. It was made and checked by denym {}.\n\n",
        certificate.data.file, certificate.data.records, certificate.denym
    );
    let layout = certificate.paths.as_ref();
    match layout.map(|layout| &layout.form) {
        Some(PathForm::Long {
            subject,
            location,
            time,
        }) => {
            let _ = writeln!(
                text,
                "Rows with the same `{subject}` are the path of one person; the numbers mean nothing else. A row without `{location}` \
                 and `{time}` is a person of whom nothing is shown.\n"
            );
        }
        Some(PathForm::Wide { path }) => {
            let _ = writeln!(
                text,
                "A row is a person; `{path}` lists places with their times, earliest first, `>` between them. An empty path is \
                 a person of whom nothing is shown.\n"
            );
        }
        None => {}
    }
    let _ = write!(
        text,
        "# What is promised\n\nAn adversary is assumed to know of a person: any {l} places with their times"
    );
    for name in &certificate.quasi_identifiers {
        let _ = write!(text, ", `{name}`");
    }
    text.push_str(match layout.map(|layout| layout.matching) {
        Some(Matching::Covers) => ", and to look for the records that show all of them.\n\n",
        _ => ", and to discard every record that contradicts them.\n\n",
    });
    for certified in &certificate.claims {
        let check = match certified.check {
            Check::Recheckable => "you can check it",
            Check::Attested => "the publisher vouches for it",
        };
        let _ = writeln!(text, "- {} ({check})", path_claim(certified, l).explanation);
    }
    if certificate.suppressed_records > 0 {
        let _ = writeln!(
            text,
            "\n{} people were removed.",
            certificate.suppressed_records
        );
    }
    text.push_str(&super::program(certificate));
    text.push_str(&super::how_to_check(certificate));
    text
}

/// The plan and what came of it, for the steward.
pub(crate) fn plan_document(policy: &Policy, account: &Account) -> Value {
    let keys = [
        "denym",
        "algorithm",
        "seed",
        "steps",
        "metric",
        "records",
        "suppressed_records",
        "critical_violations",
        "critical_violations_by_length",
        "suppressed_doublets",
        "suppressed",
        "lost_doublets",
        "doublets",
        "distortion",
        "exposed_records",
        "warnings",
    ];
    super::plan_document(policy, account, &steps(policy), &keys, &[])
}
