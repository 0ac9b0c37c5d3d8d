//! What looking for people in paths or transactions found, as lines.

use denym::attack::{CATALOGUE, Finding, NotRun, SequencesFound, Shape};
use denym::documents;

use super::super::claims::number;
use crate::console::Console;

/// Lines for people; of the attacks that were not run only those on this kind of data.
fn print(found: &SequencesFound, unit: &str, shape: Shape, victims: bool, console: &Console) {
    console.say(format!(
        "records    {}; {} people looked for with {} {unit}",
        found.records, found.people, found.known
    ));
    if !found.aligned {
        console.say(
            "note       it is not known which record is whose: every record that fits counts as right",
        );
    }
    if let Some(promised) = found.promised {
        console.say(format!(
            "promised   a chance of at most {} % of picking the right record",
            number(promised * 100.0)
        ));
    }
    let mut knows = "";
    for finding in &found.team.findings {
        if finding.knows != knows {
            knows = &finding.knows;
            console.say(format!("knows      {knows}"));
        }
        console.say(chance_line(finding));
        if victims {
            for worst in &finding.worst {
                console.say(format!("victim     {worst}"));
            }
        }
    }
    print_not_run(&found.team.not_run, shape, console);
}

/// The attacks on this kind of data that were not run.
pub(super) fn print_not_run(not_run: &[NotRun], shape: Shape, console: &Console) {
    let of_this = |name: &str| {
        let mut entries = CATALOGUE.iter();
        entries.any(|entry| entry.name == name && entry.shape == shape)
    };
    for left in not_run.iter().filter(|left| of_this(left.attack)) {
        console.say(format!("not run    {}: {}", left.attack, left.why));
    }
}

/// The document and the lines.
pub(super) fn show(
    found: &SequencesFound,
    unit: &str,
    shape: Shape,
    victims: bool,
    console: &Console,
) {
    console.clear();
    console.document(&documents::attacked_sequences(found, unit, victims));
    print(found, unit, shape, victims, console);
}

/// The mean chance, before and after, and how many fall for certain.
fn chance_line(finding: &Finding) -> String {
    let about = finding.attribute.as_ref();
    let about = about.map(|name| format!(" on {name}")).unwrap_or_default();
    if finding.after.attempts == 0 {
        return format!(
            "{:36} not tried: there was nobody to try it on",
            format!("{}{about}", finding.attack)
        );
    }
    let before = finding.before.as_ref();
    let before = before.map_or_else(
        || "n/a".to_owned(),
        |before| format!("{} %", number(before.rate * 100.0)),
    );
    let after = &finding.after;
    let sure = if after.interval.0 < after.interval.1 {
        format!(
            " (sampled; 95 %: {} to {} %)",
            number(after.interval.0 * 100.0),
            number(after.interval.1 * 100.0)
        )
    } else {
        String::new()
    };
    format!(
        "{:36} before {before}, after {} %{sure}; {} of {} for certain",
        format!("{}{about}", finding.attack),
        number(after.rate * 100.0),
        after.successes,
        after.attempts
    )
}
