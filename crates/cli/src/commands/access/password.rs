//! A password that never stands on a command line: from a file, from standard input, or typed without echo.

use std::io::{IsTerminal, Read};
use std::path::Path;

use denym_gateway::admin::Error;

/// Reads the password of a user.
pub(super) fn read(file: Option<&Path>, name: &str) -> Result<String, Error> {
    match file {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| Error::File {
                action: "read",
                what: "the password",
                path: path.to_owned(),
                kind: error.kind(),
            })?;
            Ok(first_line(&text))
        }
        None if std::io::stdin().is_terminal() => prompt(name),
        None => {
            let mut text = String::new();
            let read = std::io::stdin().lock().read_to_string(&mut text);
            read.map_err(|_| Error::Password {
                why: "it is not UTF-8 text",
            })?;
            Ok(first_line(&text))
        }
    }
}

/// Without the line end that editors and `echo` add; further lines stay, and are refused.
fn first_line(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text).to_owned()
}

/// Asks twice, because nobody sees what is typed.
fn prompt(name: &str) -> Result<String, Error> {
    let terminal = ::console::Term::stderr();
    let ask = |question: &str| {
        let typed = terminal
            .write_str(question)
            .and_then(|()| terminal.read_secure_line());
        typed.map_err(|_| Error::Password {
            why: "it cannot be read from the terminal",
        })
    };
    let first = ask(&format!("password of {}: ", crate::plain::one_line(name)))?;
    let second = ask("once more: ")?;
    if first == second {
        Ok(first)
    } else {
        Err(Error::Password {
            why: "it was typed in two ways",
        })
    }
}
