//! `denym verify`: a release, or the windows of a stream, checked from the public half.

mod stream;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use denym::{Check, Verdict, Verification, Verified};
use serde_json::{Value, json};

use super::claims::number;
use crate::console::Console;

/// Arguments of `verify`.
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A bundle, its `release` half, or the directory of a stream
    pub(crate) bundle: PathBuf,
}

/// Measures again what can be measured, and says what rests on whose word.
pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode, denym::Error> {
    if denym::is_stream(&args.bundle) {
        let found = denym::verify_stream(&args.bundle)?;
        return Ok(stream::tell(&found, console));
    }
    let found = denym::verify(&args.bundle, console.threads)?;
    console.document(&document(&found));
    for line in lines(&found) {
        console.say(plain(&line));
    }
    Ok(match found.verdict() {
        Verdict::Failed => Console::refused(),
        _ => ExitCode::SUCCESS,
    })
}

fn document(found: &Verification) -> Value {
    let columns: Vec<Value> = found
        .files
        .iter()
        .flat_map(|file| file.columns.iter().map(move |column| (file, column)))
        .map(|(file, column)| {
            json!({
                "file": file.file,
                "name": column.name,
                "role": column.role,
                "judged": column.judged,
            })
        })
        .collect();
    json!({
        "holds": found.holds(),
        "verdict": found.verdict().name(),
        "data_intact": found.data_intact,
        "claims": found.claims.iter().map(claim_document).collect::<Vec<_>>(),
        "measured_again": found.measured_again(),
        "attested": found.attested(),
        "signed": false,
        "knows": found.knows,
        "counts": found.counts,
        "columns": columns,
        "unjudged_columns": found.unjudged(),
        "suppressed_records": found.suppressed_records,
        "problems": found.problems,
        "other_files": found.other_files,
    })
}

fn claim_document(claim: &Verified) -> Value {
    json!({
        "promise": claim.promise,
        "attribute": claim.attribute,
        "quasi_identifiers": claim.quasi_identifiers,
        "columns": claim.columns,
        "asked": claim.asked,
        "stated": claim.stated,
        "measured": claim.measured,
        "counted": claim.counted,
        "holds": claim.holds,
        "violating_records": claim.violating_records,
        "check": match claim.basis.check() { Check::Recheckable => "recheckable", Check::Attested => "attested" },
        "rests_on": claim.basis.word().map(denym::Word::name),
        "problem": claim.problem,
        "note": claim.note,
    })
}

/// What was found, a line each.
fn lines(found: &Verification) -> Vec<String> {
    let mut lines = vec![if found.data_intact {
        "data       intact: byte for byte what the certificate speaks of".to_owned()
    } else {
        "data       CHANGED: not what the certificate speaks of".to_owned()
    }];
    for file in &found.files {
        let columns = file.columns.iter();
        let columns = columns.map(|column| format!("{} ({})", column.name, column.role.name()));
        let columns: Vec<String> = columns.collect();
        lines.push(format!("columns    {}: {}", file.file, columns.join(", ")));
    }
    lines.push(format!("knows      {}", found.knows));
    lines.push(format!("counts     {}", found.counts));
    if found.suppressed_records > 0 {
        lines.push(format!(
            "removed    {} records, as the publisher says",
            found.suppressed_records
        ));
    }
    lines.extend(found.claims.iter().map(claim_line));
    lines.extend(
        found
            .problems
            .iter()
            .map(|what| format!("WRONG      {what}")),
    );
    let (unjudged, others) = (found.unjudged(), &found.other_files);
    if !unjudged.is_empty() {
        lines.push(format!(
            "not judged by any promise: {}",
            unjudged.join(", ")
        ));
    }
    if !others.is_empty() {
        lines.push(format!("not in the certificate: {}", others.join(", ")));
    }
    lines.push(verdict_line(found.verdict()).to_owned());
    let (again, all) = (found.measured_again(), found.claims.len());
    lines.push(measured_again(again, all));
    lines
}

fn verdict_line(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => {
            "verdict    verified: every claim was measured again and holds, and every column is judged"
        }
        Verdict::InPart => {
            "verdict    verified in part: what could be measured again holds, for the columns that were judged"
        }
        Verdict::Attested => {
            "verdict    attested, not verified: nothing could be measured again, and nothing contradicts the publisher"
        }
        Verdict::Failed => "verdict    NOT verified",
    }
}

/// The last line: what was measured, whose word the rest is, and who signed.
fn measured_again(again: usize, all: usize) -> String {
    let rest = if again < all {
        " the rest rests on the publisher's word;"
    } else {
        ""
    };
    format!("measured again: {again} of {all} claims;{rest} not signed")
}

fn claim_line(claim: &Verified) -> String {
    let verdict = match claim.holds {
        Some(true) => "holds",
        Some(false) => "FAILS",
        None => "attested",
    };
    let about = claim.attribute.as_ref();
    let about = about.map(|name| format!(" of {name}")).unwrap_or_default();
    let mut line = format!(
        "{verdict:10} {}{about} on {}: asked {}",
        claim.promise,
        claim.columns.join(", "),
        number(claim.asked)
    );
    if let Some(note) = &claim.note {
        line += &format!(" ({note})");
    }
    line += &format!(", stated {}", number(claim.stated));
    match (claim.measured, claim.counted) {
        (Some(value), _) => line += &format!(", measured {}", number(value)),
        (None, Some(value)) => {
            line += &format!(", counted {} with the publisher's help", number(value));
        }
        (None, None) => line += ", not measured",
    }
    if let Some(problem) = claim.problem {
        line += &format!("; {problem}");
    }
    if let Some(word) = claim.basis.word() {
        line += &format!("; {}", word.sentence());
    }
    line
}

/// A line of names that others chose, without letters that a terminal would act upon.
fn plain(line: &str) -> String {
    let seen = |letter: char| {
        let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || turns {
            '\u{fffd}'
        } else {
            letter
        }
    };
    line.chars().map(seen).collect()
}
