//! Errors as people and programs read them.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use denym::{Error, Mistake};
use serde_json::json;

use crate::console::Console;
use crate::crash;
use crate::plain::{one_line, plain};

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
        let _ = writeln!(
            std::io::stdout().lock(),
            "{}",
            crate::plain::json(&document)
        );
    }
    // What was typed is part of the message.
    if error.use_stderr() {
        let text = error.render().to_string();
        let _ = write!(std::io::stderr().lock(), "{}", colored(&plain(&text)));
    } else {
        let _ = error.print();
    }
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
        console.document(&denym::documents::error(error));
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
    } else if error.exit_code() == 3 {
        text = crash::line(&error.to_string());
    } else {
        text = three_lines(
            &error.to_string(),
            error.location().as_deref(),
            &error.help(),
        );
    }
    if let Some(cell) = denym::offending::take() {
        text.push_str(&format!("  cell: {}\n", one_line(&cell)));
    }
    show(&text);
    ExitCode::from(error.exit_code())
}

/// Prints an error of the access commands, all its parts, and gives the exit code it means.
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
            one_line(&part.message),
            one_line(&part.location),
            part.excerpt,
            one_line(&part.help)
        ));
    }
    if parts.is_empty() {
        text = three_lines(
            &error.to_string(),
            error.location().as_deref(),
            &error.help(),
        );
    }
    show(&text);
    ExitCode::from(if error.is_refusal() { 1 } else { 2 })
}

/// One of several mistakes.
struct Part {
    code: &'static str,
    message: String,
    location: String,
    excerpt: String,
    help: String,
}

fn access_parts(error: &denym_gateway::admin::Error) -> Vec<Part> {
    use denym_gateway::admin;
    match error {
        admin::Error::Policy {
            file,
            text,
            mistakes,
        } => {
            let part = |mistake: &Mistake| {
                let line = mistake.shown_line(text);
                let number = mistake.line(text).to_string();
                let gutter = " ".repeat(number.len());
                let place = format!("{gutter} | in `{}`\n", one_line(&mistake.path));
                Part {
                    code: mistake.code,
                    message: mistake.message.clone(),
                    location: format!("{}:{number}", file.display()),
                    excerpt: line.map_or_else(String::new, |line| {
                        format!("{gutter} |\n{number} | {}\n{place}", one_line(line))
                    }),
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

/// What, where and what to do, a line each; what they quote of names stays on its line.
pub(crate) fn three_lines(what: &str, location: Option<&str>, help: &str) -> String {
    let location = location.map(|place| format!("  --> {}\n", one_line(place)));
    format!(
        "error: {}\n{}  help: {}\n",
        one_line(what),
        location.unwrap_or_default(),
        one_line(help)
    )
}

/// Prints a finished text on standard error: nothing in it but line ends and our own colors moves a terminal.
pub(crate) fn show(text: &str) {
    let _ = write!(std::io::stderr().lock(), "{}", colored(&plain(text)));
}

/// One mistake with the line it is on.
fn excerpt(file: &str, source: &str, mistake: &Mistake) -> String {
    let number = mistake.line(source);
    if mistake.shown_line(source).is_none() {
        let place = format!("{file}:{number}");
        return three_lines(&mistake.message, Some(&place), &mistake.help);
    }
    let file = one_line(file);
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
        one_line(&mistake.message),
        column + 1,
        " ".repeat(column),
        "^".repeat(width),
        one_line(&mistake.help),
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
