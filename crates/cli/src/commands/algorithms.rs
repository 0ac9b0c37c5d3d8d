//! `denym algorithms`: what a policy can name.

use std::process::ExitCode;

use serde_json::json;

use crate::console::Console;

/// Prints the list.
pub(crate) fn run(console: &Console) -> ExitCode {
    let algorithms = denym::catalogue::algorithms();
    console.document(&json!({"algorithms": algorithms.iter().map(|entry| json!({
        "name": entry.name, "data": entry.data, "summary": entry.summary, "reference": entry.reference,
    })).collect::<Vec<_>>()}));
    let width = algorithms
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or(0);
    for entry in &algorithms {
        console.say(format!(
            "{:width$}  {:7}  {}",
            entry.name, entry.data, entry.summary
        ));
        console.say(format!("{:width$}           {}", "", entry.reference));
    }
    ExitCode::SUCCESS
}
