//! `denym findings`: what guards against a steward's own mistakes look for; and how every command shows what they found.

use std::process::ExitCode;

use denym::{FINDINGS, Finding, Severity};

use super::catalogue::CatalogueArgs;
use crate::console::Console;

/// Lists the findings.
pub(crate) fn run(args: &CatalogueArgs, console: &Console) -> ExitCode {
    let when = |before: bool| if before { "before" } else { "after" };
    if args.markdown {
        console.print("| finding | severity | what it says | what to do | when it is silent | found |\n|---|---|---|---|---|---|");
        for entry in FINDINGS.iter() {
            console.print(&format!(
                "| `{}` | {} | {} | {} | {} | {} the search |",
                entry.name,
                entry.severity.name(),
                entry.summary,
                entry.advice,
                entry.limits,
                when(entry.is_before())
            ));
        }
        return ExitCode::SUCCESS;
    }
    console.document(&denym::documents::all_findings());
    for entry in FINDINGS.iter() {
        console.say(format!("{:28} {}", entry.name, entry.severity.name()));
        console.say(format!("    {}", entry.summary));
        console.say(format!("    help: {}", entry.advice));
        console.say(format!("    but: {}", entry.limits));
    }
    ExitCode::SUCCESS
}

/// Prints findings on standard error; notes of one name share a line.
pub(crate) fn show(findings: &[Finding], console: &Console) {
    for found in findings.iter().filter(|one| one.severity > Severity::Note) {
        let (word, title) = (found.severity.name(), found.title());
        let end = match &found.accepted {
            Some(reason) => format!("accepted: {reason}"),
            None => format!("help: {}", found.help),
        };
        console.note(&format!("{word}: {title}: {}", found.reason));
        console.note(&format!("  {end}"));
    }
    let notes = |name: &str| {
        let name = name.to_owned();
        let all = findings.iter();
        all.filter(move |one| one.severity == Severity::Note && one.finding == name)
    };
    for entry in FINDINGS.iter() {
        let columns: Vec<String> = notes(entry.name)
            .filter_map(|one| Some(format!("`{}`", one.column.as_ref()?)))
            .collect();
        match (notes(entry.name).next(), columns.as_slice()) {
            (None, _) => {}
            (Some(one), [] | [_]) => {
                console.note(&format!("note: {}: {}", one.title(), one.reason));
            }
            (Some(_), _) => {
                let columns = columns.join(", ");
                console.note(&format!(
                    "note: {} in {columns}: {}",
                    entry.name, entry.summary
                ));
            }
        }
    }
}
