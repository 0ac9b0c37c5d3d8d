//! `denym profile`: what is in a data set, who stands out, and a draft of a policy.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use denym::attack::Shape;
use denym::{Error, Profile, documents};
use serde_json::json;

use super::audit::read_options;
use super::claims::number;
use crate::args::ReadArgs;
use crate::console::Console;

/// Combinations that are printed.
const SHOWN: usize = 10;

/// Letters of a name beyond which other rows are not moved to the right.
const WIDEST: usize = 60;

/// Arguments of `profile`.
#[derive(Args)]
pub(crate) struct ProfileArgs {
    /// File, directory or glob; `-` for standard input
    #[arg(value_parser = crate::stdin::data)]
    pub(crate) data: PathBuf,
    /// Write a policy to this file; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) init: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Profiles the data.
pub(crate) fn run(args: &ProfileArgs, console: &Console) -> Result<ExitCode, Error> {
    let options = read_options(&args.read)?;
    // Somebody may have corrected it by hand.
    if let Some(file) = args.init.as_ref().filter(|file| file.exists()) {
        return Err(Error::Argument {
            what: format!(
                "`{}` exists already, and a policy is never overwritten",
                file.display()
            ),
            help: "give --init another name, or remove the file first".into(),
        });
    }
    if args.init.is_some() && denym::attack::shape_of(&args.data)? == Shape::Windows {
        return Err(Error::Argument {
            what: "windows of a stream are published already, so there is no policy to draft"
                .into(),
            help: "leave out --init, or profile the events that the stream is made of".into(),
        });
    }
    if args.init.is_some() && crate::stdin::is_kept(&args.data) {
        return Err(Error::Argument {
            what: "a policy names the file of its data, and standard input has none".into(),
            help: "save the data to a file and profile that, or leave out --init".into(),
        });
    }
    let (found, reading) = denym::profile_source(&args.data, &options, console.threads, console)?;
    console.clear();
    if let Some(file) = &args.init {
        write_policy(
            file,
            &denym::draft_policy(&found, &relative(&args.data, file), &reading),
        )?;
    }
    let mut document = documents::profile(&found, &reading);
    document["policy"] = json!(args.init);
    if let Some((kind, says)) = denym::looks_like(&found) {
        console.warn(&format!(
            "these look like {kind}, which a policy for a table does not protect: their policy has {says}"
        ));
    }
    console.document(&document);
    for line in reading.in_words() {
        console.say(format!("reading    {line}"));
    }
    print(&found, console);
    if let Some(file) = &args.init {
        console.say(format!(
            "\nwrote {}: correct the roles, then run `denym anonymize {}`",
            file.display(),
            file.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// `data` as seen from the directory of `policy`: as typed when both are in one place, else absolute.
fn relative(data: &Path, policy: &Path) -> String {
    let here = policy
        .parent()
        .is_none_or(|parent| parent.as_os_str().is_empty());
    if here || data.is_absolute() {
        return data.display().to_string();
    }
    match (std::path::absolute(data), policy.parent()) {
        (_, Some(parent)) if data.parent() == Some(parent) => data
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        (Ok(absolute), _) => absolute.display().to_string(),
        (Err(_), _) => data.display().to_string(),
    }
}

fn write_policy(file: &Path, text: &str) -> Result<(), Error> {
    use std::io::Write;
    let failed = |error: std::io::Error| Error::Io {
        action: "write the policy",
        path: file.to_owned(),
        kind: error.kind(),
    };
    let mut target = std::fs::File::options()
        .write(true)
        .create_new(true)
        .open(file)
        .map_err(failed)?;
    target.write_all(text.as_bytes()).map_err(failed)
}

fn print(found: &Profile, console: &Console) {
    console.say(format!(
        "records    {}; {} stand alone on the guessed quasi-identifiers ({} %)",
        found.records,
        found.uniques,
        number(found.uniques as f64 * 100.0 / found.records.max(1) as f64)
    ));
    let width = found
        .columns
        .iter()
        .map(|column| column.name.len())
        .max()
        .unwrap_or(6)
        .clamp(6, WIDEST);
    console.say(format!(
        "{:width$}  {:8} {:>9} {:>8}  {:12}  why",
        "column", "type", "distinct", "missing", "role"
    ));
    for column in &found.columns {
        console.say(format!(
            "{:width$}  {:8} {:>9} {:>8}  {:12}  {}",
            column.name,
            column.kind.name(),
            column.distinct,
            column.missing,
            column.role.name(),
            column
                .left_out
                .map_or_else(|| column.reasons.join("; "), |why| why.reason().to_owned())
        ));
    }
    let combinations = &found.combinations;
    if let Some(sample) = combinations.sample {
        console.say(format!(
            "\nwhat tells people apart best ({} combinations compared on {sample} records, these counted on all)",
            combinations.compared
        ));
    } else if !combinations.best.is_empty() {
        console.say("\nwhat tells people apart best");
    }
    for combination in combinations.best.iter().take(SHOWN) {
        let names: Vec<&str> = combination
            .columns
            .iter()
            .map(|&at| found.columns[at].name.as_str())
            .collect();
        console.say(format!(
            "  {:40} separates {} % of all pairs, {} records stand alone",
            names.join(" + "),
            number(combination.separation * 100.0),
            combination.uniques
        ));
    }
}
