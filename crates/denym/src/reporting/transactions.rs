//! What a run on transactions tells people: which items were lost, which became coarser, and what is left.

use std::fmt::Write as _;

use denym_data::Sequences;
use denym_report::{Bar, Bars, Chart, Columns, Figure, Format, Outcome, Report};
use serde_json::{Value, json};

use super::{attempts, claim, fact, provenance};
use crate::account::Account;
use crate::certificate::{Certificate, Claim, share};
use crate::figures::Figures;
use crate::policy::{Knowledge, Policy};
use crate::transactions::{TransactionForm, items_of};

/// Bars of the items that lose most; more are not readable.
const MOST_ITEMS: usize = 20;
/// Sizes of transactions shown one by one; longer ones are joined.
const MOST_SIZES: usize = 30;

/// The steward's report on released transactions.
pub(crate) fn report(
    policy: &Policy,
    source: &Sequences,
    released: &Sequences,
    account: &Account,
) -> Report {
    let figures = &account.figures;
    let count = denym_report::count;
    let m = items_of(policy);
    let kept = share(
        figures.count("unchanged_instances"),
        figures.count("instances"),
    );
    let mut facts = vec![
        fact(
            "Transactions published",
            count(account.records),
            "all of them".to_owned(),
        ),
        fact(
            "Items unchanged",
            denym_report::percent(kept),
            format!("of {}", count(figures.count("instances"))),
        ),
        fact(
            "Items removed",
            count(figures.count("lost_instances")),
            format!(
                "{} of {} kinds",
                count(figures.count("suppressed_items")),
                count(figures.count("items"))
            ),
        ),
        fact(
            "Critical violations",
            count(figures.count("critical_violations")),
            "in the source; none is left".to_owned(),
        ),
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
        title: format!("Release of {}", policy.data_name()),
        data_name: policy.data.path.clone(),
        outcome: Outcome::Released,
        unit: "people".to_owned(),
        summary: vec![format!(
            "All {} transactions are published. Of {} items in them {} ({}) are removed and {} are shown as they are; {} kinds of items are shown coarser.",
            count(account.records),
            count(figures.count("instances")),
            count(figures.count("lost_instances")),
            denym_report::percent(figures.decimal("distortion")),
            denym_report::percent(kept),
            count(figures.count("generalized_items")),
        )],
        facts,
        claims: account.claims.iter().map(|c| item_claim(c, m)).collect(),
        figures: vec![losses(source, figures), sizes(source, released)],
        notes: std::iter::once(format!(
            "The adversary knows up to {m} items that the victim has, sensitive ones apart; that the victim does not have an item is not counted as knowledge."
        ))
        .chain(account.program.map(|program| program.sentence()))
        .collect(),
        warnings: account.warnings.clone(),
        attempts: attempts(account),
        provenance: provenance(policy, account, steps(policy)),
        ..Report::default()
    }
}

/// What is done, a line per step.
pub(crate) fn steps(policy: &Policy) -> Vec<String> {
    vec![
        "read the items as codes, one set per subject".to_owned(),
        format!(
            "search with `{}` for what to remove or make coarser, for an adversary with {} items",
            policy.release.algorithm,
            items_of(policy)
        ),
        crate::program::of(policy).step(),
        "write the sets sorted by what they show, subjects renumbered".to_owned(),
        "read the written file back and count every set of up to that many items; release only if all promises hold"
            .to_owned(),
    ]
}

fn item_claim(certified: &Claim, m: usize) -> denym_report::Claim {
    let mut found = claim(certified, "people");
    let asked = &found.asked;
    found.explanation = match &certified.terms {
        terms if terms.size().is_some() => format!(
            "Whoever knows up to {m} items of a person finds {asked} people who fit, never one alone."
        ),
        _ => format!(
            "Whoever knows up to {m} items of a person cannot conclude a sensitive item with a certainty above the bound ({asked})."
        ),
    };
    found
}

/// Which items lose most instances, removed or made coarser.
fn losses(source: &Sequences, figures: &Figures) -> Figure {
    let mut all = vec![0_u64; source.locations().len()];
    for &item in source.records().flatten() {
        all[item as usize] += 1;
    }
    let instances = |name: &str| {
        let place = source.locations().iter().position(|item| item == name);
        place.map_or(0, |item| all[item])
    };
    let removed = figures.texts("suppressed").into_iter();
    let coarser = figures.get("generalized").and_then(Value::as_array);
    let coarser = coarser.into_iter().flatten().filter_map(|pair| {
        let (name, shown) = (pair[0].as_str()?, pair[1].as_str()?);
        Some((instances(name), format!("{name} (as {shown})")))
    });
    let mut lost: Vec<(u64, String)> = removed
        .map(|name| (instances(&name), name))
        .chain(coarser)
        .collect();
    lost.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    lost.truncate(MOST_ITEMS);
    Figure {
        title: "Items that lose most".to_owned(),
        caption: "How often each item occurs in the source, for the most frequent of those that are removed or shown coarser."
            .to_owned(),
        chart: Chart::Bars(Bars {
            title: "Items that lose most".to_owned(),
            description: "A bar per item: its occurrences in the source.".to_owned(),
            bars: lost
                .into_iter()
                .map(|(count, label)| Bar {
                    label,
                    values: vec![count as f64],
                })
                .collect(),
            format: Format::Count,
            ..Bars::default()
        }),
    }
}

/// Sizes of transactions before and after.
fn sizes(source: &Sequences, released: &Sequences) -> Figure {
    let longest = source.records().map(<[u32]>::len).max().unwrap_or(0);
    let longest = longest.min(MOST_SIZES);
    let count = |sets: &Sequences| {
        let mut counts = vec![0_u64; longest + 1];
        for set in sets.records() {
            counts[set.len().min(longest)] += 1;
        }
        counts
    };
    let bars = count(source).into_iter().zip(count(released)).enumerate();
    Figure {
        title: "Sizes of transactions".to_owned(),
        caption: "How many transactions show so many items, before and after; the last column holds all larger ones.".to_owned(),
        chart: Chart::Columns(Columns {
            title: "Sizes of transactions".to_owned(),
            description: "Two columns per size: transactions of the source, transactions of the release.".to_owned(),
            x_axis: "items".to_owned(),
            series: vec!["before".to_owned(), "after".to_owned()],
            bars: bars
                .map(|(size, (before, after))| Bar {
                    label: size.to_string(),
                    values: vec![before as f64, after as f64],
                })
                .collect(),
            format: Format::Count,
        }),
    }
}

/// A short text for whoever receives the public half.
pub(crate) fn readme(certificate: &Certificate) -> String {
    let m = match certificate.knows {
        Knowledge::Items(items) => items,
        _ => 0,
    };
    let mut text = format!(
        "# What this is\n\n`{}` is an anonymized data set: the items of {} people, changed so that nobody in it \
         can be found under the assumptions below. It was made and checked by denym {}.\n\n",
        certificate.data.file, certificate.data.records, certificate.denym
    );
    let _ = match &certificate.transactions {
        Some(TransactionForm::Long { subject, item }) => writeln!(
            text,
            "Rows with the same `{subject}` are the items of one person; the numbers mean nothing else. A row without `{item}` \
             is a person of whom nothing is shown.\n"
        ),
        Some(TransactionForm::Wide { items, separator }) => writeln!(
            text,
            "A row is a person; `{items}` lists the person's items, `{separator}` between them. An empty cell is a person of \
             whom nothing is shown.\n"
        ),
        None => Ok(()),
    };
    let _ = writeln!(
        text,
        "# What is promised\n\nAn adversary is assumed to know any {m} items that a person has, sensitive items apart.\n"
    );
    for certified in &certificate.claims {
        let explanation = item_claim(certified, m).explanation;
        let _ = writeln!(text, "- {explanation} (you can check it)");
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
        "warnings",
    ];
    let mut document = super::plan_document(policy, account, &steps(policy), &keys, &[]);
    let itemsets = &mut document["frequent_itemsets"];
    if itemsets.is_object() {
        *itemsets = json!([itemsets["before"], itemsets["after"]]);
    }
    document
}
