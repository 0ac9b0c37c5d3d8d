//! `denym verify`: a release, or the windows of a stream, checked from the public half.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use denym::StreamVerification;
use serde_json::json;

use super::claims;
use crate::console::Console;

/// Arguments of `verify`.
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A bundle, its `release` half, or the directory of a stream
    pub(crate) bundle: PathBuf,
}

/// Measures every claim again.
pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode, denym::Error> {
    if denym::is_stream(&args.bundle) {
        let found = denym::verify_stream(&args.bundle)?;
        return Ok(stream(&found, console));
    }
    let found = denym::verify(&args.bundle, console.threads)?;
    console.document(&json!({
        "holds": found.holds,
        "data_intact": found.data_intact,
        "claims": claims::document(&found.claims),
    }));
    console.say(if found.data_intact {
        "data       intact: byte for byte what the certificate speaks of"
    } else {
        "data       CHANGED: not what the certificate speaks of"
    });
    for line in claims::lines(&found.claims) {
        console.say(line);
    }
    Ok(verdict(found.holds, console))
}

fn verdict(holds: bool, console: &Console) -> ExitCode {
    console.say(if holds { "verified" } else { "NOT verified" });
    if holds {
        ExitCode::SUCCESS
    } else {
        Console::refused()
    }
}

/// What the walk along a chain found.
fn stream(found: &StreamVerification, console: &Console) -> ExitCode {
    let mut claims = Vec::new();
    if let Some(asked) = &found.claims {
        claims.push(json!({
            "promise": "k-anonymity",
            "asked": asked.k,
            "measured": found.smallest_group,
            "holds": found.smallest_group.is_none_or(|k| k >= asked.k),
        }));
        for bound in &asked.confidence {
            claims.push(json!({
                "promise": "confidence",
                "attribute": bound.attribute,
                "value": bound.value,
                "asked": bound.at_most.to_string(),
                "measured": found.largest_confidence.map(|share| share.to_string()),
                "holds": found.broken.is_none(),
            }));
        }
    }
    console.document(&json!({
        "holds": found.holds,
        "data_intact": found.broken.is_none(),
        "claims": claims,
        "doublets": found.claims.as_ref().map(|claims| claims.l),
        "windows": found.published,
        "withheld": found.withheld,
        "measured_windows": found.measured,
        "last_window": found.last_window,
        "last_line": found.last_line,
        "matching": if found.attested_matching { "attested" } else { "recheckable" },
        "broken": found.broken.as_ref().map(|broken| json!({
            "file": broken.file,
            "line": broken.line,
            "window": broken.window,
            "what": broken.what,
        })),
    }));
    console.say(format!(
        "chain      {} published, {} withheld, last window {}",
        found.published,
        found.withheld,
        found
            .last_window
            .map_or_else(|| "-".to_owned(), |n| n.to_string()),
    ));
    console.say(match found.measured {
        Some(count) => format!("windows    {count} measured again"),
        None => "windows    not here: only the chain was walked".to_owned(),
    });
    if let Some(asked) = &found.claims {
        let group = found.smallest_group;
        let group = group.map_or_else(|| "nobody".to_owned(), |group| group.to_string());
        console.say(format!(
            "groups     {} subjects or more promised for any {} doublets, smallest found {group}",
            asked.k, asked.l
        ));
        if let (Some(share), false) = (found.largest_confidence, asked.confidence.is_empty()) {
            console.say(format!("confidence at most {share} found"));
        }
    }
    if found.attested_matching {
        console
            .say("matching   `consistent` is the publisher's word: it is judged from the source");
    }
    if let Some(last) = &found.last_line {
        console.say(format!(
            "last line  {last}: compare it with the publisher's"
        ));
    }
    if let Some(broken) = &found.broken {
        console.say(format!(
            "BROKEN     {}:{}: {}",
            broken.file.display(),
            broken.line,
            broken.what
        ));
    }
    verdict(found.holds, console)
}
