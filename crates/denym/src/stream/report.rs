//! The steward's report on a stream: made from its certificates alone, so that a run that was interrupted has the same.

use denym_engine::events::Ledger;
use denym_measure::Sense;
use denym_release::windows::{Certificate, Claims, Rule, Status};
use denym_report::{
    About, Attack, Chart, Claim, Fact, Figure, Format, Language, Lines, Mark, Outcome, Provenance,
    Report, Series,
};

use crate::certificate::Check;
use crate::policy::Policy;
use crate::policy::stream::StreamSpec;
use crate::{Error, reporting};

/// The most points of a line: more windows than these are thinned out.
const MOST_POINTS: usize = 400;

/// The page on the stream whose certificates are `chain`.
pub(super) fn page(
    policy: &Policy,
    spec: &StreamSpec,
    chain: &str,
    ledger: &Ledger,
) -> Result<String, Error> {
    let certificates = chain.lines().map(serde_json::from_str::<Certificate>);
    let certificates = certificates.collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|_| Error::Internal {
        what: "a certificate of this stream cannot be read back".into(),
    })?;
    let name = policy.file.file_name();
    let name = name.map(|name| name.to_string_lossy().into_owned());
    let mut report = report(spec, name.unwrap_or_default(), &certificates, ledger);
    let findings = super::stream_findings(policy).into_iter();
    report.findings = findings
        .map(|found| found.reported(Language::English))
        .collect();
    Ok(denym_report::html(&report))
}

fn report(
    spec: &StreamSpec,
    policy: String,
    certificates: &[Certificate],
    ledger: &Ledger,
) -> Report {
    let mut warnings = spec.warnings();
    let counts = certificates
        .last()
        .map(|last| last.counts)
        .unwrap_or_default();
    let decided = counts.published + counts.suppressed;
    let kept = if decided == 0 {
        0.0
    } else {
        counts.published as f64 / decided as f64
    };
    if counts.withheld > 0 {
        warnings.push(format!(
            "{} windows were withheld: the judge or the red team did not let them out. Their events wait for the next window.",
            denym_report::count(counts.withheld)
        ));
    }
    let fact = |name: &str, value: String, note: String| Fact {
        name: name.to_owned(),
        value,
        note,
    };
    let published = |certificate: &&Certificate| certificate.status == Status::Published;
    let shown: Vec<&Certificate> = certificates.iter().filter(published).collect();
    let groups = shown.iter().filter(|one| one.measured.subjects > 0);
    let smallest = groups.map(|one| one.measured.smallest_group).min();
    Report {
        about: About::Windows,
        title: format!("Stream of {}", spec.source),
        data_name: spec.source.to_string(),
        outcome: Outcome::Released,
        unit: "people".into(),
        summary: vec![format!(
            "{} windows were published and {} withheld. Of {} events {} were published in some window ({} of those whose fate is known).",
            denym_report::count(counts.windows),
            denym_report::count(counts.withheld),
            denym_report::count(counts.events),
            denym_report::count(counts.published),
            denym_report::percent(kept),
        )],
        facts: vec![
            fact(
                "Windows published",
                denym_report::count(counts.windows),
                format!("{} withheld", denym_report::count(counts.withheld)),
            ),
            fact(
                "Smallest group",
                smallest.map_or_else(|| "none".to_owned(), denym_report::count),
                "people, over all windows".to_owned(),
            ),
            fact(
                "Events kept",
                denym_report::percent(kept),
                "of those published or suppressed".to_owned(),
            ),
            fact(
                "Late events",
                denym_report::count(counts.late),
                "they wait for the steward".to_owned(),
            ),
        ],
        claims: claims(&Claims::new(&spec.options), &shown),
        attacks: attacks(&shown),
        figures: figures(&shown, spec.options.k),
        notes: notes(spec, ledger),
        warnings,
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policy,
            steps: crate::kinds::stream::steps(),
            facts: [
                ("events that came in", counts.events),
                ("suppressed", counts.suppressed),
                ("late", counts.late),
                ("further events of a person at one time", counts.duplicates),
                ("events that could not be taken", counts.rejected),
                ("events whose fate is open", counts.open),
            ]
            .map(|(name, value)| (name.to_owned(), denym_report::count(value)))
            .into(),
        },
        ..Report::default()
    }
}

fn claims(asked: &Claims, shown: &[&Certificate]) -> Vec<Claim> {
    let people = || shown.iter().filter(|one| one.measured.subjects > 0);
    let smallest = people().map(|one| one.measured.smallest_group).min();
    let surest = people().map(|one| one.measured.largest_confidence).max();
    let mut claims = vec![Claim {
        promise: "k-anonymity".into(),
        asked: format!("at least {}", asked.k),
        measured: smallest.map_or_else(|| "nobody is shown".to_owned(), |least| least.to_string()),
        holds: Some(smallest.is_none_or(|least| least >= asked.k)),
        recheckable: true,
        explanation: format!(
            "Whoever knows any {} doublets that a window shows of somebody finds at least {} people who could be that person.",
            asked.l, asked.k
        ),
        ..Claim::default()
    }];
    for bound in &asked.confidence {
        let most = denym_report::percent(bound.at_most.to_f64());
        claims.push(Claim {
            promise: "confidence".into(),
            attribute: Some(bound.attribute.clone()),
            asked: format!("at most {most}"),
            // A certificate has the highest share of all bounded values.
            measured: surest.map_or_else(
                || "nobody is shown".to_owned(),
                |share| format!("at most {}", denym_report::percent(share.to_f64())),
            ),
            holds: Some(true),
            recheckable: true,
            explanation: format!(
                "Nobody becomes surer than {most} of a bounded value of \u{201c}{}\u{201d}.",
                bound.attribute
            ),
        });
    }
    let further = asked.promises.iter().enumerate().map(|(at, terms)| {
        let found = people().filter_map(|one| one.measured.promises.get(at)?.parse::<f64>().ok());
        let worst = match terms.entry().sense {
            Sense::AtLeast => found.fold(f64::INFINITY, f64::min),
            Sense::AtMost => found.fold(f64::NEG_INFINITY, f64::max),
        };
        let claim = crate::certificate::Claim {
            promise: terms.name().to_owned(),
            attribute: terms.attribute().cloned().flatten(),
            quasi_identifiers: Vec::new(),
            asked: terms.bound(),
            measured: worst,
            // A window that does not keep it does not leave.
            holds: Some(true),
            violating_records: 0,
            check: Check::Recheckable,
            terms: terms.clone(),
        };
        let mut told = reporting::claim(&claim, "people", Language::English);
        if !worst.is_finite() {
            "nobody is shown".clone_into(&mut told.measured);
        }
        told
    });
    claims.extend(further);
    claims
}

/// Over all windows: the mean rate, and the worst window.
fn attacks(shown: &[&Certificate]) -> Vec<Attack> {
    let all = || {
        shown
            .iter()
            .flat_map(|one| one.attacks.iter().map(move |found| (one.window, found)))
    };
    let mut names: Vec<(&str, Option<&str>)> = Vec::new();
    for (_, found) in all() {
        let name = (found.attack.as_str(), found.attribute.as_deref());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
        .into_iter()
        .filter_map(|(attack, attribute)| {
            let own = || all().filter(|(_, found)| (found.attack.as_str(), found.attribute.as_deref()) == (attack, attribute));
            let people: u64 = own().map(|(_, found)| found.attempts).sum();
            let right: f64 = own().map(|(_, found)| found.success_rate * found.attempts as f64).sum();
            let (window, worst) = own().max_by(|(_, a), (_, b)| a.success_rate.total_cmp(&b.success_rate))?;
            let (_, first) = own().next()?;
            Some(Attack {
                name: attribute.map_or_else(|| attack.to_owned(), |of| format!("{attack} on {of}")),
                knows: format!("Knows {}.", first.knows),
                rate_before: None,
                rate_after: Some(if people == 0 { 0.0 } else { right / people as f64 }),
                note: format!(
                    "Over {} windows; a person counts once in each. It does best on window {window}: {}.",
                    denym_report::count(own().count() as u64),
                    denym_report::percent(worst.success_rate)
                ),
                left_out: false,
            })
        })
        .collect()
}

/// How the windows went, one after the other.
fn figures(shown: &[&Certificate], k: u64) -> Vec<Figure> {
    let step = shown.len().div_ceil(MOST_POINTS).max(1);
    let thin: Vec<&&Certificate> = shown.iter().step_by(step).collect();
    if thin.len() < 2 {
        return Vec::new();
    }
    let line = |name: &str, of: &dyn Fn(&Certificate) -> f64| Series {
        name: name.to_owned(),
        mark: Mark::Line,
        points: thin
            .iter()
            .map(|one| (one.window as f64, of(one)))
            .collect(),
        ..Series::default()
    };
    let figure = |title: &str, caption: String, y_axis: &str, y_format, series| Figure {
        title: title.to_owned(),
        caption: caption.clone(),
        chart: Chart::Lines(Lines {
            title: title.to_owned(),
            description: caption,
            x_axis: "window".to_owned(),
            y_axis: y_axis.to_owned(),
            x_format: Format::Number,
            y_format,
            series,
        }),
    };
    let rate = |one: &Certificate, name: &str| {
        let found = one
            .attacks
            .iter()
            .find(|found| found.attack == name && found.attribute.is_none());
        found.map_or(f64::NAN, |found| found.success_rate)
    };
    vec![
        figure(
            "Smallest group of each window",
            format!("No group may be smaller than {k}."),
            "people",
            Format::Number,
            vec![
                line("smallest group", &|one| match one.measured.subjects {
                    0 => f64::NAN,
                    _ => one.measured.smallest_group as f64,
                }),
                line("promised", &|_| k as f64),
            ],
        ),
        figure(
            "What the red team achieves on each window",
            "The mean chance of a right guess, with the worst knowledge of each person.".to_owned(),
            "chance",
            Format::Share,
            vec![
                line("window-doublets", &|one| rate(one, "window-doublets")),
                line("window-difference", &|one| rate(one, "window-difference")),
            ],
        ),
    ]
}

fn notes(spec: &StreamSpec, ledger: &Ledger) -> Vec<String> {
    let mut notes = vec![match spec.options.rule {
        Rule::KeepPublished { .. } => {
            "What was published is never taken back, so that windows put together keep the promise within the horizon.".to_owned()
        }
        Rule::Retract => "Windows put together may break the promise (`retract`); `window-difference` measures it for two in a row.".to_owned(),
    }];
    if spec.is_consistent() {
        notes.push(format!(
            "{} events were suppressed only because contradictions are judged too.",
            denym_report::count(ledger.consistent_cost)
        ));
    }
    if spec.idle.is_some() {
        notes.push(format!(
            "The clock on the wall cut windows {} times.",
            denym_report::count(ledger.clock_cuts)
        ));
    }
    notes
}
