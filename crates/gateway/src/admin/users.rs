//! The users file, changed one line at a time; comments and the order of the others stay.

use super::error::Error;
use super::files;
use crate::scram::{ITERATIONS, Verifier};
use crate::users::Users;
use std::path::{Path, PathBuf};

/// What the file is called in messages.
const WHAT: &str = "the users file";
/// PostgreSQL's longest name; clients cut longer ones off.
const LONGEST_NAME: usize = 63;
/// Characters of the shortest password: whoever copies the users file tries shorter ones in an afternoon.
const SHORTEST_PASSWORD: usize = 8;

/// A users file on disk.
#[derive(Debug, Clone)]
pub struct UsersFile {
    path: PathBuf,
}

impl UsersFile {
    /// The file at a path; it need not be there yet.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    /// The names in the file, in order.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let text = files::need(WHAT, &self.path)?;
        self.check(&text)?;
        let mut names: Vec<String> = text
            .lines()
            .filter_map(name_of)
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Adds a user, or gives one a new password. `salt` is 16 bytes from the operating system's random source. Whether the user is new.
    pub fn add(
        &self,
        name: &str,
        password: &str,
        salt: [u8; 16],
        replace: bool,
    ) -> Result<bool, Error> {
        check_name(name)?;
        check_password(password)?;
        let verifier = Verifier::new(password, &salt, ITERATIONS);
        let lock = files::lock(WHAT, &self.path)?;
        let text = files::read(WHAT, &self.path)?.unwrap_or_default();
        self.check(&text)?;
        let there = text.lines().any(|line| name_of(line) == Some(name));
        if there && !replace {
            return Err(Error::UserExists { name: name.into() });
        }
        let line = format!("{name}:{}", verifier.to_text());
        let mut placed = false;
        let mut lines: Vec<&str> = Vec::new();
        for old in text.lines() {
            if name_of(old) != Some(name) {
                lines.push(old);
            } else if !placed {
                lines.push(&line);
                placed = true;
            }
        }
        if !placed {
            lines.push(&line);
        }
        self.write(&lock, &lines)?;
        Ok(!there)
    }

    /// Removes a user.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let lock = files::lock(WHAT, &self.path)?;
        let text = files::need(WHAT, &self.path)?;
        self.check(&text)?;
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| name_of(line) != Some(name))
            .collect();
        if lines.len() == text.lines().count() {
            return Err(Error::UserUnknown { name: name.into() });
        }
        self.write(&lock, &lines)
    }

    fn write(&self, lock: &files::Lock, lines: &[&str]) -> Result<(), Error> {
        let mut text = lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        files::replace(lock, WHAT, &self.path, &text, true)
    }

    fn check(&self, text: &str) -> Result<(), Error> {
        Users::parse(text)
            .map(|_| ())
            .map_err(|error| Error::Gateway {
                file: self.path.clone(),
                error,
            })
    }
}

/// The name a line is about; `None` for comments and empty lines.
fn name_of(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    line.split_once(':').map(|(name, _)| name)
}

fn check_name(name: &str) -> Result<(), Error> {
    let why = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST_NAME {
        "it is longer than 63 bytes"
    } else if name.trim() != name {
        "it begins or ends with a space"
    } else if name.starts_with('#') {
        "it begins with #, which begins a comment"
    } else if name.contains(':') {
        "it has a colon, which ends the name in the users file"
    } else if name.chars().any(char::is_control) {
        "it has a control character"
    } else {
        return Ok(());
    };
    Err(Error::UserName { why })
}

fn check_password(password: &str) -> Result<(), Error> {
    let why = if password.is_empty() {
        "it is empty"
    } else if password.contains(['\n', '\r', '\0']) {
        "it has more than one line"
    } else if password.chars().count() < SHORTEST_PASSWORD {
        "it has fewer than 8 characters"
    } else {
        return Ok(());
    };
    Err(Error::Password { why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("users");
        let users = UsersFile::new(&path);
        assert!(users.add("ben", "one wren", [1; 16], false).expect("adds"));
        let ben = std::fs::read_to_string(&path).expect("reads");
        std::fs::write(&path, format!("# the office\n{ben}\n# end\n")).expect("writes");
        assert!(
            users
                .add("anna", "two wrens", [2; 16], false)
                .expect("adds")
        );
        let code = |result: Result<bool, Error>| result.map_err(|e| e.code());
        assert_eq!(
            code(users.add("ben", "more wrens", [3; 16], false)),
            Err("user-exists")
        );
        assert_eq!(
            code(users.add("ben", "three wrens", [3; 16], true)),
            Ok(false)
        );
        let text = std::fs::read_to_string(&path).expect("reads");
        let expected = |name: &str, password: &str, salt: u8| {
            format!(
                "{name}:{}",
                Verifier::new(password, &[salt; 16], ITERATIONS).to_text()
            )
        };
        assert_eq!(
            text,
            format!(
                "# the office\n{}\n\n# end\n{}\n",
                expected("ben", "three wrens", 3),
                expected("anna", "two wrens", 2)
            )
        );
        assert_eq!(users.names().expect("reads"), ["anna", "ben"]);
        users.remove("ben").expect("removes");
        assert_eq!(users.names().expect("reads"), ["anna"]);
        assert!(
            std::fs::read_to_string(&path)
                .expect("reads")
                .starts_with("# the office\n\n# end\n")
        );
        for name in ["", "a:b", "#a", " a", "a\nb", &"x".repeat(64)] {
            assert_eq!(
                code(users.add(name, "password", [0; 16], false)),
                Err("user-name")
            );
        }
        for password in ["", "sevenis", "longer\nby a line"] {
            assert_eq!(
                code(users.add("new", password, [0; 16], false)),
                Err("password")
            );
        }
        std::fs::write(&path, "anna:plain text\n").expect("writes");
        assert_eq!(
            code(users.add("new", "password", [0; 16], false)),
            Err("users-line-unreadable")
        );
    }
}
