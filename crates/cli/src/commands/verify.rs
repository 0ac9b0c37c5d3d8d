//! `denym verify`: a release, or the windows of a stream, checked from the public half.

mod windows;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use denym::{Verdict, Verification, Verified, VerifiedRelease, documents};
use serde_json::json;

use super::claims::number;
use crate::console::Console;

/// What no verdict exits with: the windows are not here.
const NO_VERDICT: u8 = 2;

/// Arguments of `verify`.
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A bundle, its `release` half, or the directory of a stream
    pub(crate) bundle: PathBuf,
    /// The publisher's public key: the certificate must be signed by its holder
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
}

/// Measures again what can be measured, and says what rests on whose word.
pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode, denym::Error> {
    let found = denym::verify(&args.bundle, console.threads)?;
    let signed = match &args.key {
        Some(key) => Some(denym::is_signed(&args.bundle, &denym::public_key(key)?)?),
        None => None,
    };
    let mut document = documents::verification(&found);
    let mut lines = match &found {
        Verification::Release(own) => lines(own),
        Verification::Windows(own) => windows::lines(own),
    };
    let unjudged = found.unjudged();
    if !unjudged.is_empty() {
        lines.push(format!(
            "not judged by any promise: {}",
            unjudged.join(", ")
        ));
    }
    let others = found.release().map_or(&[][..], |own| &own.other_files);
    if !others.is_empty() {
        lines.push(format!("not in the certificate: {}", others.join(", ")));
    }
    if let Some(signed) = signed {
        document["signed"] = json!(signed);
    }
    let verdict = match signed {
        Some(false) => {
            lines.push(
                "WRONG      the certificate is not signed by the holder of this key".to_owned(),
            );
            document["holds"] = json!(false);
            document["verdict"] = json!(Verdict::Failed.name());
            Some(Verdict::Failed)
        }
        _ => found.verdict(),
    };
    lines.push(verdict_line(verdict).to_owned());
    let halves = [args.bundle.clone(), args.bundle.join("release")];
    let has_signature = halves
        .iter()
        .any(|half| half.join("certificate.sig").is_file());
    lines.push(measured_again(&found, signed, has_signature));
    console.document(&document);
    for line in lines {
        console.say(plain(&line));
    }
    Ok(match verdict {
        Some(Verdict::Failed) => Console::refused(),
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(NO_VERDICT),
    })
}

/// What was found, a line each.
fn lines(found: &VerifiedRelease) -> Vec<String> {
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
    match found.codebook_intact {
        Some(true) => {
            lines.push("codebook   intact: it says what columns and labels mean".to_owned());
        }
        Some(false) => lines.push("codebook   CHANGED or missing".to_owned()),
        None => {}
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
    if let Some(over) = &found.releases {
        for claim in &over.claims {
            let about = claim.attribute.as_ref();
            let about = about.map(|name| format!(" of {name}")).unwrap_or_default();
            lines.push(format!(
                "attested   {}{about} over {}: asked {}, stated {}; who is in them, only the publisher knows",
                claim.promise,
                super::claims::counted(over.covered, "release"),
                number(claim.asked),
                number(claim.measured)
            ));
        }
    }
    lines.extend(
        found
            .problems
            .iter()
            .map(|what| format!("WRONG      {what}")),
    );
    lines
}

fn verdict_line(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "verdict    none: the windows are not here, so nothing could be measured",
        Some(Verdict::Verified) => {
            "verdict    verified: every claim was measured again and holds, and every column is judged"
        }
        Some(Verdict::InPart) => {
            "verdict    verified in part: what could be measured again holds, for the columns that were judged"
        }
        Some(Verdict::Attested) => {
            "verdict    attested, not verified: nothing could be measured again, and nothing contradicts the publisher"
        }
        Some(Verdict::Failed) => "verdict    NOT verified",
    }
}

/// The last line: what was measured, whose word the rest is, and who signed.
fn measured_again(found: &Verification, signed: Option<bool>, has_signature: bool) -> String {
    let (again, attested) = (found.measured_again(), found.attested());
    let rest = if attested > 0 {
        " the rest rests on the publisher's word;"
    } else {
        ""
    };
    let all = again + attested;
    let signed = match signed {
        Some(true) => "signed by the holder of the key",
        Some(false) => "NOT signed by the holder of the key",
        None if has_signature => "signed, and by whom was not asked (`--key`)",
        None => "not signed",
    };
    format!("measured again: {again} of {all} claims;{rest} {signed}")
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
