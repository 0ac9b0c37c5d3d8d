//! The report that may be handed out with a release: promises, attacks, values and meanings, and nothing of the source.
//!
//! It is made from the certificate, the codebook and the written tables alone, beside a date and a name that the caller gives: sources
//! that publish the same have the same report, byte for byte.

use denym_data::{Kind, Table};
use denym_release::codebook::Codebook;
use denym_report::{
    About, Attack, Audience, Distribution, Explained, Fact, Language, Moments, Outcome, Provenance,
    Report, SignOff, Statistics,
};

use super::{codebook, counts, statistics};
use crate::anonymize::red_team::knows;
use crate::certificate::{Certificate, ColumnRole, DataFile};
use crate::policy::Knowledge;

/// Labels of one column that the page explains; the codebook has them all.
const MOST_LABELS: usize = 24;
/// Values of a column that are worth a chart.
const MOST_VALUES: usize = 100_000;

/// What the written tables show, counted.
pub(crate) struct Shown {
    distributions: Vec<Distribution>,
    numbers: Vec<Moments>,
}

impl Shown {
    /// Counts what `files`, written as `tables`, show.
    pub(crate) fn of(files: &[DataFile], tables: &[Table], language: Language) -> Shown {
        let mut shown = Shown {
            distributions: Vec::new(),
            numbers: Vec::new(),
        };
        for (file, table) in files.iter().zip(tables) {
            for published in &file.columns {
                let Some(column) = table.column(&published.name) else {
                    continue;
                };
                let valued = matches!(
                    published.role,
                    ColumnRole::QuasiIdentifier | ColumnRole::Sensitive | ColumnRole::Insensitive
                );
                let placed = matches!(
                    published.role,
                    ColumnRole::Place
                        | ColumnRole::Time
                        | ColumnRole::Item
                        | ColumnRole::Institution
                );
                if !(valued || placed) || column.dictionary.len() > MOST_VALUES {
                    continue;
                }
                shown.distributions.push(Distribution {
                    attribute: published.name.clone(),
                    role: super::role(published.role, language),
                    how: String::new(),
                    ordered: column.dictionary.kind() != Kind::Text || ranges(column),
                    before: Vec::new(),
                    after: counts(column),
                });
                if valued && (column.dictionary.kind().is_numeric() || ranges(column)) {
                    shown.numbers.push(Moments {
                        attribute: published.name.clone(),
                        before: None,
                        after: statistics::figures(column),
                    });
                }
            }
        }
        shown
    }
}

/// Whether every label of a column that is not hidden is a number or a range of them.
fn ranges(column: &denym_data::Column) -> bool {
    let mut labels = column.dictionary.values().filter(|label| *label != "*");
    let known = labels.clone().next().is_some();
    known && labels.all(|label| statistics::span(label).is_some())
}

/// The report; `signed` names no file of the source on it.
pub(crate) fn report(
    certificate: &Certificate,
    book: &Codebook,
    shown: Shown,
    signed: SignOff,
    language: Language,
) -> Report {
    let records = denym_report::count(certificate.data.records);
    let removed = denym_report::count(certificate.suppressed_records);
    let unit = super::unit(certificate.subject.is_some(), language);
    let claims = match certificate.knows {
        Knowledge::Doublets(_) | Knowledge::Items(_) => {
            super::sequences::certified(certificate, language)
        }
        _ => {
            let claims = certificate.claims.iter();
            claims
                .map(|claim| super::claim(claim, &unit, language))
                .collect()
        }
    };
    Report {
        language,
        audience: Audience::Recipient,
        about: match certificate.knows {
            Knowledge::Doublets(_) => About::Paths,
            Knowledge::Items(_) => About::Items,
            Knowledge::Institutions => About::Trails,
            _ => About::Records,
        },
        title: language.say("external.title", &[("file", &certificate.data.file)]),
        outcome: Outcome::Released,
        unit,
        summary: certificate
            .program
            .map(|program| super::about_program(program, language))
            .into_iter()
            .collect(),
        facts: vec![
            Fact {
                name: language.say("external.records", &[]),
                value: records,
                note: String::new(),
            },
            Fact {
                name: language.say("external.removed", &[]),
                value: removed,
                note: language.say("external.removed.note", &[]),
            },
        ],
        claims,
        attacks: certificate
            .attacks
            .iter()
            .map(|attack| Attack {
                name: match &attack.attribute {
                    Some(attribute) => format!("{} ({attribute})", attack.attack),
                    None => attack.attack.clone(),
                },
                knows: knows(&attack.attack, &attack.knows, language),
                rate_after: Some(attack.success_rate),
                ..Attack::default()
            })
            .collect(),
        statistics: Statistics {
            numbers: shown.numbers,
            ..Statistics::default()
        },
        distributions: shown.distributions,
        codebook: book
            .columns
            .iter()
            .map(|column| {
                let shows = codebook::shows(column, language);
                let labels = column.labels.iter().take(MOST_LABELS).map(|label| {
                    let name = label.label.clone().unwrap_or_default();
                    (name, codebook::means(&label.meaning, language))
                });
                Explained {
                    column: column.name.clone(),
                    role: super::role(column.role, language),
                    shows: match &column.description {
                        Some(description) => format!("{description}: {shows}"),
                        None => shows,
                    },
                    labels: labels.collect(),
                    more: column.more || column.labels.len() > MOST_LABELS,
                }
            })
            .collect(),
        provenance: Provenance {
            version: certificate.denym.clone(),
            ..Provenance::default()
        },
        sign_off: Some(SignOff {
            sources: Vec::new(),
            ..signed
        }),
        ..Report::default()
    }
}
