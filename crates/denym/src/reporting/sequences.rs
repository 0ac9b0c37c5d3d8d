//! What a run on paths or transactions tells people: what was lost, where and when, and what is left.

use std::fmt::Write as _;

use denym_data::Sequences;
use denym_data::sequences::{Form, SequenceTable};
use denym_report::{
    Bar, Bars, Chart, Columns, Count, Distribution, Figure, Format, Grid, Outcome, Report,
};
use denym_sequences::PathRecoding;
use serde_json::{Value, json};

use super::{attempts, claim, counts, fact, provenance};
use crate::account::Account;
use crate::certificate::{Certificate, Check, Claim, share};
use crate::figures::Figures;
use crate::kinds::sequences::{Elements, known};
use crate::policy::paths::Matching;
use crate::policy::{Knowledge, Policy};

/// Rows of the grid of places and hours; more are not readable.
const MOST_PLACES: usize = 40;
/// Columns of the grid; more times are joined.
const MOST_TIMES: usize = 48;
/// Bars of the places or items that lose most; more are not readable.
const MOST_ITEMS: usize = 20;
/// Sizes of transactions shown one by one; longer ones are joined.
const MOST_SIZES: usize = 30;

/// The steward's report on released sequences.
pub(crate) fn report(
    policy: &Policy,
    source: &SequenceTable,
    released: &Sequences,
    losses: &Losses,
    account: &Account,
) -> Report {
    let (l, sequences) = (known(policy), &source.sequences);
    let elements = elements(policy.adversary);
    let told = match elements {
        Elements::Doublets => Report {
            distributions: distributions(policy, source, released),
            figures: vec![
                losses.grid(sequences),
                losses.hours(sequences),
                lengths(elements, sequences, released),
                losses.places(sequences),
            ],
            ..of_paths(policy, account)
        },
        Elements::Items => Report {
            figures: vec![
                losses.items(sequences, &account.figures),
                lengths(elements, sequences, released),
            ],
            ..of_items(l, account)
        },
    };
    let program = account.program.map(|program| program.sentence());
    Report {
        title: format!("Release of {}", policy.data_name()),
        data_name: policy.data.path.clone(),
        outcome: Outcome::Released,
        unit: "people".to_owned(),
        claims: account
            .claims
            .iter()
            .map(|claim| in_words(claim, elements, l))
            .collect(),
        notes: told.notes.into_iter().chain(program).collect(),
        warnings: account.warnings.clone(),
        attempts: attempts(account),
        provenance: provenance(policy, account, steps(policy)),
        ..told
    }
}

/// What the adversary knows any so many of.
fn elements(knows: Knowledge) -> Elements {
    match knows {
        Knowledge::Items(_) => Elements::Items,
        _ => Elements::Doublets,
    }
}

fn matching(policy: &Policy) -> Matching {
    let spec = policy.sequences.as_ref();
    spec.map(|spec| spec.matching).unwrap_or_default()
}

/// What is said of paths alone: summary, facts and notes.
fn of_paths(policy: &Policy, account: &Account) -> Report {
    let count = denym_report::count;
    let (l, figures) = (known(policy), &account.figures);
    let published = account.records - account.suppressed_records;
    let (all, lost) = (figures.count("doublets"), figures.count("lost_doublets"));
    let kept = share(figures.count("unchanged_doublets"), all);
    let mut notes = vec![match matching(policy) {
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
            count(exposed),
            count(account.records),
        ));
    }
    Report {
        summary: vec![format!(
            "{} of {} paths are published. {} of {} doublets ({}) are removed; {} are shown at their source place and time.",
            count(published),
            count(account.records),
            count(lost),
            count(all),
            denym_report::percent(figures.decimal("distortion")),
            denym_report::percent(kept),
        )],
        facts: vec![
            fact(
                "Paths published",
                count(published),
                format!("of {}", count(account.records)),
            ),
            fact(
                "Doublets unchanged",
                denym_report::percent(kept),
                format!("of {}", count(all)),
            ),
            fact(
                "Doublets removed",
                count(lost),
                format!(
                    "{} of them everywhere",
                    count(figures.count("suppressed_doublets"))
                ),
            ),
            violations(figures),
        ],
        notes,
        ..Report::default()
    }
}

/// What is said of transactions alone: summary, facts and notes.
fn of_items(m: usize, account: &Account) -> Report {
    let count = denym_report::count;
    let figures = &account.figures;
    let (all, lost) = (figures.count("instances"), figures.count("lost_instances"));
    let kept = share(figures.count("unchanged_instances"), all);
    let mut facts = vec![
        fact(
            "Transactions published",
            count(account.records),
            "all of them".to_owned(),
        ),
        fact(
            "Items unchanged",
            denym_report::percent(kept),
            format!("of {}", count(all)),
        ),
        fact(
            "Items removed",
            count(lost),
            format!(
                "{} of {} kinds",
                count(figures.count("suppressed_items")),
                count(figures.count("items"))
            ),
        ),
        violations(figures),
    ];
    let itemsets = figures.get("frequent_itemsets");
    let itemsets = |when: &str| itemsets.and_then(|found| found[when].as_u64());
    if let Some((before, after)) = itemsets("before").zip(itemsets("after")) {
        facts.push(fact(
            "Frequent itemsets kept",
            count(after),
            format!("of {}", count(before)),
        ));
    }
    Report {
        summary: vec![format!(
            "All {} transactions are published. Of {} items in them {} ({}) are removed and {} are shown as they are; {} kinds of items are shown coarser.",
            count(account.records),
            count(all),
            count(lost),
            denym_report::percent(figures.decimal("distortion")),
            denym_report::percent(kept),
            count(figures.count("generalized_items")),
        )],
        facts,
        notes: vec![format!(
            "The adversary knows up to {m} items that the victim has, sensitive ones apart; that the victim does not have an item is not counted as knowledge."
        )],
        ..Report::default()
    }
}

fn violations(figures: &Figures) -> denym_report::Fact {
    fact(
        "Critical violations",
        denym_report::count(figures.count("critical_violations")),
        "in the source; none is left".to_owned(),
    )
}

/// What is done, a line per step.
pub(crate) fn steps(policy: &Policy) -> Vec<String> {
    let (l, algorithm) = (known(policy), policy.release.algorithm.name);
    let [read, search, write, judge] = match policy.adversary {
        Knowledge::Items(_) => [
            "read the items as codes, one set per subject".to_owned(),
            format!(
                "search with `{algorithm}` for what to remove or make coarser, for an adversary with {l} items"
            ),
            "write the sets sorted by what they show, subjects renumbered".to_owned(),
            "read the written file back and count every set of up to that many items; release only if all promises hold"
                .to_owned(),
        ],
        _ => [
            "read the paths as codes, one record per subject".to_owned(),
            format!(
                "search with `{algorithm}` for what to remove, for an adversary with {l} doublets and matching `{}`",
                matching(policy).name()
            ),
            "write the records sorted by what they show, subjects renumbered".to_owned(),
            "read the written file back and count every group of up to that many doublets; release only if all promises hold"
                .to_owned(),
        ],
    };
    vec![
        read,
        search,
        crate::program::of(policy).step(),
        write,
        judge,
    ]
}

/// A claim with what it means for somebody who knows so many doublets or items.
fn in_words(certified: &Claim, elements: Elements, l: usize) -> denym_report::Claim {
    let mut found = claim(certified, "people");
    let asked = &found.asked;
    let (known, value) = match elements {
        Elements::Doublets => ("places and times", "protected value"),
        Elements::Items => ("items", "sensitive item"),
    };
    found.explanation = match &certified.terms {
        terms if terms.size().is_some() => format!(
            "Whoever knows up to {l} {known} of a person finds {asked} people who fit, never one alone."
        ),
        terms if terms.is_about_places() => format!(
            "Whoever knows up to {l} other places and times of a person cannot conclude a visit to a sensitive place with a certainty above the bound ({asked})."
        ),
        _ => format!(
            "Whoever knows up to {l} {known} of a person cannot conclude a {value} with a certainty above the bound ({asked})."
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
    pub(crate) fn new(source: &Sequences, recoding: &PathRecoding) -> Losses {
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
        paths: &Sequences,
        size: usize,
        code: impl Fn(&denym_data::sequences::Doublet) -> u32,
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
    fn busiest(&self, paths: &Sequences) -> Vec<u32> {
        let sums = self.by(paths, paths.locations().len(), |doublet| doublet.location);
        let mut order: Vec<u32> = (0..sums.len() as u32).collect();
        order.sort_by_key(|&place| (std::cmp::Reverse(sums[place as usize].0), place));
        order.truncate(MOST_PLACES);
        order.sort_unstable();
        order
    }

    fn grid(&self, paths: &Sequences) -> Figure {
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

    fn hours(&self, paths: &Sequences) -> Figure {
        let sums = self.by(paths, paths.times().len(), |doublet| doublet.time);
        let join = sums.len().div_ceil(MOST_TIMES).max(1);
        let joined = sums.chunks(join).map(|part| {
            part.iter()
                .fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
        });
        let labels = paths.times().iter().step_by(join).cloned();
        before_and_after(
            "Doublets by time",
            "How many doublets there are at each time, before and after.",
            "Two columns per time: doublets of the source, doublets of the release.",
            "time",
            labels.zip(joined.map(|(all, lost)| (all, all - lost))),
        )
    }

    fn places(&self, paths: &Sequences) -> Figure {
        let sums = self.by(paths, paths.locations().len(), |doublet| doublet.location);
        let mut order = self.busiest(paths);
        order.sort_by_key(|&place| {
            let (all, lost) = sums[place as usize];
            (std::cmp::Reverse(lost), std::cmp::Reverse(all), place)
        });
        order.truncate(MOST_ITEMS);
        let bars = order.iter().map(|&place| {
            let (all, lost) = sums[place as usize];
            (paths.locations()[place as usize].clone(), share(lost, all))
        });
        bars_of(
            "Places that lose most",
            "The share of its doublets that each place loses; of the busiest places.",
            "A bar per place: the share of its doublets that are removed.",
            Format::Share,
            bars,
        )
    }

    /// Which items lose most instances, removed or made coarser.
    fn items(&self, source: &Sequences, figures: &Figures) -> Figure {
        let instances = |name: &str| {
            let place = source.locations().iter().position(|item| item == name);
            place.map_or(0, |item| self.all[item])
        };
        let removed = figures.texts("suppressed").into_iter();
        let coarser = figures.get("generalized").and_then(Value::as_array);
        let coarser = coarser.into_iter().flatten().filter_map(|pair| {
            let (name, shown) = (pair[0].as_str()?, pair[1].as_str()?);
            Some((instances(name), format!("{name} (as {shown})")))
        });
        let removed = removed.map(|name| (instances(&name), name));
        let mut lost: Vec<(u64, String)> = removed.chain(coarser).collect();
        lost.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        lost.truncate(MOST_ITEMS);
        bars_of(
            "Items that lose most",
            "How often each item occurs in the source, for the most frequent of those that are removed or shown coarser.",
            "A bar per item: its occurrences in the source.",
            Format::Count,
            lost.into_iter().map(|(count, label)| (label, count as f64)),
        )
    }
}

/// One bar each.
fn bars_of(
    title: &str,
    caption: &str,
    description: &str,
    format: Format,
    bars: impl Iterator<Item = (String, f64)>,
) -> Figure {
    let bar = |(label, value)| Bar {
        label,
        values: vec![value],
    };
    Figure {
        title: title.to_owned(),
        caption: caption.to_owned(),
        chart: Chart::Bars(Bars {
            title: title.to_owned(),
            description: description.to_owned(),
            bars: bars.map(bar).collect(),
            format,
            ..Bars::default()
        }),
    }
}

/// Two columns each: counts of the source and of the release.
fn before_and_after(
    title: &str,
    caption: &str,
    description: &str,
    axis: &str,
    bars: impl Iterator<Item = (String, (u64, u64))>,
) -> Figure {
    let bar = |(label, (before, after)): (String, (u64, u64))| Bar {
        label,
        values: vec![before as f64, after as f64],
    };
    Figure {
        title: title.to_owned(),
        caption: caption.to_owned(),
        chart: Chart::Columns(Columns {
            title: title.to_owned(),
            description: description.to_owned(),
            x_axis: axis.to_owned(),
            series: vec!["before".to_owned(), "after".to_owned()],
            bars: bars.map(bar).collect(),
            format: Format::Count,
        }),
    }
}

/// How long sequences are, before and after.
fn lengths(elements: Elements, source: &Sequences, released: &Sequences) -> Figure {
    let (title, caption, description, axis, most) = match elements {
        Elements::Doublets => (
            "Lengths of paths",
            "How many paths show so many doublets, before and after; the last column holds all longer ones.",
            "Two columns per length: paths of the source, paths of the release.",
            "doublets",
            MOST_TIMES,
        ),
        Elements::Items => (
            "Sizes of transactions",
            "How many transactions show so many items, before and after; the last column holds all larger ones.",
            "Two columns per size: transactions of the source, transactions of the release.",
            "items",
            MOST_SIZES,
        ),
    };
    let longest = source.records().map(<[u32]>::len).max().unwrap_or(0);
    let longest = longest.min(most);
    let count = |sequences: &Sequences| {
        let mut counts = vec![0_u64; longest + 1];
        for record in sequences.records() {
            counts[record.len().min(longest)] += 1;
        }
        counts
    };
    let bars = count(source).into_iter().zip(count(released)).enumerate();
    let bars = bars.map(|(length, counts)| (length.to_string(), counts));
    before_and_after(title, caption, description, axis, bars)
}

/// The attributes beside the path, which are published as they are.
fn distributions(
    policy: &Policy,
    source: &SequenceTable,
    released: &Sequences,
) -> Vec<Distribution> {
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
    let elements = elements(certificate.knows);
    let l = match certificate.knows {
        Knowledge::Items(most) | Knowledge::Doublets(most) => most,
        _ => 0,
    };
    let whose = match elements {
        Elements::Doublets => ("paths", ", who was where and when"),
        Elements::Items => ("items", ""),
    };
    let mut text = format!(
        "# What this is\n\n`{}` is an anonymized data set: the {} of {} people{}, changed so that nobody in it \
         can be found under the assumptions below. It was made and checked by denym {}.\n\n",
        certificate.data.file, whose.0, certificate.data.records, whose.1, certificate.denym
    );
    let layout = certificate.sequences();
    let _ = match layout.as_ref().map(|(form, _)| form) {
        Some(Form::Long {
            subject,
            location,
            time,
        }) => {
            let (are, nothing) = match time {
                Some(time) => ("the path", format!("`{location}` and `{time}`")),
                None => ("the items", format!("`{location}`")),
            };
            writeln!(
                text,
                "Rows with the same `{subject}` are {are} of one person; the numbers mean nothing else. A row without {nothing} \
                 is a person of whom nothing is shown.\n"
            )
        }
        Some(Form::Wide {
            cell,
            separator: None,
        }) => writeln!(
            text,
            "A row is a person; `{cell}` lists places with their times, earliest first, `>` between them. An empty path is \
             a person of whom nothing is shown.\n"
        ),
        Some(Form::Wide {
            cell,
            separator: Some(separator),
        }) => writeln!(
            text,
            "A row is a person; `{cell}` lists the person's items, `{separator}` between them. An empty cell is a person of \
             whom nothing is shown.\n"
        ),
        None => Ok(()),
    };
    text.push_str("# What is promised\n\nAn adversary is assumed to know ");
    if elements == Elements::Items {
        let _ = writeln!(
            text,
            "any {l} items that a person has, sensitive items apart.\n"
        );
    } else {
        let _ = write!(text, "of a person: any {l} places with their times");
        for name in &certificate.quasi_identifiers {
            let _ = write!(text, ", `{name}`");
        }
        text.push_str(match layout {
            Some((_, Matching::Covers)) => {
                ", and to look for the records that show all of them.\n\n"
            }
            _ => ", and to discard every record that contradicts them.\n\n",
        });
    }
    for certified in &certificate.claims {
        let check = match certified.check {
            Check::Recheckable => "you can check it",
            Check::Attested => "the publisher vouches for it",
        };
        let explanation = in_words(certified, elements, l).explanation;
        let _ = writeln!(text, "- {explanation} ({check})");
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
    let own: &[&str] = match elements(policy.adversary) {
        Elements::Doublets => &[
            "suppressed_records",
            "critical_violations",
            "critical_violations_by_length",
            "suppressed_doublets",
            "suppressed",
            "lost_doublets",
            "doublets",
            "distortion",
            "exposed_records",
        ],
        Elements::Items => &[
            "critical_violations",
            "critical_violations_by_length",
            "items",
            "instances",
            "lost_instances",
            "unchanged_instances",
            "suppressed",
            "generalized",
            "distortion",
            "loss",
            "frequent_itemsets",
        ],
    };
    let start = ["denym", "algorithm", "seed", "steps", "metric", "records"];
    let keys = [&start[..], own, &["warnings"]].concat();
    let mut document = super::plan_document(policy, account, &steps(policy), &keys, &[]);
    if document["frequent_itemsets"].is_object() {
        let itemsets = &mut document["frequent_itemsets"];
        *itemsets = json!([itemsets["before"], itemsets["after"]]);
    }
    document
}
