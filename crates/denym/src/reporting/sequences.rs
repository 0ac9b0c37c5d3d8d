//! What a run on paths or transactions tells people: what was lost, where and when, and what is left.

use std::fmt::Write as _;

use denym_data::Sequences;
use denym_data::sequences::SequenceTable;
use denym_report::{
    About, Bar, Bars, Chart, Columns, Count, Distribution, Figure, Format, Grid, Language, Outcome,
    Report,
};
use denym_sequences::PathRecoding;
use serde_json::{Value, json};

use super::{attempts, claim, counts, fact, provenance};
use crate::account::Account;
use crate::certificate::{Certificate, Claim, share};
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
    language: Language,
) -> Report {
    let (l, sequences) = (known(policy), &source.sequences);
    let elements = elements(policy.adversary);
    let told = match elements {
        Elements::Doublets => Report {
            about: About::Paths,
            distributions: distributions(policy, source, released, language),
            figures: vec![
                losses.grid(sequences, language),
                losses.hours(sequences, language),
                lengths(elements, sequences, released, language),
                losses.places(sequences, language),
            ],
            ..of_paths(policy, account, language)
        },
        Elements::Items => Report {
            about: About::Items,
            figures: vec![
                losses.items(sequences, &account.figures, language),
                lengths(elements, sequences, released, language),
            ],
            ..of_items(l, account, language)
        },
    };
    let program = account
        .program
        .map(|found| super::about_program(found, language));
    Report {
        language,
        title: super::title(policy, language),
        data_name: policy.data.path.clone(),
        outcome: Outcome::Released,
        unit: language.say("word.people", &[]),
        claims: account
            .claims
            .iter()
            .map(|claim| in_words(claim, elements, l, language))
            .collect(),
        notes: told.notes.into_iter().chain(program).collect(),
        warnings: account.warnings.clone(),
        attempts: attempts(account),
        provenance: provenance(policy, account, steps(policy), language),
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
fn of_paths(policy: &Policy, account: &Account, language: Language) -> Report {
    let count = denym_report::count;
    let (l, figures) = (known(policy), &account.figures);
    let published = account.records - account.suppressed_records;
    let (all, lost) = (figures.count("doublets"), figures.count("lost_doublets"));
    let kept = share(figures.count("unchanged_doublets"), all);
    let known = l.to_string();
    let mut notes = vec![match matching(policy) {
        Matching::Consistent => language.say("paths.consistent", &[("l", &known)]),
        Matching::Covers => language.say("paths.covers", &[("l", &known)]),
    }];
    if let Some(exposed) = figures.get("exposed_records").and_then(Value::as_u64) {
        let (exposed, all) = (count(exposed), count(account.records));
        let values = [("exposed", exposed.as_str()), ("all", &all)];
        notes.push(language.say("paths.exposed", &values));
    }
    Report {
        summary: vec![language.say(
            "paths.summary",
            &[
                ("shown", &count(published)),
                ("all", &count(account.records)),
                ("lost", &count(lost)),
                ("doublets", &count(all)),
                (
                    "share",
                    &denym_report::percent(figures.decimal("distortion")),
                ),
                ("kept", &denym_report::percent(kept)),
            ],
        )],
        facts: vec![
            fact(
                language.say("paths.published", &[]),
                count(published),
                language.say("word.of", &[("all", &count(account.records))]),
            ),
            fact(
                language.say("paths.unchanged", &[]),
                denym_report::percent(kept),
                language.say("word.of", &[("all", &count(all))]),
            ),
            fact(
                language.say("paths.removed", &[]),
                count(lost),
                language.say(
                    "paths.everywhere",
                    &[("count", &count(figures.count("suppressed_doublets")))],
                ),
            ),
            violations(figures, language),
        ],
        notes,
        ..Report::default()
    }
}

/// What is said of transactions alone: summary, facts and notes.
fn of_items(m: usize, account: &Account, language: Language) -> Report {
    let count = denym_report::count;
    let figures = &account.figures;
    let (all, lost) = (figures.count("instances"), figures.count("lost_instances"));
    let kept = share(figures.count("unchanged_instances"), all);
    let mut facts = vec![
        fact(
            language.say("items.published", &[]),
            count(account.records),
            language.say("items.all", &[]),
        ),
        fact(
            language.say("items.unchanged", &[]),
            denym_report::percent(kept),
            language.say("word.of", &[("all", &count(all))]),
        ),
        fact(
            language.say("items.removed", &[]),
            count(lost),
            language.say(
                "items.kinds",
                &[
                    ("count", &count(figures.count("suppressed_items"))),
                    ("all", &count(figures.count("items"))),
                ],
            ),
        ),
        violations(figures, language),
    ];
    let itemsets = figures.get("frequent_itemsets");
    let itemsets = |when: &str| itemsets.and_then(|found| found[when].as_u64());
    if let Some((before, after)) = itemsets("before").zip(itemsets("after")) {
        facts.push(fact(
            language.say("items.itemsets", &[]),
            count(after),
            language.say("word.of", &[("all", &count(before))]),
        ));
    }
    Report {
        summary: vec![language.say(
            "items.summary",
            &[
                ("records", &count(account.records)),
                ("items", &count(all)),
                ("lost", &count(lost)),
                (
                    "share",
                    &denym_report::percent(figures.decimal("distortion")),
                ),
                ("kept", &denym_report::percent(kept)),
                ("coarser", &count(figures.count("generalized_items"))),
            ],
        )],
        facts,
        notes: vec![language.say("items.knows", &[("m", &m.to_string())])],
        ..Report::default()
    }
}

fn violations(figures: &Figures, language: Language) -> denym_report::Fact {
    fact(
        language.say("paths.violations", &[]),
        denym_report::count(figures.count("critical_violations")),
        language.say("paths.violations.note", &[]),
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
fn in_words(
    certified: &Claim,
    elements: Elements,
    l: usize,
    language: Language,
) -> denym_report::Claim {
    let mut found = claim(certified, &language.say("word.people", &[]), language);
    let l = l.to_string();
    let values = [("l", l.as_str()), ("asked", &found.asked)];
    found.explanation = match (&certified.terms, elements) {
        (terms, Elements::Doublets) if terms.size().is_some() => {
            language.say("paths.promise.size", &values)
        }
        (terms, Elements::Items) if terms.size().is_some() => {
            language.say("items.promise.size", &values)
        }
        (terms, _) if terms.is_about_places() => language.say("paths.promise.places", &values),
        (_, Elements::Doublets) => language.say("paths.promise.value", &values),
        (_, Elements::Items) => language.say("items.promise.value", &values),
    };
    found
}

/// The claims of a certificate about sequences, in words.
pub(super) fn certified(certificate: &Certificate, language: Language) -> Vec<denym_report::Claim> {
    let (elements, l) = match certificate.knows {
        Knowledge::Items(most) => (Elements::Items, most),
        Knowledge::Doublets(most) => (Elements::Doublets, most),
        _ => (Elements::Doublets, 0),
    };
    let claims = certificate.claims.iter();
    claims
        .map(|claim| in_words(claim, elements, l, language))
        .collect()
}

/// A part of a whole, compared exactly; of nothing it is nothing.
#[derive(Clone, Copy)]
struct Share(u64, u64);

impl Ord for Share {
    fn cmp(&self, other: &Share) -> std::cmp::Ordering {
        let crossed = |a: u64, b: u64| u128::from(a) * u128::from(b.max(1));
        crossed(self.0, other.1).cmp(&crossed(other.0, self.1))
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Share) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Share {}

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

    fn grid(&self, paths: &Sequences, language: Language) -> Figure {
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
        let lost = |row: &Vec<(u64, u64)>| row.iter().map(|&(_, lost)| lost as f64).collect();
        // As dark as the busiest cell would be if all of it were lost: where little is removed, little is dark.
        let busiest = sums.iter().flatten().map(|&(all, _)| all).max();
        let shown = places.len();
        let all = paths.locations().len();
        Figure {
            title: language.say("paths.grid", &[]),
            caption: if shown < all {
                let (shown, all) = (shown.to_string(), all.to_string());
                language.say("paths.grid.some", &[("shown", &shown), ("all", &all)])
            } else {
                language.say("paths.grid.all", &[])
            },
            chart: Chart::Grid(Grid {
                title: language.say("paths.grid", &[]),
                description: language.say("paths.grid.description", &[]),
                scale: language.say("paths.grid.scale", &[]),
                x_axis: language.say("word.time", &[]),
                columns: paths.times().iter().step_by(join).cloned().collect(),
                rows: places
                    .iter()
                    .map(|&place| paths.locations()[place as usize].clone())
                    .collect(),
                values: sums.iter().map(lost).collect(),
                full: busiest.map(|most| most as f64),
                format: Format::Count,
            }),
        }
    }

    fn hours(&self, paths: &Sequences, language: Language) -> Figure {
        let sums = self.by(paths, paths.times().len(), |doublet| doublet.time);
        let join = sums.len().div_ceil(MOST_TIMES).max(1);
        let joined = sums.chunks(join).map(|part| {
            part.iter()
                .fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
        });
        let labels = paths.times().iter().step_by(join).cloned();
        before_and_after(
            language,
            [
                language.say("paths.hours", &[]),
                language.say("paths.hours.caption", &[]),
                language.say("paths.hours.description", &[]),
                language.say("word.time", &[]),
            ],
            labels.zip(joined.map(|(all, lost)| (all, all - lost))),
        )
    }

    fn places(&self, paths: &Sequences, language: Language) -> Figure {
        let sums = self.by(paths, paths.locations().len(), |doublet| doublet.location);
        let mut order = self.busiest(paths);
        order.sort_by_key(|&place| {
            let (all, lost) = sums[place as usize];
            // The largest share first, as the bars show it: a/b before c/d where a d > c b.
            (
                std::cmp::Reverse(Share(lost, all)),
                std::cmp::Reverse(all),
                place,
            )
        });
        order.truncate(MOST_ITEMS);
        let bars = order.iter().map(|&place| {
            let (all, lost) = sums[place as usize];
            (paths.locations()[place as usize].clone(), share(lost, all))
        });
        bars_of(
            [
                language.say("paths.places", &[]),
                language.say("paths.places.caption", &[]),
                language.say("paths.places.description", &[]),
            ],
            Format::Share,
            bars,
        )
    }

    /// Which items lose most instances, removed or made coarser.
    fn items(&self, source: &Sequences, figures: &Figures, language: Language) -> Figure {
        let instances = |name: &str| {
            let place = source.locations().iter().position(|item| item == name);
            place.map_or(0, |item| self.all[item])
        };
        let removed = figures.texts("suppressed").into_iter();
        let coarser = figures.get("generalized").and_then(Value::as_array);
        let coarser = coarser.into_iter().flatten().filter_map(|pair| {
            let (name, shown) = (pair[0].as_str()?, pair[1].as_str()?);
            let as_shown = language.say("items.as", &[("name", name), ("shown", shown)]);
            Some((instances(name), as_shown))
        });
        let removed = removed.map(|name| (instances(&name), name));
        let mut lost: Vec<(u64, String)> = removed.chain(coarser).collect();
        lost.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        lost.truncate(MOST_ITEMS);
        bars_of(
            [
                language.say("items.most", &[]),
                language.say("items.most.caption", &[]),
                language.say("items.most.description", &[]),
            ],
            Format::Count,
            lost.into_iter().map(|(count, label)| (label, count as f64)),
        )
    }
}

/// One bar each.
fn bars_of(
    [title, caption, description]: [String; 3],
    format: Format,
    bars: impl Iterator<Item = (String, f64)>,
) -> Figure {
    let bar = |(label, value)| Bar {
        label,
        values: vec![value],
    };
    Figure {
        title: title.clone(),
        caption,
        chart: Chart::Bars(Bars {
            title,
            description,
            bars: bars.map(bar).collect(),
            format,
            ..Bars::default()
        }),
    }
}

/// Two columns each: counts of the source and of the release.
fn before_and_after(
    language: Language,
    [title, caption, description, x_axis]: [String; 4],
    bars: impl Iterator<Item = (String, (u64, u64))>,
) -> Figure {
    let bar = |(label, (before, after)): (String, (u64, u64))| Bar {
        label,
        values: vec![before as f64, after as f64],
    };
    Figure {
        title: title.clone(),
        caption,
        chart: Chart::Columns(Columns {
            title,
            description,
            x_axis,
            series: vec![
                language.say("word.before", &[]),
                language.say("word.after", &[]),
            ],
            bars: bars.map(bar).collect(),
            format: Format::Count,
            starts: false,
        }),
    }
}

/// How long sequences are, before and after.
fn lengths(
    elements: Elements,
    source: &Sequences,
    released: &Sequences,
    language: Language,
) -> Figure {
    let (words, most) = match elements {
        Elements::Doublets => (
            [
                language.say("paths.lengths", &[]),
                language.say("paths.lengths.caption", &[]),
                language.say("paths.lengths.description", &[]),
                language.say("word.doublets", &[]),
            ],
            MOST_TIMES,
        ),
        Elements::Items => (
            [
                language.say("items.sizes", &[]),
                language.say("items.sizes.caption", &[]),
                language.say("items.sizes.description", &[]),
                language.say("word.items", &[]),
            ],
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
    before_and_after(language, words, bars)
}

/// The attributes beside the path, which are published as they are.
fn distributions(
    policy: &Policy,
    source: &SequenceTable,
    released: &Sequences,
    language: Language,
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
                how: language.say("how.published", &[]),
                ordered: column.dictionary.kind() != denym_data::Kind::Text,
                before: counts(column),
                after: (0..)
                    .zip(after)
                    .map(|(code, count)| Count {
                        label: column.dictionary.text(code).map(str::to_owned),
                        span: column
                            .dictionary
                            .text(code)
                            .and_then(super::statistics::span),
                        count,
                    })
                    .collect(),
            })
        })
        .collect()
}

/// A short text for whoever receives the public half.
pub(crate) fn readme(certificate: &Certificate, language: Language) -> String {
    let elements = elements(certificate.knows);
    let l = match certificate.knows {
        Knowledge::Items(most) | Knowledge::Doublets(most) => most,
        _ => 0,
    };
    let people = certificate.data.records.to_string();
    let values = [
        ("file", certificate.data.file.as_str()),
        ("people", &people),
        ("version", &certificate.denym),
    ];
    let about = match elements {
        Elements::Doublets => language.say("readme.paths", &values),
        Elements::Items => language.say("readme.items", &values),
    };
    let known = l.to_string();
    let mut knows = match elements {
        Elements::Items => language.say("readme.knows.items", &[("m", &known)]),
        Elements::Doublets => language.say("readme.knows.doublets", &[("l", &known)]),
    };
    if elements == Elements::Doublets {
        for name in &certificate.quasi_identifiers {
            let _ = write!(knows, ", `{name}`");
        }
        knows += &match certificate.sequences() {
            Some((_, Matching::Covers)) => language.say("readme.knows.covers", &[]),
            _ => language.say("readme.knows.consistent", &[]),
        };
    }
    let mut text = format!(
        "# {}\n\n{about}\n\n# {}\n\n{knows}\n\n",
        language.say("readme.what", &[]),
        language.say("readme.promised", &[]),
    );
    for certified in &certificate.claims {
        let explanation = in_words(certified, elements, l, language).explanation;
        let _ = writeln!(
            text,
            "- {explanation} ({})",
            super::vouched(certified, language)
        );
    }
    if certificate.suppressed_records > 0 {
        let removed = certificate.suppressed_records.to_string();
        let told = language.say("readme.removed-people", &[("removed", &removed)]);
        let _ = writeln!(text, "\n{told}");
    }
    text.push_str(&super::program(certificate, language));
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
