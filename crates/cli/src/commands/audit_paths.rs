//! `denym audit` of paths: groups of up to L doublets against K and C.

use std::path::PathBuf;
use std::process::ExitCode;

use denym::{Error, PathAuditRequest, SequenceAudit};
use serde_json::json;

use super::audit::{AuditArgs, bound, read_options};
use super::claims::number;
use crate::console::Console;

/// Measures paths.
pub(crate) fn run(args: &AuditArgs, console: &Console) -> Result<ExitCode, Error> {
    let mut confidence = Vec::new();
    for text in &args.confidence {
        // ATTRIBUTE=VALUE:BOUND or ATTRIBUTE:BOUND; values may hold colons, bounds do not.
        let parts = text.rsplit_once(':').map(|(what, limit)| {
            let (attribute, value) = match what.split_once('=') {
                Some((attribute, value)) => (attribute, Some(value.to_owned())),
                None => (what, None),
            };
            (attribute.to_owned(), value, limit)
        });
        let Some((attribute, value, limit)) = parts else {
            return Err(Error::Argument {
                what: format!("`{text}` is no bound of confidence"),
                help: "write ATTRIBUTE=VALUE:BOUND, such as status=On-welfare:0.5".into(),
            });
        };
        confidence.push((attribute, value, bound(limit)?));
    }
    let mut places = Vec::new();
    for text in &args.sensitive_place {
        let Some((place, limit)) = text.rsplit_once(':') else {
            return Err(Error::Argument {
                what: format!("`{text}` is no bound on a place"),
                help: "write PLACE:BOUND, such as Clinic:0.2".into(),
            });
        };
        places.push((place.to_owned(), bound(limit)?));
    }
    let request = PathAuditRequest {
        data: PathBuf::from(&args.data),
        read: read_options(&args.read)?,
        path: args.path.clone(),
        subject: args.subject.clone(),
        location: args.location.clone(),
        time: args.time.clone(),
        keep_repeats: args.keep_repeats,
        several_places: args.several_places,
        quasi: args.quasi.clone(),
        doublets: args.doublets.unwrap_or(2),
        k: args.k.unwrap_or(2),
        confidence,
        places,
        threads: console.threads,
    };
    let found = denym::audit_paths(&request, console)?;
    console.clear();
    console.document(&json!({
        "records": found.records,
        "doublets": found.doublets,
        "violations": found.violations,
        "violations_by_length": found.violations_by_length,
        "critical_violations": found.critical_violations,
        "critical_violations_by_length": found.critical_violations_by_length,
        "lkc": {
            "smallest_group": found.smallest_group,
            "largest_confidence": found.largest_confidence.to_f64(),
        },
        "exposed_records": found.exposed_records,
        "holds": found.holds,
        "asked": {"doublets": request.doublets, "k": request.k},
    }));
    print(&found, &request, console);
    Ok(ExitCode::SUCCESS)
}

fn print(found: &SequenceAudit, request: &PathAuditRequest, console: &Console) {
    let share = |part: u64| number(part as f64 * 100.0 / found.records.max(1) as f64);
    console.say(format!(
        "records    {} with {} doublets",
        found.records, found.doublets
    ));
    console.say(format!(
        "knowing    up to {} doublets: the smallest group has {} records (k = {} asked)",
        request.doublets, found.smallest_group, request.k
    ));
    if !request.confidence.is_empty() || !request.places.is_empty() {
        console.say(format!(
            "confidence at most {} %",
            number(found.largest_confidence.to_f64() * 100.0)
        ));
    }
    let by_length: Vec<String> = found
        .critical_violations_by_length
        .iter()
        .enumerate()
        .map(|(at, count)| format!("{count} of length {}", at + 1))
        .collect();
    console.say(format!(
        "violations {}, of which {} critical ({})",
        found.violations,
        found.critical_violations,
        by_length.join(", ")
    ));
    console.say(format!(
        "exposed    {} records ({} %)",
        found.exposed_records,
        share(found.exposed_records)
    ));
}
