//! Passwords of the logins to a PostgreSQL server, in a file as libpq's `.pgpass`: never in an argument, never readable by others.

use crate::error::Error;
use std::path::Path;

/// Lines of a password file.
#[derive(Clone, Default)]
pub(crate) struct Passwords {
    entries: Vec<[String; 5]>,
}

impl Passwords {
    /// Reads a file that is its owner's alone.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let unreadable = |error: std::io::Error| Error::Passwords {
            what: format!("the file cannot be read: {}", error.kind()),
            help: "check the path and who may read it",
        };
        let meta = std::fs::metadata(path).map_err(unreadable)?;
        if is_open_to_others(&meta) {
            return Err(Error::Passwords {
                what: "others can read or write the file".into(),
                help: "make it its owner's alone: chmod 600",
            });
        }
        Self::parse(&std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Reads `host:port:database:user:password`, where `*` stands for any and `\` for the next character itself.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let mut entries = Vec::new();
        for (place, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let fields: Result<[String; 5], _> = fields(line).try_into();
            let Ok(fields) = fields else {
                return Err(Error::Passwords {
                    what: format!(
                        "line {} is not `host:port:database:user:password`",
                        place + 1
                    ),
                    help: "write `*:*:*:LOGIN:PASSWORD`, with a backslash before `:` and `\\`",
                });
            };
            entries.push(fields);
        }
        Ok(Self { entries })
    }

    /// The password of a login; the first line that fits counts.
    pub(crate) fn of(&self, database: Option<&str>, login: &str) -> Option<&str> {
        self.entries
            .iter()
            .find(|[_, _, base, user, _]| {
                (base == "*" || Some(base.as_str()) == database) && (user == "*" || user == login)
            })
            .map(|[_, _, _, _, password]| password.as_str())
    }
}

/// A line's fields; of the last one everything, colons included.
fn fields(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let is_last = out.len() == 5;
        let next = match character {
            '\\' => characters.next(),
            ':' if !is_last => {
                out.push(String::new());
                continue;
            }
            other => Some(other),
        };
        if let (Some(field), Some(next)) = (out.last_mut(), next) {
            field.push(next);
        }
    }
    out
}

#[cfg(unix)]
pub(crate) fn is_open_to_others(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.is_file() && meta.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fitting_line_counts_and_escapes_are_read() {
        let text =
            "# logins\n\n*:*:crm:denym_a:one\n*:*:*:denym_a:t\\:w\\\\o:x\nhost:5432:*:*:any\n";
        let passwords = Passwords::parse(text).expect("five fields");
        assert_eq!(passwords.of(Some("crm"), "denym_a"), Some("one"));
        assert_eq!(passwords.of(Some("other"), "denym_a"), Some("t:w\\o:x"));
        assert_eq!(passwords.of(None, "denym_b"), Some("any"));
        let error = Passwords::parse("*:*:*:denym_a\n")
            .map(|_| ())
            .expect_err("four fields");
        assert_eq!(error.code(), "passwords-unusable");
        assert!(!error.to_string().contains("denym_a"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("passwords");
        std::fs::write(&path, "*:*:*:denym_a:x\n").expect("writes");
        for (mode, refused) in [
            (0o640, true),
            (0o604, true),
            (0o660, true),
            (0o600, false),
            (0o400, false),
        ] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&path, mode.clone()).expect("sets");
            assert_eq!(Passwords::read(&path).is_err(), refused, "{mode:?}");
        }
    }
}
