//! Errors as people and programs read them.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use denym::{Error, Mistake};
use serde_json::json;

use crate::console::Console;

/// Prints a mistake on the command line; help and version are no mistakes.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.to_string();
        let message = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        let document = json!({"error": {
            "code": "usage",
            "message": message,
            "location": null,
            "help": "see `denym --help`, or `denym COMMAND --help`",
        }});
        let _ = writeln!(std::io::stdout().lock(), "{document:#}");
    }
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    }
}

/// Prints `error` and gives the exit code it means.
pub(crate) fn error(error: &Error, console: &Console) -> ExitCode {
    console.clear();
    if console.json {
        console.document(&document(error));
    }
    let mut text = String::new();
    if let Error::Policy {
        file,
        text: source,
        mistakes,
    } = error
    {
        for mistake in mistakes {
            text.push_str(&excerpt(&file.display().to_string(), source, mistake));
            text.push('\n');
        }
    } else {
        text.push_str(&format!("error: {error}\n"));
        if let Some(location) = error.location() {
            text.push_str(&format!("  --> {location}\n"));
        }
        text.push_str(&format!("  help: {}\n", error.help()));
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{}", colored(&text));
    ExitCode::from(error.exit_code())
}

/// The error as `{"error": {code, message, location, help}}`; a policy's further mistakes under `mistakes`.
fn document(error: &Error) -> serde_json::Value {
    let mut document = json!({"error": {
        "code": error.code(),
        "message": error.to_string(),
        "location": error.location(),
        "help": error.help(),
    }});
    if let Error::Policy {
        file,
        text,
        mistakes,
    } = error
    {
        let list = mistakes.iter().map(|mistake| {
            json!({
                "code": mistake.code,
                "message": mistake.message,
                "location": format!("{}:{}", file.display(), mistake.line(text)),
                "help": mistake.help,
            })
        });
        document["error"]["mistakes"] = list.collect();
    }
    document
}

/// Prints an error of the access commands, all its parts, and gives the exit code it means.
#[cfg(feature = "gateway")]
pub(crate) fn access(error: &denym_gateway::admin::Error, console: &Console) -> ExitCode {
    console.clear();
    let parts = access_parts(error);
    let mut document = json!({"error": {
        "code": error.code(),
        "message": error.to_string(),
        "location": error.location(),
        "help": error.help(),
    }});
    if !parts.is_empty() {
        let list = parts.iter().map(|part| {
            json!({
                "code": part.code,
                "message": part.message,
                "location": part.location,
                "help": part.help,
            })
        });
        document["error"]["mistakes"] = list.collect();
    }
    if error.is_refusal() {
        document["holds"] = false.into();
    }
    console.document(&document);
    let mut text = String::new();
    for part in &parts {
        text.push_str(&format!(
            "error: {}\n --> {}\n{}  help: {}\n\n",
            part.message, part.location, part.excerpt, part.help
        ));
    }
    if parts.is_empty() {
        text.push_str(&format!("error: {error}\n"));
        if let Some(location) = error.location() {
            text.push_str(&format!("  --> {location}\n"));
        }
        text.push_str(&format!("  help: {}\n", error.help()));
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{}", colored(&text));
    ExitCode::from(if error.is_refusal() { 1 } else { 2 })
}

/// One of several mistakes.
#[cfg(feature = "gateway")]
struct Part {
    code: &'static str,
    message: String,
    location: String,
    excerpt: String,
    help: String,
}

#[cfg(feature = "gateway")]
fn access_parts(error: &denym_gateway::admin::Error) -> Vec<Part> {
    use denym_gateway::{admin, purpose};
    match error {
        admin::Error::Policy {
            file,
            text,
            error: purpose::Error::Policy { mistakes },
        } => {
            let part = |mistake: &purpose::Mistake| {
                let line = text.lines().nth(mistake.line.saturating_sub(1));
                let number = mistake.line.to_string();
                let gutter = " ".repeat(number.len());
                Part {
                    code: mistake.code,
                    message: mistake.message.clone(),
                    location: format!("{}:{number}", file.display()),
                    excerpt: format!(
                        "{gutter} |\n{number} | {}\n{gutter} | in `{}`\n",
                        line.unwrap_or_default(),
                        mistake.path
                    ),
                    help: mistake.help.clone(),
                }
            };
            mistakes.iter().map(part).collect()
        }
        admin::Error::Import { path, faults } => {
            let part = |fault: &admin::Fault| Part {
                code: fault.code,
                message: fault.message.clone(),
                location: format!("{}: record {}", path.display(), fault.place),
                excerpt: String::new(),
                help: fault.help.clone(),
            };
            faults.iter().map(part).collect()
        }
        _ => Vec::new(),
    }
}

/// One mistake with the line it is on.
fn excerpt(file: &str, source: &str, mistake: &Mistake) -> String {
    let number = mistake.line(source);
    let start = mistake.span.start.min(source.len());
    let line_start = source[..start]
        .rfind('\n')
        .map_or(0, |position| position + 1);
    let line = source[line_start..].lines().next().unwrap_or_default();
    let column = source[line_start..start].chars().count();
    let end = mistake
        .span
        .end
        .clamp(start, line_start + line.len().max(start - line_start));
    let width = source
        .get(start..end)
        .map_or(1, |text| text.chars().count())
        .max(1);
    let gutter = " ".repeat(number.to_string().len());
    format!(
        "error: {}\n{gutter} --> {file}:{number}:{}\n{gutter} |\n{number} | {line}\n{gutter} | {}{}\n{gutter} = help: {}\n",
        mistake.message,
        column + 1,
        " ".repeat(column),
        "^".repeat(width),
        mistake.help,
    )
}

/// The words `error:` and `help:` in color, on a terminal that wants it.
fn colored(text: &str) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain || !std::io::stderr().is_terminal() {
        return text.to_owned();
    }
    text.replace("error:", "\u{1b}[1;31merror:\u{1b}[0m")
        .replace("help:", "\u{1b}[1;36mhelp:\u{1b}[0m")
}
