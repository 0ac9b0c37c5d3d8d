//! `denym audit` of paths and transactions: groups of up to so many doublets or items against k and bounds on what is sensitive.

use std::path::PathBuf;
use std::process::ExitCode;

use denym::{Elements, Error, Fraction, SequenceAudit, SequenceAuditRequest, documents};

use super::audit::{AuditArgs, bound, read_options};
use super::claims::{counted, percent};
use crate::console::Console;

/// Measures paths or transactions.
pub(crate) fn run(
    args: &AuditArgs,
    elements: Elements,
    console: &Console,
) -> Result<ExitCode, Error> {
    let mut request = SequenceAuditRequest {
        elements,
        data: PathBuf::from(&args.data),
        read: read_options(&args.read)?,
        subject: args.subject.clone(),
        k: args.k.unwrap_or(2),
        threads: console.threads,
        ..SequenceAuditRequest::default()
    };
    match elements {
        Elements::Doublets => {
            request.cell.clone_from(&args.path);
            request.location.clone_from(&args.location);
            request.time.clone_from(&args.time);
            request.keep_repeats = args.keep_repeats;
            request.several_places = args.several_places;
            request.quasi.clone_from(&args.quasi);
            request.known = args.doublets.unwrap_or(2);
            request.confidence = confidence(&args.confidence)?;
            request.within = bounds(&args.sensitive_place, &PLACE)?;
        }
        Elements::Items => {
            request.cell.clone_from(&args.items_column);
            request.location.clone_from(&args.item);
            request.separator = args.separator;
            request.known = args.items.unwrap_or(2);
            request.within = sensitive_items(&args.sensitive_item)?;
        }
    }
    let found = denym::audit_sequences(&request, console)?;
    console.clear();
    console.document(&documents::audit_sequences(&found, &request));
    print(&found, &request, console);
    Ok(ExitCode::SUCCESS)
}

fn print(found: &SequenceAudit, request: &SequenceAuditRequest, console: &Console) {
    let (instances, known, length) = match request.elements {
        Elements::Doublets => ("doublets", "doublets", "length"),
        Elements::Items => ("public items", "items", "size"),
    };
    console.say(format!(
        "records    {} with {} {instances}",
        found.records, found.doublets
    ));
    console.say(format!(
        "knowing    up to {} {known}: the smallest group has {} (k = {} asked)",
        request.known,
        counted(found.smallest_group, "record"),
        request.k
    ));
    if !request.confidence.is_empty() || !request.within.is_empty() {
        console.say(format!(
            "confidence at most {}",
            percent(found.largest_confidence.to_f64())
        ));
    }
    let by_length: Vec<String> = (1..)
        .zip(&found.critical_violations_by_length)
        .map(|(at, count)| format!("{count} of {length} {at}"))
        .collect();
    console.say(format!(
        "violations {}, of which {} critical ({})",
        found.violations,
        found.critical_violations,
        by_length.join(", ")
    ));
    console.say(format!(
        "exposed    {} ({})",
        counted(found.exposed_records, "record"),
        percent(found.exposed_records as f64 / found.records.max(1) as f64)
    ));
}

/// Sensitive values with their bounds: `ATTRIBUTE=VALUE:BOUND` or `ATTRIBUTE:BOUND`; values may hold colons, bounds do not.
fn confidence(texts: &[String]) -> Result<Vec<(String, Option<String>, Fraction)>, Error> {
    let one = |text: &String| {
        let Some((what, limit)) = text.rsplit_once(':') else {
            return Err(Error::Argument {
                what: format!("`{text}` is no bound of confidence"),
                help: "write ATTRIBUTE=VALUE:BOUND, such as status=On-welfare:0.5".into(),
            });
        };
        let (attribute, value) = match what.split_once('=') {
            Some((attribute, value)) => (attribute, Some(value.to_owned())),
            None => (what, None),
        };
        Ok((attribute.to_owned(), value, bound(limit)?))
    };
    texts.iter().map(one).collect()
}

/// Sensitive items with their bounds, as flags say them.
pub(crate) fn sensitive_items(texts: &[String]) -> Result<Vec<(String, Fraction)>, Error> {
    bounds(texts, &ITEM)
}

/// What a bound is on, and how it is written.
const PLACE: [&str; 2] = ["a place", "PLACE:BOUND, such as Clinic:0.2"];
const ITEM: [&str; 2] = ["an item", "ITEM:BOUND, such as 'pregnancy test:0.4'"];

fn bounds(texts: &[String], [what, form]: &[&str; 2]) -> Result<Vec<(String, Fraction)>, Error> {
    let one = |text: &String| {
        let Some((name, limit)) = text.rsplit_once(':') else {
            return Err(Error::Argument {
                what: format!("`{text}` is no bound on {what}"),
                help: format!("write {form}"),
            });
        };
        Ok((name.to_owned(), bound(limit)?))
    };
    texts.iter().map(one).collect()
}
