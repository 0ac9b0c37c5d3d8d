//! `denym verify`: a release checked from its public half.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use serde_json::json;

use super::claims;
use crate::console::Console;

/// Arguments of `verify`.
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A bundle, or its `release` half
    pub(crate) bundle: PathBuf,
}

/// Measures every claim again.
pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode, denym::Error> {
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
    console.say(if found.holds {
        "verified"
    } else {
        "NOT verified"
    });
    Ok(if found.holds {
        ExitCode::SUCCESS
    } else {
        Console::refused()
    })
}
